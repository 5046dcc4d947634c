import { expect, test } from 'vitest'
import type { BusinessHours } from '#leads/hours.ts'
import { addBreak, copyDay, describeHours, formatSpan, parseSpan, setDay } from './week.ts'

const hours: BusinessHours = {
  timeZone: 'America/Chicago',
  open: { Tue: ['7:00-18:00'], Wed: ['7:00-18:00'] },
  closedDates: [],
  emergencies: 'always',
  promiseMinutes: 10,
}
// November 17, 2026, is a Tuesday.
const at = (time: string) => Date.parse(`2026-11-17T${time}:00-06:00`)

test.each([
  [at('12:00'), {}, /you’re open now, and the page promises a call by 12:10 PM/],
  [at('20:00'), {}, /closed now, and the page promises a call by 7:10 AM.* tomorrow\.$/],
  [at('20:00'), { closedDates: ['11-18'] }, /closed now.* on November 24\.$/],
  [at('20:00'), { open: 'always' as const, promiseMinutes: 30 }, /open now.* 8:30 PM/],
])('says what the hours mean', (now, changes, expected) => {
  const text = describeHours({ ...hours, ...changes }, now) ?? ''
  // A line break must not separate a time from AM or PM.
  expect(text).not.toMatch(/\d [AP]M/)
  expect(text.replaceAll('\xa0', ' ')).toMatch(expected)
})

test.each([
  ['7:00-18:00', ['07:00', '18:00']],
  ['0:00-24:00', ['00:00', '00:00']],
  ['-18:00', ['', '18:00']],
  ['', ['', '']],
] as const)('edits %s as two times', (span, times) => {
  expect(parseSpan(span)).toEqual(times)
  expect(formatSpan(times)).toBe(span)
})

test('copies a day, even over hours that other days have', () => {
  const week = { Mon: ['8:00-17:00'], Sat: ['9:00-12:00'] }
  expect(copyDay(week, 'Mon', ['Mon', 'Tue', 'Sat'])).toEqual({
    Mon: ['8:00-17:00'],
    Tue: ['8:00-17:00'],
    Sat: ['8:00-17:00'],
  })
  expect(setDay(week, 'Sat', [])).toEqual({ Mon: ['8:00-17:00'] })
})

test('a break splits the day at noon if it can', () => {
  expect(addBreak(['8:00-17:00'])).toEqual(['8:00-12:00', '13:00-17:00'])
  expect(addBreak(['13:00-17:00'])).toEqual(['13:00-17:00', ''])
})
