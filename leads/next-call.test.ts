import { expect, test } from 'vitest'
import { formatTimestamp, parseLocalTime } from './clock.ts'
import type { BusinessHours } from './hours.ts'
import { listCallTimes, suggestCallTime } from './next-call.ts'

const timeZone = 'America/Chicago'

const weekday = ['7:00-18:00']
const hours: BusinessHours = {
  timeZone,
  open: { Mon: weekday, Tue: weekday, Wed: weekday, Thu: weekday, Fri: weekday },
  closedDates: ['2026-11-26'],
  emergencies: 'always',
  promiseMinutes: 10,
}

/** Returns the choices at a local time. Each label must show the time that is sent. */
function listAt(time: string, some: Partial<BusinessHours> = {}) {
  const now = parseLocalTime(time, timeZone)
  const times = listCallTimes(now, { ...hours, ...some })
  const clock = new Intl.DateTimeFormat('en-US', { timeStyle: 'short', timeZone })
  for (const { label, at } of times)
    if (label === 'In an hour') expect(at - now).toBe(60 * 60_000)
    else expect(label).toContain(clock.format(at))
  return times.map(({ label }) => label.replace(/\s/g, ' '))
}

test('offers this evening until an hour before, also if the company is closed then', () => {
  const tomorrow = 'Tomorrow morning, 7:00 AM'
  expect(listAt('2026-11-17T09:00')).toEqual(['In an hour', 'This evening, 6:00 PM', tomorrow])
  expect(listAt('2026-11-17T17:01')).toEqual(['In an hour', tomorrow])
})

test('tomorrow morning is when the company opens next', () => {
  expect(listAt('2026-11-20T17:30')[1]).toBe('Monday morning, 7:00 AM')
  // The next day is Thanksgiving.
  expect(listAt('2026-11-25T17:30')[1]).toBe('Friday morning, 7:00 AM')
  const holidays = ['2026-11-26', '2026-11-27', '2026-11-30', '2026-12-01', '2026-12-02']
  expect(listAt('2026-11-25T17:30', { closedDates: holidays })[1]).toBe('Dec 3, 7:00 AM')
  expect(listAt('2026-11-17T18:00', { open: { Wed: ['13:00-20:00'] } })[1]).toBe(
    'Tomorrow, 1:00 PM',
  )
  const always = { open: 'always' } as const
  expect(listAt('2026-11-17T22:00', always)[1]).toBe('Tomorrow morning, 8:00 AM')
  // The clocks change that night.
  expect(listAt('2026-10-31T22:00', always)[1]).toBe('Tomorrow morning, 8:00 AM')
})

test.each([
  ['soon after the first call', '2026-11-17T09:00', 1, '2026-11-17 09:30'],
  ['when the company opens if it closes before', '2026-11-17T17:45', 1, '2026-11-18 07:00'],
  ['in the evening after the second', '2026-11-17T09:30', 2, '2026-11-17 17:00'],
  ['the next morning if the evening is too close', '2026-11-17T16:30', 2, '2026-11-18 07:00'],
  ['the next morning after a call in the afternoon', '2026-11-17T16:00', 3, '2026-11-18 07:00'],
  ['the next afternoon after a call in the morning', '2026-11-17T08:00', 4, '2026-11-18 16:00'],
  ['on the next day of work', '2026-11-20T08:00', 4, '2026-11-23 16:00'],
  ['after the weekend and a holiday', '2026-11-25T08:00', 5, '2026-11-27 16:00'],
])('suggests another call %s', (_, now, attempts, expected) => {
  const attempt = { now: parseLocalTime(now, timeZone), attempts, noAnswerMinutes: 30 }
  const suggest = (serviceType: string) =>
    formatTimestamp(suggestCallTime({ ...attempt, serviceType }, hours), timeZone).slice(0, 16)
  expect(suggest('roof-repair')).toBe(expected)
})

test('an emergency never waits until the evening', () => {
  const now = parseLocalTime('2026-11-17T03:00', timeZone)
  const attempt = { now, serviceType: 'emergency', attempts: 4, noAnswerMinutes: 30 }
  expect(suggestCallTime(attempt, hours) - now).toBe(30 * 60_000)
})
