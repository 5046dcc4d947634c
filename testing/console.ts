import { afterEach, expect } from 'vitest'

// The code under test never writes errors or warnings to the console, so any of them fails the test.
const printed: string[] = []
for (const level of ['error', 'warn'] as const) {
  console[level] = (...words: unknown[]) => printed.push(words.map(String).join(' '))
}

afterEach(() => {
  expect(printed.splice(0)).toEqual([])
})
