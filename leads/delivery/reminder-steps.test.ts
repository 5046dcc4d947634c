import { expect, it } from 'vitest'
import {
  computeAnsweredAt,
  computeFirstReminderAt,
  computeNextReadAt,
  decideReminder,
} from './reminder-steps.ts'

const minuteMs = 60_000
const start = 1_000_000
const deadlineAt = start + 10 * minuteMs

it('sends the first reminder at the earliest step, or at the deadline if there are none', () => {
  expect(computeFirstReminderAt(deadlineAt, [4, 8])).toBe(start + 4 * minuteMs)
  expect(computeFirstReminderAt(deadlineAt, [])).toBe(deadlineAt)
})

it.each([
  [0.5, 'unanswered-4', 8],
  [4, 'unanswered-4', 8],
  [7.9, 'unanswered-4', 8],
  [8, 'unanswered-8', 10],
  [10, 'missed', null],
])('after %d minutes, sends %s and then waits until minute %s', (minutes, reason, next) => {
  const now = start + minutes * minuteMs
  const lead = { deadlineAt, reopenedAt: null, escalateAt: now }
  const nextAt = next && start + next * minuteMs
  expect(decideReminder(lead, [4, 8], now)).toEqual({ reason, nextAt })
})

it.each([
  [8, 8],
  [10, 10],
  [11, 10],
  [15, 15],
])('counts an answer found after %d minutes as given after %d', (found, counted) => {
  expect(computeAnsweredAt(deadlineAt, start + found * minuteMs)).toBe(start + counted * minuteMs)
})

it('checks Airtable every 5 minutes for an hour, every 2 hours for a day, and every 6 hours for 30 days', () => {
  const hour = 60
  const reads: number[] = []
  const read = (at: number) => computeNextReadAt({ deadlineAt: 0, reopenedAt: null }, at)
  for (let at = read(0); at !== null; at = read(at)) reads.push(at / minuteMs)
  const countUntil = (minutes: number) => reads.filter((at) => at <= minutes).length
  expect([hour, 24 * hour, 30 * 24 * hour].map(countUntil)).toEqual([12, 12 + 12, 12 + 12 + 4 * 29])
})
