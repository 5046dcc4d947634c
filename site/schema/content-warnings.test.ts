import { expect, test } from 'vitest'
import { alwaysOpen } from '#testing/saved-leads.ts'
import { findContentWarnings } from './content-warnings.ts'

const list = (closedDates: string[], now: string, services?: object) =>
  [
    ...findContentWarnings(
      { hours: { ...alwaysOpen, closedDates }, form: {} },
      Date.parse(now),
      services,
    ),
  ].map(({ text }) => text)

test('lists holidays that have passed in the company’s time zone, but no yearly ones', () => {
  const dates = ['2025-12-25', '2026-11-16', '2026-11-17', '2027-01-01', '01-01']
  expect(list(dates, '2026-11-18T05:00:00Z')).toEqual([
    'Some holidays have passed: Dec 25, 2025; Nov 16, 2026.',
  ])
  expect(list(dates.slice(1), '2026-11-18T05:00:00Z')).toEqual([
    'A holiday has passed: Nov 16, 2026.',
  ])
  expect(list(dates.slice(2), '2026-11-18T05:00:00Z')).toEqual([])
})

test('warns if the form has no emergency choice', () => {
  const now = '2026-11-17T12:00:00Z'
  expect(list([], now, { 'roof-repair': 'Roof Repair' })).toEqual([
    expect.stringContaining('the desk can’t list emergencies first'),
  ])
})
