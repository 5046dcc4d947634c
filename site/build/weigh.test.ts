import { expect, test } from 'vitest'
import { formatWeight, maxPageBytes } from './weigh.ts'

test.each([
  [maxPageBytes - 1_200, '12,800 bytes with headers. There is room for 1,200 more in'],
  [maxPageBytes, '14,000 bytes with headers. There is room for 0 more in'],
  [maxPageBytes + 34, '14,034 bytes with headers, 34 too many for'],
])('prints whether a page of %i bytes fits', (bytes, expected) => {
  expect(formatWeight(bytes)).toBe(`The page has ${expected} the first round trip.`)
})
