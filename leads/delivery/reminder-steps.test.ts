import { expect, it } from 'vitest'
import {
  computeCalledAt,
  computeFirstReminderAt,
  computeNextReadAt,
  decideReminder,
} from './reminder-steps.ts'

const minuteMs = 60_000
const start = 1_000_000
const promise = { promiseStartAt: start, deadlineAt: start + 10 * minuteMs }
const { deadlineAt } = promise

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

it('does not repeat a reminder if the clock goes back while the lead is due', () => {
  const lead = { ...promise, reopenedAt: null, escalateAt: deadlineAt }
  const decided = decideReminder(lead, undefined, deadlineAt - 20_000)
  expect(decided).toEqual({ reason: 'missed', nextAt: null })
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
