import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TimeoutError, withTimeout } from './with-timeout.ts'

it('rejects work that takes too long, and reports that it is late', async () => {
  let isLate = () => false
  const given = withTimeout(250, (late) => {
    isLate = late
    return new Promise(() => {})
  })
  expect(isLate()).toBe(false)
  await expect(given).rejects.toThrow(TimeoutError)
  expect(isLate()).toBe(true)
})

it('does not count time during which the process was blocked', async () => {
  const given = withTimeout(1_000, async () => {
    for (let turn = 0; turn < 10; turn++) await yieldToEventLoop()
    return 'done'
  })
  // Block the whole thread, including timers, for longer than the timeout.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_010)
  await expect(given).resolves.toBe('done')
})
