import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { createNetworkQueues } from './network-queue.ts'

// server/abuse.test.ts tests the limits of the queues.
it('saves the leads from one network one at a time, even after a failure', async () => {
  const queues = createNetworkQueues(2)
  const first = Promise.withResolvers<string>()
  let isNextStarted = false
  const failed = queues.save('a', () => first.promise)
  const next = queues.save('a', async () => {
    isNextStarted = true
  })
  await nextTurn()
  expect(isNextStarted).toBe(false)
  first.reject(new Error('no'))
  await expect(failed).rejects.toThrow('no')
  await next
  expect(isNextStarted).toBe(true)
  expect(queues.isEmpty()).toBe(true)
})
