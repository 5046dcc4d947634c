import { expect, test } from 'vitest'
import type { LeadCard } from '#leads/reports/describe.ts'
import { computeCountdown } from './countdown.ts'

const minuteMs = 60_000
const receivedAt = Date.parse('2026-11-15T12:00:00Z')
const card: LeadCard = {
  id: 'a',
  name: 'Jane Doe',
  phone: { shown: '(555) 123-4567', callUrl: 'tel:5551234567' },
  service: 'Roof Repair',
  isEmergency: false,
  town: 'Springfield',
  receivedAt,
  deadlineAt: receivedAt + 10 * minuteMs,
  answeredAt: null,
  answeredBy: null,
  answeredName: null,
  outcome: null,
  isSuspect: false,
}
const after = (ms: number, changes: Partial<LeadCard> = {}) => {
  const { mood, text } = computeCountdown({ ...card, ...changes }, receivedAt + ms)
  return [mood, text.replaceAll('\u00a0', ' ')]
}

test('a lead goes from calm to late', () => {
  expect(after(0)).toEqual(['calm', '10 min left'])
  expect(after(3.5 * minuteMs)).toEqual(['calm', '6 min left'])
  expect(after(4 * minuteMs)).toEqual(['soon', '6 min left'])
  expect(after(8 * minuteMs)).toEqual(['urgent', 'Call now: 2:00'])
  expect(after(10 * minuteMs - 1)).toEqual(['urgent', 'Call now: 0:01'])
  expect(after(12 * minuteMs)).toEqual(['late', '2 min late'])
  // The phone's clock may be behind.
  expect(after(-5_000)).toEqual(['calm', '10 min left'])
})

test('an answered lead shows who answered and when; a closed lead shows its outcome', () => {
  const answered = { answeredAt: receivedAt + 3 * minuteMs, answeredName: 'Sam' }
  expect(after(0, answered)).toEqual(['answered', 'Sam, after 3 min'])
  expect(after(0, { ...answered, answeredName: null, answeredBy: 'airtable' })).toEqual([
    'answered',
    'Someone in Airtable, after 3 min',
  ])
  expect(after(0, { ...answered, outcome: 'done' })).toEqual(['done', 'Done: Sam, after 3 min'])
  const notALead = { ...answered, outcome: 'not-a-lead' } as const
  expect(after(0, notALead)).toEqual(['not-a-lead', 'Not a lead'])
  expect(after(0, { ...notALead, answeredBy: 'outcome' })).toEqual([
    'not-a-lead',
    'Not a lead, marked by Sam',
  ])
  expect(after(0, { deadlineAt: null, isSuspect: true })).toEqual(['suspect', 'Possible spam'])
})
