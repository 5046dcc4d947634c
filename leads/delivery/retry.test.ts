import { expect, it } from 'vitest'
import { computeRetryMs } from './retry.ts'

it('spreads retries over the second half of the delay', () => {
  expect(computeRetryMs(1, () => 0)).toBe(2_500)
  expect(computeRetryMs(1, () => 1)).toBe(5_000)
  expect(computeRetryMs(5_000, () => 1)).toBe(900_000)
})
