import { afterEach, expect } from 'vitest'

// Nothing in the product writes to the console. What does is a surprise, and fails its test.
const said: string[] = []
for (const level of ['error', 'warn'] as const) {
  console[level] = (...words: unknown[]) => said.push(words.map(String).join(' '))
}

afterEach(() => {
  expect(said.splice(0)).toEqual([])
})
