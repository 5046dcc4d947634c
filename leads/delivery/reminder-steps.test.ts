import { expect, it } from 'vitest'
import { computeAnsweredAt, computeFirstReminderAt } from './reminder-steps.ts'

const minuteMs = 60_000
const start = 1_000_000

it('the first reminder is the earliest step, and without any the missed promise', () => {
  expect(computeFirstReminderAt(start, [4, 8])).toBe(start + 4 * minuteMs)
  expect(computeFirstReminderAt(start, [])).toBe(start + 10 * minuteMs)
})

it.each([
  [8, 8],
  [10, 10],
  [11, 10],
  [15, 15],
])('an answer found after %d minutes was given after %d', (found, counted) => {
  expect(computeAnsweredAt(start, start + found * minuteMs)).toBe(start + counted * minuteMs)
})
