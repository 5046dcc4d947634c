import { expect, test } from 'vitest'
import { noPromise } from '#leads/deadline.ts'
import { newState } from '#leads/lead-state.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { hourMs, minuteMs } from '#leads/time-units.ts'
import { promiseFrom } from '#testing/saved-leads.ts'
import { computeCountdown } from './countdown.ts'

const receivedAt = Date.parse('2026-11-15T12:00:00Z')
const me = 'me@example.com'
const timeZone = 'America/Chicago'
const myCall = { callerEmail: me, caller: 'Me' }
const card: LeadCard = {
  id: 'a',
  name: 'Jane Doe',
  firstName: 'Jane',
  phone: { shown: '(555) 123-4567', callUrl: 'tel:5551234567' },
  email: '',
  service: 'Roof Repair',
  isEmergency: false,
  address: '123 Main St, Springfield, IL 62701',
  town: 'Springfield',
  receivedAt,
  ...promiseFrom(receivedAt),
  ...newState,
  lastNote: null,
  isSuspect: false,
}
const after = (ms: number, changes: Partial<LeadCard> = {}) => {
  const { mood, text } = computeCountdown(
    { ...card, ...changes },
    { now: receivedAt + ms, timeZone },
    me,
  )
  return [mood, text.replaceAll('\u00a0', ' ')]
}

test('a lead goes from calm to late', () => {
  expect(after(0)).toEqual(['calm', '10 min left'])
  expect(after(3.5 * minuteMs)).toEqual(['calm', '6 min left'])
  expect(after(4 * minuteMs)).toEqual(['soon', '6 min left'])
  expect(after(8 * minuteMs)).toEqual(['urgent', 'Call now: 2:00 left'])
  expect(after(10 * minuteMs - 1)).toEqual(['urgent', 'Call now: 0:01 left'])
  expect(after(12 * minuteMs)).toEqual(['late', '2 min late'])
  // The phone's clock may be behind.
  expect(after(-5_000)).toEqual(['calm', '10 min left'])
})

test('an emergency is in the alarm color at any time left, and until it needs no call and no result', () => {
  const emergency = { isEmergency: true }
  expect(after(0, emergency)).toEqual(['urgent', 'Call now: 10:00 left'])
  expect(after(12 * minuteMs, emergency)).toEqual(['late', '2 min late'])
  const opensAt = receivedAt + 2 * hourMs
  const whenOpen = { ...emergency, promiseStartAt: opensAt, deadlineAt: opensAt + 10 * minuteMs }
  expect(after(minuteMs, whenOpen)).toEqual(['urgent', 'Call by 8:10 AM'])
  const again = { status: 'call-again', attempts: 1, callAgainAt: receivedAt + hourMs } as const
  expect(after(minuteMs, { ...emergency, ...again })[0]).toBe('urgent')
  expect(after(2 * hourMs, { ...emergency, ...again })[0]).toBe('urgent')
  const calling = { status: 'calling', changedAt: receivedAt, caller: 'Sam' } as const
  expect(after(minuteMs, { ...emergency, ...calling })).toEqual(['urgent', 'Sam is calling'])
})

test('a homeowner without a phone number gets an email instead of a call', () => {
  const byEmail = (ms: number, changes: Partial<LeadCard> = {}) =>
    after(ms, { ...changes, phone: null })[1]
  const calledAt = receivedAt + 3 * minuteMs
  const calling = { status: 'calling', calledAt, changedAt: calledAt } as const
  const again = { status: 'call-again', attempts: 1, callAgainAt: receivedAt } as const
  expect(byEmail(8 * minuteMs)).toBe('Email now: 2:00 left')
  expect(byEmail(4 * minuteMs, { ...calling, ...myCall })).toBe('You’re emailing')
  expect(byEmail(4 * minuteMs, calling)).toBe('Someone is emailing')
  expect(byEmail(90 * minuteMs, calling)).toBe('Someone started emailing 1 hr ago')
  expect(byEmail(5 * minuteMs, { ...calling, status: 'done' })).toBe(
    'Done: first email after 3 min',
  )
  expect(byEmail(5 * minuteMs, again)).toBe('No answer (1 try). Email again now.')
  const night = promiseFrom(receivedAt + 60 * minuteMs)
  expect(byEmail(0, night)).toMatch(/^Email by /)
})

test('a called lead shows who called and when; a closed lead shows its outcome', () => {
  const called = {
    status: 'calling',
    calledAt: receivedAt + 3 * minuteMs,
    changedAt: receivedAt + 3 * minuteMs,
    caller: 'Sam',
    callerEmail: 'sam@example.com',
  } as const
  expect(after(4 * minuteMs, called)).toEqual(['calling', 'Sam is calling'])
  expect(after(4 * minuteMs, { ...called, ...myCall })).toEqual(['calling', 'You’re calling'])
  expect(after(183 * minuteMs, called)[1]).toBe('Sam started calling 3 hr ago')
  const inAirtable = { ...called, status: 'airtable', caller: null, calledVia: 'airtable' } as const
  expect(after(0, inAirtable)).toEqual(['done', 'Status set in Airtable after 3 min'])
  // The person who called last may not be the one who called first.
  expect(after(0, { ...called, status: 'done' })).toEqual(['done', 'Done: first call after 3 min'])
  expect(after(0, { ...called, status: 'not-a-lead' })).toEqual(['dropped', 'Not a lead'])
  expect(after(0, { ...called, status: 'won' })[0]).toBe('done')
  expect(after(0, { ...called, status: 'lost' })[0]).toBe('dropped')
  expect(after(0, { ...noPromise, isSuspect: true })).toEqual(['suspect', 'Possible spam'])
})

test('after no answer, shows when to call again', () => {
  const callAgainAt = receivedAt + 33 * minuteMs
  const again = { status: 'call-again', attempts: 2, callAgainAt } as const
  const read = (minutes: number) =>
    after(minutes * minuteMs, again).map((text) => text.replace(/\s/g, ' '))
  expect(read(4)).toEqual(['waiting', 'No answer (2 tries). Call again at 6:33 AM.'])
  expect(read(33)).toEqual(['soon', 'No answer (2 tries). Call again now.'])
  const monday = { ...again, callAgainAt: receivedAt + 25 * 60 * minuteMs }
  expect(after(0, monday)[1]?.replace(/\s/g, ' ')).toContain('Call again tomorrow at 7:00 AM.')
})

test('a call without a result shows who called', () => {
  const noResult = { status: 'no-result', attempts: 1, callAgainAt: receivedAt } as const
  expect(after(0, noResult)).toEqual([
    'soon',
    'Someone called but didn’t enter a result. Call again now.',
  ])
  expect(after(0, { ...noResult, ...myCall })[1]).toMatch(/^Me called but/)
})

test('a lead that is due after we open has no countdown until then', () => {
  const night = promiseFrom(receivedAt + hourMs)
  expect(after(0, night).map((text) => text.replace(/\s/g, ' '))).toEqual([
    'waiting',
    'Call by 7:10 AM',
  ])
  expect(after(hourMs, night)).toEqual(['calm', '10 min left'])
  const { shareLeft } = computeCountdown(
    { ...card, ...night },
    { now: receivedAt + hourMs + 5 * minuteMs, timeZone },
    me,
  )
  expect(shareLeft).toBe(0.5)
  const calledAt = receivedAt + hourMs + 2 * minuteMs
  const called = { status: 'done', calledAt, caller: 'Sam' } as const
  expect(after(0, { ...night, ...called })[1]).toBe('Done: first call after 2 min')
})
