import { expect, test } from 'vitest'
import { measureName } from './logo.tsx'

test.each([
  ['ABC', 'short'],
  ['Ridgeline Roofing', 'short'],
  ['Big Sky Roofing', 'short'],
  // “Homeworks” has nine letters, some of them wide.
  ['Homeworks Roofing', undefined],
  ['Wommwwmmo Roofing', undefined],
  ['ALL ROOFING', undefined],
  // This would need three lines.
  ['Peak Roofing Co', undefined],
  ['Northwestern Roofing Co', undefined],
  ['Hendersonville Residential Roofing', 'long'],
] as const)('measures the name %s', (name, expected) => {
  expect(measureName(name)).toBe(expected)
})
