import { expect, it } from 'vitest'
import {
  formatAgo,
  formatOpening,
  formatPreciseDuration,
  formatShortDuration,
  formatTimestamp,
  parseLocalTime,
} from './clock.ts'
import { hourMs, minuteMs } from './time-units.ts'

const now = Date.parse('2026-11-15T12:00:00Z')

it('formats short durations without a line break inside', () => {
  const times = [0, 59_000, minuteMs, hourMs, 47 * hourMs, 72 * hourMs]
  const texts = times.map((ms) => formatShortDuration(ms).replace('\u00a0', ' '))
  expect(texts).toEqual(['0 sec', '59 sec', '1 min', '1 hr', '47 hr', '3 days'])
})

it('formats when something happened, in the company’s time zone', () => {
  const clock = { now, timeZone: 'Pacific/Kiritimati' }
  expect(formatAgo(now - 59_000, clock)).toBe('just now')
  expect(formatAgo(now - 30 * hourMs, clock)).toMatch(/^Nov 14, 8:00\sPM$/)
  expect(formatTimestamp(now, clock.timeZone)).toBe('2026-11-16 02:00:00')
})

it.each([
  ['2026-11-15T00:00', 'America/Chicago', '2026-11-15T06:00Z'],
  ['2026-11-01T00:00', 'America/Chicago', '2026-11-01T05:00Z'],
  ['2026-11-01T07:00', 'America/Chicago', '2026-11-01T13:00Z'],
  ['2026-03-08T07:00', 'America/Chicago', '2026-03-08T12:00Z'],
  ['2026-11-15T00:00', 'Pacific/Kiritimati', '2026-11-14T10:00Z'],
])('converts %s in %s to UTC, even on days when the clocks change', (text, zone, moment) => {
  expect(parseLocalTime(text, zone)).toBe(Date.parse(moment))
})

it('formats measured durations', () => {
  const measured = [850, 42_000, 139_000, 240_000, 7_500_000].map(formatPreciseDuration)
  expect(measured).toEqual(['0.8 sec', '42 sec', '2 min 19 sec', '4 min', '2 hr 5 min'])
})

it('formats when the company next opens', () => {
  const clock = { now, timeZone: 'America/Chicago' }
  const texts = [15, 16, 17, 21, 22].map((day) =>
    formatOpening(Date.parse(`2026-11-${day}T13:00:00Z`), clock).replace(/\s/g, ' '),
  )
  expect(texts).toEqual(['at 7:00 AM', 'tomorrow', 'on Tuesday', 'on Saturday', 'on Nov 22'])
})
