import { expect, it } from 'vitest'
import { formatCallTime, formatTime } from './call-time.ts'
import { hourMs } from './time-units.ts'

const timeZone = 'America/Chicago'
const at = Date.parse('2026-11-19T07:10:00-06:00')

it.each([
  ['7:10 AM', '2026-11-19T02:00:00-06:00'],
  ['7:10 AM tomorrow', '2026-11-18T23:59:00-06:00'],
  ['7:10 AM on Thursday', '2026-11-17T18:00:00-06:00'],
  ['7:10 AM on Thursday', '2026-11-13T18:00:00-06:00'],
  ['7:10 AM on November 19', '2026-11-12T18:00:00-06:00'],
])('reads as %s at %s', (text, now) => {
  expect(formatCallTime(at, { now: Date.parse(now), timeZone })).toBe(text)
})

it.each([
  ['7:11 AM', '2026-11-19T07:10:00.001-06:00'],
  ['12:00 AM tomorrow', '2026-11-19T23:59:01-06:00'],
])('rounds up to %s, because the company has promised no earlier time', (text, deadline) => {
  const now = Date.parse('2026-11-19T02:00:00-06:00')
  expect(formatCallTime(Date.parse(deadline), { now, timeZone })).toBe(text)
})

it('counts days on the calendar when clocks go forward', () => {
  const monday = Date.parse('2027-03-15T07:10:00-05:00')
  const saturday = Date.parse('2027-03-13T23:30:00-06:00')
  expect(formatCallTime(monday, { now: saturday, timeZone })).toBe('7:10 AM on Monday')
})

it('keeps the parts of a time and of a date on one line', () => {
  const hours = { timeZone, open: 'always', closedDates: [], emergencies: 'always' } as const
  const format = (now: string) =>
    formatTime(at, { now: Date.parse(now), hours: { ...hours, promiseMinutes: 10 } })
  expect(format('2026-11-12T18:00:00-06:00')).toMatch(
    /^\d+:10\xa0AM(\xa0\w+)? on\xa0November\xa019$/,
  )
})

it.each([
  ['7:10 AM CST', 'America/New_York'],
  ['7:10 AM', 'America/Mexico_City'],
])('reads as %s in %s', (text, readerZone) => {
  expect(formatCallTime(at, { now: at - hourMs, timeZone, readerZone })).toBe(text)
})
