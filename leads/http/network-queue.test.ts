import { expect, it } from 'vitest'
import { createNetworkQueues } from './network-queue.ts'

// server/abuse.test.ts tests the limits of the queues.
it('saves the next lead of a network even if the one before failed', async () => {
  const queues = createNetworkQueues()
  const failed = queues.save('a', () => Promise.reject(new Error('no')))
  const next = queues.save('a', async () => 'saved')
  await expect(failed).rejects.toThrow('no')
  await expect(next).resolves.toBe('saved')
  expect(queues.isEmpty()).toBe(true)
})
