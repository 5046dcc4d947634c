import { expect, it } from 'vitest'
import { readRetryAfterMs } from './service-call.ts'

const date = 'Sun, 15 Nov 2026 12:00:00 GMT'

it.each([
  ['90', 90_000],
  ['0', 0],
  ['Sun, 15 Nov 2026 12:01:30 GMT', 90_000],
  ['Sun, 15 Nov 2026 11:00:00 GMT', 0],
  // The cap: a homeowner waits for a call.
  ['3600', 300_000],
  ['Mon, 16 Nov 2026 12:00:00 GMT', 300_000],
  ['9'.repeat(400), 300_000],
  ['-5', 0],
  ['soon', 0],
  ['', 0],
])('Retry-After “%s” waits %i ms', (retryAfter, ms) => {
  expect(readRetryAfterMs(new Headers({ date, 'retry-after': retryAfter }))).toBe(ms)
})

it('does not wait without the header, or for a date without the service’s clock', () => {
  expect(readRetryAfterMs(new Headers({ date }))).toBe(0)
  expect(readRetryAfterMs(new Headers({ 'retry-after': date }))).toBe(0)
})
