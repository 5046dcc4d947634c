import { describe, expect, it } from 'vitest'
import { computePromise } from './deadline.ts'
import { type BusinessHours, computeNextStart, computeOpening, weekdays } from './hours.ts'
import { minuteMs } from './time-units.ts'

const chicago: BusinessHours = {
  timeZone: 'America/Chicago',
  open: {
    Mon: ['7:00-18:00'],
    Tue: ['7:00-18:00'],
    Wed: ['7:00-18:00'],
    Thu: ['7:00-18:00'],
    Fri: ['7:00-12:00', '13:00-18:00'],
    Sat: ['8:00-24:00'],
    Sun: ['0:00-2:30'],
  },
  closedDates: ['2026-12-25', '2027-01-01'],
  promiseMinutes: 10,
  emergencies: 'always',
}
const at = (text: string) => new Date(text).getTime()
const show = (time: number) => new Date(time).toISOString()

it.each([
  ['before we open', '2026-11-17T06:59:59-06:00', '2026-11-17T07:00:00-06:00'],
  ['when we open', '2026-11-17T07:00:00-06:00', '2026-11-18T07:00:00-06:00'],
  ['during a break', '2026-11-20T12:30:00-06:00', '2026-11-21T08:00:00-06:00'],
  ['before the end of a night', '2026-11-22T01:00:00-06:00', '2026-11-23T07:00:00-06:00'],
  ['before a holiday', '2026-12-24T08:00:00-06:00', '2026-12-26T08:00:00-06:00'],
  ['before clocks go forward', '2027-03-14T00:00:00-06:00', '2027-03-15T07:00:00-05:00'],
])('the next working day starts, asked %s', (_, now, start) => {
  expect(show(computeNextStart(at(now), chicago))).toBe(show(at(start)))
})

it.each([
  ['if we never close', 'always'],
  ['with all hours of each day', Object.fromEntries(weekdays.map((day) => [day, ['0:00-24:00']]))],
] as const)('the day starts at 7 AM %s', (_, open) => {
  const next = (now: string) =>
    show(computeNextStart(at(now), { ...chicago, closedDates: [], open }))
  expect(next('2026-11-17T06:59:59-06:00')).toBe(show(at('2026-11-17T07:00:00-06:00')))
  expect(next('2026-11-17T07:00:00-06:00')).toBe(show(at('2026-11-18T07:00:00-06:00')))
})

describe('the deadline', () => {
  it.each([
    ['while open', '2026-11-17T12:00:00-06:00', '2026-11-17T12:10:00-06:00'],
    ['when we open', '2026-11-17T07:00:00-06:00', '2026-11-17T07:10:00-06:00'],
    ['a second before we open', '2026-11-17T06:59:59-06:00', '2026-11-17T07:10:00-06:00'],
    ['a second before closing', '2026-11-17T17:59:59-06:00', '2026-11-17T18:09:59-06:00'],
    ['at closing', '2026-11-17T18:00:00-06:00', '2026-11-18T07:10:00-06:00'],
    ['at lunch', '2026-11-20T12:30:00-06:00', '2026-11-20T13:10:00-06:00'],
    ['before midnight of an open night', '2026-11-21T23:59:00-06:00', '2026-11-22T00:09:00-06:00'],
    ['after midnight of an open night', '2026-11-22T02:00:00-06:00', '2026-11-22T02:10:00-06:00'],
    ['on a holiday', '2026-12-25T09:00:00-06:00', '2026-12-26T08:10:00-06:00'],
    ['at 23:59 on December 31', '2026-12-31T23:59:00-06:00', '2027-01-02T08:10:00-06:00'],
    ['in the night when clocks go back', '2026-11-01T03:00:00-06:00', '2026-11-02T07:10:00-06:00'],
    ['in the repeated hour', '2026-11-01T01:30:00-06:00', '2026-11-01T01:40:00-06:00'],
    ['when clocks go forward', '2027-03-14T04:00:00-05:00', '2027-03-15T07:10:00-05:00'],
    // The closing time, 2:30, does not exist on that day, so the company closes at 3:30.
    ['before a skipped closing time', '2027-03-14T03:20:00-05:00', '2027-03-14T03:30:00-05:00'],
  ])('%s', (_, received, due) => {
    const { deadlineAt } = computePromise(at(received), 'roof-repair', chicago)
    expect(show(deadlineAt)).toBe(show(at(due)))
  })

  it.each([
    ['2027-12-24T19:00:00-06:00', '2027-12-27T07:10:00-06:00'],
    ['2028-02-29T09:00:00-06:00', '2028-03-01T07:10:00-06:00'],
  ])('a holiday of every year: %s', (received, due) => {
    const hours = { ...chicago, closedDates: ['12-25', '12-26', '02-29'] }
    const { deadlineAt } = computePromise(at(received), 'roof-repair', hours)
    expect(show(deadlineAt)).toBe(show(at(due)))
  })

  const night = at('2026-11-17T02:00:00-06:00')
  it.each([
    ['an emergency at night', 'emergency', 'always', '2026-11-17T02:10:00-06:00'],
    ['an emergency when nobody is on call', 'emergency', 'when open', '2026-11-17T07:10:00-06:00'],
    ['no service chosen', '', 'always', '2026-11-17T07:10:00-06:00'],
  ] as const)('%s', (_, service, emergencies, due) => {
    const { deadlineAt } = computePromise(night, service, { ...chicago, emergencies })
    expect(show(deadlineAt)).toBe(show(at(due)))
  })

  it('is the promised time away around the clock if the company is always open', () => {
    const always = { ...chicago, open: 'always' as const, promiseMinutes: 15 }
    expect(computePromise(night, 'other', always)).toEqual({
      promiseStartAt: night,
      deadlineAt: night + 15 * minuteMs,
    })
  })
})

it('skips opening hours that a clock change removes', () => {
  const hours = { ...chicago, open: { Sun: ['2:00-3:00'], Mon: ['7:00-18:00'] } }
  const opening = computeOpening(at('2027-03-14T01:00:00-06:00'), hours)
  expect(show(opening)).toBe(show(at('2027-03-15T07:00:00-05:00')))
})
