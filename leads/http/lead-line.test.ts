import { expect, it } from 'vitest'
import { createLeadLine } from './lead-line.ts'

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

it('lets one network’s leads in one after the other, also after one that fails', async () => {
  const { begun, work } = createWork()
  const line = createLeadLine()
  const saves = [1, 2, 3].map(() => line.save('a', work))
  await settle()
  expect(begun).toHaveLength(1)
  begun[0]?.reject(new Error('no'))
  await expect(saves[0]).rejects.toThrow('no')
  await settle()
  expect(begun).toHaveLength(2)
  begun[1]?.resolve('saved')
  await expect(saves[1]).resolves.toBe('saved')
})

it('refuses whose line is too long, and takes them again when it has moved', async () => {
  const { begun, work } = createWork()
  const line = createLeadLine()
  const saves = Array.from({ length: 50 }, () => line.save('a', work))
  expect(await line.save('a', work)).toBe('line too long')
  await settle()
  begun[0]?.resolve('saved')
  await saves[0]
  const next = line.save('a', async () => 'next')
  for (let at = 1; at < 50; at++) {
    await settle()
    begun[at]?.resolve('saved')
  }
  expect(await next).toBe('next')
  expect(line.isEmpty()).toBe(true)
})
