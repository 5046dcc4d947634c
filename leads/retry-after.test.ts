import { expect, it } from 'vitest'
import { readRetryAfterMs } from './retry-after.ts'

const date = 'Sun, 15 Nov 2026 12:00:00 GMT'

it.each([
  ['90', 90_000],
  ['0', 0],
  ['Sun, 15 Nov 2026 12:01:30 GMT', 90_000],
  ['Sun, 15 Nov 2026 11:00:00 GMT', 0],
  // Who asks for an hour is asked again while the homeowner still waits.
  ['3600', 300_000],
  ['Mon, 16 Nov 2026 12:00:00 GMT', 300_000],
  ['9'.repeat(400), 300_000],
  ['-5', 0],
  ['soon', 0],
  ['', 0],
])('“%s” means %i ms', (said, ms) => {
  expect(readRetryAfterMs(new Headers({ date, 'retry-after': said }))).toBe(ms)
})

it('nothing said is no wait, and neither is a date by an unknown clock', () => {
  expect(readRetryAfterMs(new Headers({ date }))).toBe(0)
  expect(readRetryAfterMs(new Headers({ 'retry-after': date }))).toBe(0)
})
