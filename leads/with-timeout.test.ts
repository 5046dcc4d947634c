import { setImmediate as look } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TooSlow, withTimeout } from './with-timeout.ts'

it('gives up on what has no end, and says so to what has not begun', async () => {
  let isLate = () => false
  const given = withTimeout(250, (late) => {
    isLate = late
    return new Promise(() => {})
  })
  expect(isLate()).toBe(false)
  await expect(given).rejects.toThrow(TooSlow)
  expect(isLate()).toBe(true)
})

it('does not count the time in which the process itself stood still', async () => {
  const given = withTimeout(500, async () => {
    for (let turn = 0; turn < 10; turn++) await look()
    return 'done'
  })
  // Longer than the limit: the whole thread waits, timers and all.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600)
  await expect(given).resolves.toBe('done')
})
