import { afterEach, expect, test } from 'vitest'
import { computeCallTime, formatTime } from '#leads/call-time.ts'
import { type BusinessHours, computeOpening, isOpen } from '#leads/hours.ts'
import { dayMs, minuteMs } from '#leads/time-units.ts'
import { createCompanyClock } from './company-clock.ts'

const { TZ } = process.env
afterEach(() => {
  if (TZ === undefined) delete process.env.TZ
  else process.env.TZ = TZ
})

const day = ['7:00-18:00']
const weeks: BusinessHours['open'][] = [
  { Mon: day, Tue: day, Wed: day, Thu: day, Fri: ['7:00-12:00', '13:00-17:30'] },
  {
    Mon: ['7:00-24:00'],
    Tue: ['0:00-2:30', '9:00-17:00'],
    Sat: ['8:00-24:00'],
    Sun: ['0:00-2:30'],
  },
  // These include times in the hours that are skipped or repeated when clocks change.
  { Sat: ['20:00-24:00'], Sun: ['0:00-1:30', '2:00-3:00', '3:15-4:00'], Mon: day },
  { Sun: ['1:15-1:45', '2:30-2:45'], Wed: ['0:00-24:00'], Thu: ['0:00-24:00'] },
]
const closedDates = ['12-25', '01-01', '2027-07-05', '2026-11-26']
// The days in 2026 and 2027 when clocks change in the US.
const changes = ['2026-11-01', '2027-03-14', '2027-11-07', '2026-03-08'].map((date) =>
  Date.parse(date),
)
const zones = ['America/Chicago', 'America/New_York', 'America/Phoenix', 'America/St_Johns']

/** Yields the same random numbers in each run. */
function* createRandom(): Generator<number, never> {
  for (let state = 1; ; ) {
    state = (state * 16_807) % 2_147_483_647
    yield state / 2_147_483_647
  }
}

/** Steps by quarter hours, because all closing times are on a quarter hour. */
function findClosing(now: number, hours: BusinessHours) {
  const quarterMs = 15 * minuteMs
  let at = now
  while (isOpen(at, hours)) at = (Math.floor(at / quarterMs) + 1) * quarterMs
  return at
}

test('shortens the names of days and months for the header', () => {
  const hours: BusinessHours = {
    ...{ open: { Mon: day }, closedDates: [], emergencies: 'when open', promiseMinutes: 10 },
    timeZone: 'America/Chicago',
  }
  const { formatTime: format } = createCompanyClock(hours)
  const now = Date.parse('2026-11-20T12:00-06:00')
  const opensAt = Date.parse('2026-11-23T07:00-06:00')
  const text = (at: number) => format(at, now, 'short').replaceAll('\xa0', ' ')
  process.env.TZ = hours.timeZone
  expect(text(opensAt)).toBe('7:00 AM on Mon')
  expect(text(opensAt + 30 * dayMs)).toBe('7:00 AM on Dec 23')
})

test.each(zones)('agrees with the server at 500 times for a visitor in %s', (readerZone) => {
  process.env.TZ = readerZone
  const random = createRandom()
  const pick = <Item>(items: readonly Item[]) =>
    items[Math.floor(random.next().value * items.length)] as Item
  const start = Date.parse('2026-01-01')
  const differences: string[] = []
  for (let count = 0; count < 500; count++) {
    const hours: BusinessHours = {
      ...{ open: pick(weeks), closedDates, emergencies: 'when open', promiseMinutes: 10 },
      timeZone: pick(zones.slice(0, 2)),
    }
    // Half of the times are within two days of a clock change.
    const now =
      count % 2
        ? pick(changes) + (random.next().value * 3 - 1) * dayMs
        : start + random.next().value * 730 * dayMs
    const { findOpenTime, formatTime: format } = createCompanyClock(hours)
    const { from, to } = findOpenTime(now)
    const closesAt = isOpen(now, hours) ? findClosing(now, hours) : undefined
    const opensAt = computeOpening(now, hours)
    const callTime = computeCallTime(now, '', hours)
    const expected = [opensAt, closesAt, callTime.time]
    const found = [
      Math.max(now, from),
      from <= now ? to : undefined,
      format(Math.max(now, from) + hours.promiseMinutes * minuteMs, now),
    ]
    const changesAt = closesAt ?? opensAt
    if (
      JSON.stringify(found) !== JSON.stringify(expected) ||
      format(changesAt, now) !== formatTime(changesAt, { now, hours })
    )
      differences.push(`${new Date(now).toISOString()} ${JSON.stringify([hours, found, expected])}`)
  }
  expect(differences).toEqual([])
})
