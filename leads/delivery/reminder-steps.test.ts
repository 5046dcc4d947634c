import { expect, it } from 'vitest'
import { computeAnsweredAt, computeFirstReminderAt, decideReminder } from './reminder-steps.ts'

const minuteMs = 60_000
const start = 1_000_000

it.each([
  [3.9, undefined, 4],
  [4, 'unanswered-4', 8],
  [9, 'unanswered-8', 10],
  [10, 'missed', null],
  // After an outage staff hear what is true now, and nothing else.
  [600, 'missed', null],
])('after %d minutes the step is %s', (minutes, occasion, next) => {
  const nextAt = next === null ? null : start + next * minuteMs
  const now = start + minutes * minuteMs
  expect(decideReminder(start, [4, 8], now)).toEqual({ occasion, nextAt })
})

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
