import { expect, test } from 'vitest'
import { formatWeight, maxPageBytes } from './weigh.ts'

test.each([
  [maxPageBytes - 1_200, 'The page has 12,800 bytes with headers, 1,200 fewer than fit'],
  [maxPageBytes, 'The page has 14,000 bytes with headers, 0 fewer than fit'],
  [maxPageBytes + 34, 'The page has 14,034 bytes with headers, 34 more than fit'],
])('prints whether a page of %i bytes fits', (bytes, expected) => {
  expect(formatWeight(bytes)).toBe(`${expected} into one round trip.`)
})
