import { expect, test } from 'vitest'
import { setCompanyTimeZone } from '#leads/clock.ts'
import { noPromise } from '#leads/deadline.ts'
import { newState } from '#leads/history.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { promiseFrom } from '#testing/saved-leads.ts'
import { computeCountdown, countToCall, groupLeads } from './countdown.ts'
import { identify } from './me.ts'

const minuteMs = 60_000
const receivedAt = Date.parse('2026-11-15T12:00:00Z')
const me = identify({ email: 'me@example.com', person: 'Me' })
const myCall = { callerEmail: 'me@example.com', caller: 'Me' }
const noTotals = { toCall: 0, calling: 0, callAgain: 0, waiting: 0, called: 0, suspect: 0 }
const card: LeadCard = {
  id: 'a',
  name: 'Jane Doe',
  firstName: 'Jane',
  phone: { shown: '(555) 123-4567', callUrl: 'tel:5551234567' },
  email: '',
  service: 'Roof Repair',
  isEmergency: false,
  town: 'Springfield',
  receivedAt,
  ...promiseFrom(receivedAt),
  ...newState,
  lastNote: null,
  isSuspect: false,
  isInBurst: false,
  others: [],
  moreOthers: 0,
}
const after = (ms: number, changes: Partial<LeadCard> = {}) => {
  const { mood, text } = computeCountdown({ ...card, ...changes }, receivedAt + ms, me)
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
    'Done: Someone emailed after 3 min',
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
  const inAirtable = { ...called, caller: null, callerEmail: null, calledVia: 'airtable' } as const
  expect(after(0, inAirtable)).toEqual(['done', 'Marked as called in Airtable after 3 min'])
  expect(after(0, { ...called, status: 'done' })).toEqual(['done', 'Done: Sam called after 3 min'])
  expect(after(0, { ...called, status: 'not-a-lead' })).toEqual(['not-a-lead', 'Not a lead'])
  expect(after(0, { ...noPromise, isSuspect: true })).toEqual(['suspect', 'Possible spam'])
})

test('after no answer, shows when to call again', () => {
  setCompanyTimeZone('America/Chicago')
  const callAgainAt = receivedAt + 33 * minuteMs
  const again = { status: 'call-again', attempts: 2, callAgainAt } as const
  const read = (minutes: number) =>
    after(minutes * minuteMs, again).map((text) => text.replace(/\s/g, ' '))
  expect(read(4)).toEqual(['waiting', 'No answer (2 tries). Call again at 6:33 AM.'])
  expect(read(33)).toEqual(['soon', 'No answer (2 tries). Call again now.'])
  const monday = { ...again, callAgainAt: receivedAt + 25 * 60 * minuteMs }
  expect(after(0, monday)[1]?.replace(/\s/g, ' ')).toContain('Call again tomorrow at 7:00 AM.')
  const today = { leads: [{ ...card, ...again }], totals: { ...noTotals, callAgain: 1 } }
  expect(countToCall(today, callAgainAt - 1)).toBe(0)
  expect(countToCall(today, callAgainAt)).toBe(1)
})

test('a burst from one network is a separate group until someone calls', () => {
  const night = promiseFrom(receivedAt + 60 * minuteMs)
  const burst = [
    { ...card, isInBurst: true },
    { ...card, ...night, isInBurst: true },
  ]
  const groups = groupLeads([...burst, card], receivedAt, me)
  expect(groups).toMatchObject({ toCall: [card], waiting: [], burst, suspect: [] })
  const called = { ...card, isInBurst: true, status: 'done' as const }
  expect(groupLeads([called], receivedAt, me)).toMatchObject({ burst: [], called: [called] })
})

test('a lead that is due after we open has no countdown until then', () => {
  setCompanyTimeZone('America/Chicago')
  const hourMs = 60 * minuteMs
  const night = promiseFrom(receivedAt + hourMs)
  expect(after(0, night).map((text) => text.replace(/\s/g, ' '))).toEqual([
    'waiting',
    'Call by 7:10 AM',
  ])
  expect(after(hourMs, night)).toEqual(['calm', '10 min left'])
  const { shareLeft } = computeCountdown(
    { ...card, ...night },
    receivedAt + hourMs + 5 * minuteMs,
    me,
  )
  expect(shareLeft).toBe(0.5)
  const calledAt = receivedAt + hourMs + 2 * minuteMs
  const called = { status: 'done', calledAt, caller: 'Sam' } as const
  expect(after(0, { ...night, ...called })[1]).toBe('Done: Sam called after 2 min')

  const leads = [card, { ...card, ...night, id: 'b' }]
  const listIds = (at: number) => {
    const { toCall, waiting } = groupLeads(leads, at, me)
    return [toCall.map(({ id }) => id), waiting.map(({ id }) => id)]
  }
  expect(listIds(receivedAt)).toEqual([['a'], ['b']])
  expect(listIds(receivedAt + hourMs)).toEqual([['a', 'b'], []])
})
