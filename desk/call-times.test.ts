import { expect, test } from 'vitest'
import { parseLocalTime, setCompanyTimeZone } from '#leads/clock.ts'
import type { BusinessHours } from '#leads/hours.ts'
import { listCallTimes } from './call-times.ts'

const timeZone = 'America/Chicago'
setCompanyTimeZone(timeZone)

const weekday = ['7:00-18:00']
const hours: BusinessHours = {
  timeZone,
  open: { Mon: weekday, Tue: weekday, Wed: weekday, Thu: weekday, Fri: weekday },
  closedDates: ['2026-11-26'],
  emergencies: 'always',
  promiseMinutes: 10,
}

/** Returns the choices at a local time. Each label must show the time that is sent. */
function listAt(time: string, some: Partial<BusinessHours> = {}, isEmergency = false) {
  const now = parseLocalTime(time, timeZone)
  const times = listCallTimes({ isEmergency }, now, { ...hours, ...some })
  const clock = new Intl.DateTimeFormat('en-US', { timeStyle: 'short', timeZone })
  for (const { label, at } of times)
    if (label === 'In 30 minutes') expect(at - now).toBe(30 * 60_000)
    else expect(label).toContain(clock.format(at))
  return times.map(({ label }) => label.replace(/\s/g, ' '))
}

test('this afternoon gets later during the day, and then disappears', () => {
  const tomorrow = 'Tomorrow morning, 7:00 AM'
  expect(listAt('2026-11-17T09:00')).toEqual(['In 30 minutes', 'This afternoon, 2:00 PM', tomorrow])
  expect(listAt('2026-11-17T13:01')[1]).toBe('This afternoon, 4:00 PM')
  expect(listAt('2026-11-17T15:01')).toEqual(['In 30 minutes', tomorrow])
})

test('offers no time while the company is closed, except for an emergency', () => {
  const closed = '2026-11-17T17:45'
  expect(listAt(closed)).toEqual(['Tomorrow morning, 7:00 AM'])
  expect(listAt(closed, {}, true)).toEqual(['In 30 minutes', 'Tomorrow morning, 7:00 AM'])
  expect(listAt('2026-11-20T16:00')[1]).toBe('Monday morning, 7:00 AM')
  // Thanksgiving.
  expect(listAt('2026-11-25T16:00')[1]).toBe('Friday morning, 7:00 AM')
  const holidays = ['2026-11-26', '2026-11-27', '2026-11-30', '2026-12-01', '2026-12-02']
  expect(listAt('2026-11-25T16:00', { closedDates: holidays })[1]).toBe('Dec 3, 7:00 AM')
  const late = { open: { Wed: ['13:00-20:00'] } }
  expect(listAt('2026-11-17T17:00', late)).toEqual(['Tomorrow, 1:00 PM'])
})

test('a company that never closes calls at 8 AM', () => {
  expect(listAt('2026-11-17T22:00', { open: 'always' })).toEqual([
    'In 30 minutes',
    'Tomorrow morning, 8:00 AM',
  ])
  // The clocks change that night.
  expect(listAt('2026-10-31T22:00', { open: 'always' })[1]).toBe('Tomorrow morning, 8:00 AM')
})
