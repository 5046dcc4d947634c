import { expect, it } from 'vitest'
import { createNetworkQueues } from './network-queue.ts'

/** Creates work that the test finishes manually. */
function createWork() {
  const started: PromiseWithResolvers<string>[] = []
  const work = () => {
    const one = Promise.withResolvers<string>()
    started.push(one)
    return one.promise
  }
  return { started, work }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

it('saves the leads from one network one at a time, even after a failure', async () => {
  const { started, work } = createWork()
  const queues = createNetworkQueues()
  const saves = [1, 2, 3].map(() => queues.save('a', work))
  await settle()
  expect(started).toHaveLength(1)
  started[0]?.reject(new Error('no'))
  await expect(saves[0]).rejects.toThrow('no')
  await settle()
  expect(started).toHaveLength(2)
  started[1]?.resolve('saved')
  await expect(saves[1]).resolves.toBe('saved')
})

it('rejects leads while a queue is full, and accepts them again later', async () => {
  const { started, work } = createWork()
  const queues = createNetworkQueues()
  const saves = Array.from({ length: 50 }, () => queues.save('a', work))
  expect(await queues.save('a', work)).toBe('queue full')
  await settle()
  started[0]?.resolve('saved')
  await saves[0]
  const next = queues.save('a', async () => 'next')
  for (let at = 1; at < 50; at++) {
    await settle()
    started[at]?.resolve('saved')
  }
  expect(await next).toBe('next')
  expect(queues.isEmpty()).toBe(true)
})
