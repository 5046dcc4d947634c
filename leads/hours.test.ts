import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computePromise } from './deadline.ts'
import {
  type BusinessHours,
  computeClosing,
  computeOpening,
  type Weekday,
  weekdays,
} from './hours.ts'

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
  ['2026-11-17T12:00:00-06:00', '2026-11-17T18:00:00-06:00'],
  ['2026-11-20T11:00:00-06:00', '2026-11-20T12:00:00-06:00'],
  // Open across midnight.
  ['2026-11-21T20:00:00-06:00', '2026-11-22T02:30:00-06:00'],
  ['2026-11-17T18:00:00-06:00', undefined],
  ['2026-12-25T09:00:00-06:00', undefined],
])('at %s, the company closes at %s', (now, closing) => {
  expect(computeClosing(at(now), chicago)).toBe(closing && at(closing))
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
    // 2:30 does not exist on that day. An hour later is 3:30.
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
      deadlineAt: night + 15 * 60_000,
    })
  })
})

it('skips opening hours that a clock change removes', () => {
  const hours = { ...chicago, open: { Sun: ['2:00-3:00'], Mon: ['7:00-18:00'] } }
  const opening = computeOpening(at('2027-03-14T01:00:00-06:00'), hours)
  expect(show(opening)).toBe(show(at('2027-03-15T07:00:00-05:00')))
})

const zones = ['America/Chicago', 'America/New_York', 'Pacific/Honolulu', 'Europe/Berlin']

describe('for any hours and time', () => {
  // Clocks change between 1:00 and 3:00 in these zones. The cases above cover those hours.
  const minute = fc.integer({ min: 0, max: 96 }).map((quarter) => quarter * 15)
  const usualMinute = minute.filter((minute) => minute <= 60 || minute >= 180)
  const formatTime = (minute: number) => `${Math.floor(minute / 60)}:${minute % 60}`
  const spans = (minutes: typeof minute) =>
    fc
      .uniqueArray(minutes, { maxLength: 6 })
      .map((some) => some.sort((a, b) => a - b))
      .map((some) =>
        some.flatMap((to, index) =>
          index % 2 ? [`${formatTime(some[index - 1] ?? 0)}-${formatTime(to)}`] : [],
        ),
      )
  const time = fc.date({
    min: new Date('2026-01-01'),
    max: new Date('2029-01-01'),
    noInvalidDate: true,
  })
  const hours = (minutes: typeof minute) =>
    fc.record<BusinessHours>({
      timeZone: fc.constantFrom(...zones),
      open: fc.record({
        Mon: fc.constant(['9:00-17:00']),
        ...Object.fromEntries(weekdays.slice(1).map((day) => [day, spans(minutes)])),
      }),
      closedDates: fc.array(
        time.map((day) => day.toISOString().slice(0, 10)),
        { maxLength: 40 },
      ),
      emergencies: fc.constant('always'),
      promiseMinutes: fc.integer({ min: 5, max: 240 }),
    })

  it('finds the first time at which the company is open', () => {
    fc.assert(
      fc.property(hours(usualMinute), time, (hours, date) => {
        const opening = computeOpening(date.getTime(), hours)
        expect(isOpen(opening, hours)).toBe(true)
        const quarterMs = 15 * 60_000
        for (let earlier = date.getTime(); earlier < opening; earlier += quarterMs)
          expect(isOpen(earlier, hours), show(earlier)).toBe(false)
      }),
    )
  })
})

const formats = new Map(
  zones.map((timeZone) => [
    timeZone,
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      weekday: 'short',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
  ]),
)

/** Checks the local time independently of the code under test. */
function isOpen(time: number, { open, closedDates, timeZone }: BusinessHours): boolean {
  const parts = formats.get(timeZone)?.formatToParts(time) ?? []
  const read = Object.fromEntries(parts.map(({ type, value }) => [type, value]))
  if (closedDates.includes(`${read.year}-${read.month}-${read.day}`)) return false
  const now = Number(read.hour) * 60 + Number(read.minute)
  const spans = open === 'always' ? [] : (open[read.weekday as Weekday] ?? [])
  return spans.some((span) => {
    const [from = 0, to = 0] = span.split('-').map((text) => {
      const [hour = 0, minute = 0] = text.split(':').map(Number)
      return hour * 60 + minute
    })
    return from <= now && now < to
  })
}
