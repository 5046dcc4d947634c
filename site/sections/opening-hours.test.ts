import { expect, test } from 'vitest'
import { formatOpeningHours } from './opening-hours.ts'

const day = ['7:00-18:00']

test.each([
  ['Mon–Sun 7 AM–6 PM', { Mon: day, Tue: day, Wed: day, Thu: day, Fri: day, Sat: day, Sun: day }],
  ['Mon 7 AM–6 PM, Wed–Thu 7 AM–6 PM', { Mon: day, Wed: day, Thu: day }],
  [
    'Fri 7 AM–6 PM, Sat 8 AM–12 PM and 1 PM–4:30 PM',
    { Fri: day, Sat: ['8:00-12:00', '13:00-16:30'] },
  ],
  ['Sun 12 AM–12 AM', { Sun: ['0:00-24:00'] }],
])('reads as %s', (text, open) => {
  const found = formatOpeningHours(open)
  expect(found.replaceAll('\xa0', ' ')).toBe(text)
  expect(found).not.toMatch(/\d [AP]M/)
})
