import { afterEach, expect } from 'vitest'

// The product never writes to the console, so any output fails the test.
const printed: string[] = []
for (const level of ['error', 'warn'] as const) {
  console[level] = (...words: unknown[]) => printed.push(words.map(String).join(' '))
}

afterEach(() => {
  expect(printed.splice(0)).toEqual([])
})
