import { expect, it } from 'vitest'
import { alwaysOpen } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { minuteMs } from '../time-units.ts'
import {
  computeCalledAt,
  computeFirstReminderAt,
  computeNextReadAt,
  computeStepAfterReopening,
  decideStep,
  listReminderMinutes,
} from './reminder-steps.ts'

const start = 1_000_000
const promise = { promiseStartAt: start, deadlineAt: start + 10 * minuteMs }
const { deadlineAt } = promise
const repeatAt = start + 999 * minuteMs
const open = { reopened: null, callAgainAt: null, attempts: 0 }

it('reminds after 40% and 80% of the lead’s own promise by default', () => {
  const hour = { promiseStartAt: start, deadlineAt: start + 60 * minuteMs }
  const hours = { ...alwaysOpen, promiseMinutes: 60 }
  const listed = listReminderMinutes(hour, { env: makeSettings(), hours: () => hours })
  expect(computeFirstReminderAt(hour, listed)).toBe(start + 24 * minuteMs)
  const lead = { ...hour, ...open, dueAt: start + 24 * minuteMs }
  expect(decideStep(lead, listed, { now: lead.dueAt, repeatAt })).toEqual({
    reason: 'uncalled-24',
    nextAt: start + 48 * minuteMs,
  })
})

it('skips the reminders that a longer promise allows, but this lead’s promise does not', () => {
  const lead = { ...promise, ...open, dueAt: start + 6 * minuteMs }
  const decided = decideStep(lead, [6, 12], { now: lead.dueAt, repeatAt })
  expect(decided).toEqual({ reason: 'uncalled-6', nextAt: deadlineAt })
})

it('does not repeat a reminder if the clock goes back while the lead is due', () => {
  const lead = { ...promise, ...open, dueAt: deadlineAt }
  const decided = decideStep(lead, [4, 8], { now: deadlineAt - 20_000, repeatAt })
  expect(decided).toEqual({ reason: 'missed', nextAt: null })
})

it('starts over after an Undo with the promise of a new lead, even if the deadline was hours away', () => {
  const reopenedAt = start + 400 * minuteMs
  const reopened = { promiseStartAt: reopenedAt, deadlineAt: reopenedAt + 10 * minuteMs }
  const lead = { promiseStartAt: start, deadlineAt: start + 300 * minuteMs, reopened }
  expect(computeStepAfterReopening(lead, [4, 8], reopenedAt)).toBe(reopenedAt + 4 * minuteMs)
  const due = { ...open, ...lead, dueAt: reopenedAt + 8 * minuteMs }
  expect(decideStep(due, [4, 8], { now: due.dueAt, repeatAt })).toEqual({
    reason: 'uncalled-8',
    nextAt: reopened.deadlineAt,
  })
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
    computeNextReadAt({ promiseStartAt: 0, deadlineAt: 0, reopened: null }, at)
  for (let at = read(0); at !== null; at = read(at)) reads.push(at / minuteMs)
  const countUntil = (minutes: number) => reads.filter((at) => at <= minutes).length
  expect([hour, 24 * hour, 30 * 24 * hour].map(countUntil)).toEqual([12, 12 + 12, 12 + 12 + 4 * 29])
})
