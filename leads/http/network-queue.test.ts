import { expect, it } from 'vitest'
import { createNetworkQueues } from './network-queue.ts'

/** Work that ends when it is told to. */
function createWork() {
  const begun: PromiseWithResolvers<string>[] = []
  const work = () => {
    const one = Promise.withResolvers<string>()
    begun.push(one)
    return one.promise
  }
  return { begun, work }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

it('saves one network’s leads one after another, even after a failure', async () => {
  const { begun, work } = createWork()
  const queues = createNetworkQueues()
  const saves = [1, 2, 3].map(() => queues.save('a', work))
  await settle()
  expect(begun).toHaveLength(1)
  begun[0]?.reject(new Error('no'))
  await expect(saves[0]).rejects.toThrow('no')
  await settle()
  expect(begun).toHaveLength(2)
  begun[1]?.resolve('saved')
  await expect(saves[1]).resolves.toBe('saved')
})

it('refuses leads when a queue is full, and accepts them again later', async () => {
  const { begun, work } = createWork()
  const queues = createNetworkQueues()
  const saves = Array.from({ length: 50 }, () => queues.save('a', work))
  expect(await queues.save('a', work)).toBe('queue full')
  await settle()
  begun[0]?.resolve('saved')
  await saves[0]
  const next = queues.save('a', async () => 'next')
  for (let at = 1; at < 50; at++) {
    await settle()
    begun[at]?.resolve('saved')
  }
  expect(await next).toBe('next')
  expect(queues.isEmpty()).toBe(true)
})
