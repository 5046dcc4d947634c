import { expect, it } from 'vitest'
import { formatAgo, formatPreciseDuration, formatSeen, formatShortDuration } from './clock.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const now = Date.parse('2026-11-15T12:00:00Z')

it('formats short durations without a line break inside', () => {
  const times = [0, 59_000, minuteMs, hourMs, 47 * hourMs, 72 * hourMs]
  expect(times.map((ms) => formatShortDuration(ms).replace('\u00a0', ' '))).toEqual([
    '0 s',
    '59 s',
    '1 min',
    '1 h',
    '47 h',
    '3 days',
  ])
})

it('formats when something happened', () => {
  expect(formatAgo(now - 30 * hourMs, now)).toMatch(/^Nov 1[34], \d+:00\s[AP]M$/)
  expect(formatSeen(now - minuteMs, now)).toBe('just now')
  expect(formatSeen(now - 24 * hourMs, now)).toBe('yesterday')
  expect(formatSeen(now - 72 * hourMs, now)).toMatch(/^Nov 1[12]$/)
})

it('formats measured durations', () => {
  const measured = [850, 42_000, 139_000, 7_500_000].map(formatPreciseDuration)
  expect(measured).toEqual(['0.8 s', '42 s', '2 min 19 s', '2 h 5 min'])
})
