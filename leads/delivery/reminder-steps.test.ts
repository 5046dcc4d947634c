import { expect, it } from 'vitest'
import { computeAnsweredAt, computeFirstReminderAt } from './reminder-steps.ts'

const minuteMs = 60_000
const start = 1_000_000
const deadlineAt = start + 10 * minuteMs

it('sends the first reminder at the earliest step, or at the deadline if there are none', () => {
  expect(computeFirstReminderAt(deadlineAt, [4, 8])).toBe(start + 4 * minuteMs)
  expect(computeFirstReminderAt(deadlineAt, [])).toBe(deadlineAt)
})

it.each([
  [8, 8],
  [10, 10],
  [11, 10],
  [15, 15],
])('counts an answer found after %d minutes as given after %d', (found, counted) => {
  expect(computeAnsweredAt(deadlineAt, start + found * minuteMs)).toBe(start + counted * minuteMs)
})
