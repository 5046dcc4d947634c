import { expect, test } from 'vitest'
import { alwaysOpen, dayHours } from '#testing/saved-leads.ts'
import { listSchedules } from './devices.tsx'

test.each([
  [alwaysOpen, 'Every new lead, at any hour.'],
  [dayHours, 'Emergencies at any hour. Other leads wait until we open.'],
  [
    { ...dayHours, emergencies: 'when open' as const },
    'Every new lead. Leads that come in while we’re closed wait until we open.',
  ],
])('the hint for “Always” fits the hours', (hours, hint) => {
  expect(listSchedules(hours)[0]?.[2]).toBe(hint)
})
