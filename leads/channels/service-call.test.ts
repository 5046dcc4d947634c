import { expect, it } from 'vitest'
import { readRetryAfterMs } from './service-call.ts'

const date = 'Sun, 15 Nov 2026 12:00:00 GMT'

it.each([
  ['90', 90_000],
  ['0', 0],
  ['Sun, 15 Nov 2026 12:01:30 GMT', 90_000],
  ['Sun, 15 Nov 2026 11:00:00 GMT', 0],
  // Capped at 5 minutes, because homeowners expect a call within minutes.
  ['3600', 300_000],
  ['Mon, 16 Nov 2026 12:00:00 GMT', 300_000],
  ['9'.repeat(400), 300_000],
  ['-5', 0],
  ['soon', 0],
  ['', 0],
])('reads Retry-After “%s” as %i ms', (retryAfter, ms) => {
  expect(readRetryAfterMs(new Headers({ date, 'retry-after': retryAfter }))).toBe(ms)
})

it('does not wait without the header, or for a date without a Date header', () => {
  expect(readRetryAfterMs(new Headers({ date }))).toBe(0)
  expect(readRetryAfterMs(new Headers({ 'retry-after': date }))).toBe(0)
})
