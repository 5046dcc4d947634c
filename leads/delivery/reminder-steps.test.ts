import { expect, it } from 'vitest'
import {
  computeCalledAt,
  computeFirstReminderAt,
  computeNextReadAt,
  computeReminderAfterReopening,
  decideReminder,
} from './reminder-steps.ts'

const minuteMs = 60_000
const start = 1_000_000
const promise = { promiseStartAt: start, deadlineAt: start + 10 * minuteMs }
const { deadlineAt } = promise

it('sends the first reminder at the earliest step, or at the deadline if there are none', () => {
  expect(computeFirstReminderAt(promise, [4, 8])).toBe(start + 4 * minuteMs)
  expect(computeFirstReminderAt(promise, [])).toBe(deadlineAt)
})

it('reminds after 40% and 80% of the lead’s own promise by default', () => {
  const hour = { promiseStartAt: start, deadlineAt: start + 60 * minuteMs }
  expect(computeFirstReminderAt(hour, undefined)).toBe(start + 24 * minuteMs)
  const lead = { ...hour, reopenedAt: null, escalateAt: start + 24 * minuteMs }
  expect(decideReminder(lead, undefined, lead.escalateAt)).toEqual({
    reason: 'uncalled-24',
    nextAt: start + 48 * minuteMs,
  })
})

it('skips the reminders that a longer promise allows, but this lead’s promise does not', () => {
  const lead = { ...promise, reopenedAt: null, escalateAt: start + 6 * minuteMs }
  const decided = decideReminder(lead, [6, 12], lead.escalateAt)
  expect(decided).toEqual({ reason: 'uncalled-6', nextAt: deadlineAt })
})

it('gives a reopened lead as much time as it had', () => {
  const promise = { promiseStartAt: start, deadlineAt: start + 15 * minuteMs }
  const reopenedAt = start + 20 * minuteMs
  expect(computeReminderAfterReopening(promise, [], reopenedAt)).toBe(start + 35 * minuteMs)
})

it.each([
  [0.5, 'uncalled-4', 8],
  [4, 'uncalled-4', 8],
  [7.9, 'uncalled-4', 8],
  [8, 'uncalled-8', 10],
  [10, 'missed', null],
])('after %d minutes, sends %s and then waits until minute %s', (minutes, reason, next) => {
  const now = start + minutes * minuteMs
  const lead = { ...promise, reopenedAt: null, escalateAt: now }
  const nextAt = next && start + next * minuteMs
  expect(decideReminder(lead, [4, 8], now)).toEqual({ reason, nextAt })
})

it.each([
  [8, 8],
  [10, 10],
  [11, 10],
  [15, 15],
])('counts a call found after %d minutes as made after %d', (found, counted) => {
  expect(computeCalledAt(deadlineAt, start + found * minuteMs)).toBe(start + counted * minuteMs)
})

it('checks Airtable every 5 minutes for an hour, every 2 hours for a day, and every 6 hours for 30 days', () => {
  const hour = 60
  const reads: number[] = []
  const read = (at: number) =>
    computeNextReadAt({ promiseStartAt: 0, deadlineAt: 0, reopenedAt: null }, at)
  for (let at = read(0); at !== null; at = read(at)) reads.push(at / minuteMs)
  const countUntil = (minutes: number) => reads.filter((at) => at <= minutes).length
  expect([hour, 24 * hour, 30 * 24 * hour].map(countUntil)).toEqual([12, 12 + 12, 12 + 12 + 4 * 29])
})
