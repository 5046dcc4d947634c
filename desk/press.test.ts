import { expect, test } from 'vitest'
import { describeInFull } from '#leads/reports/describe.ts'
import { type LeadStatus, statuses } from '#leads/statuses.ts'
import { hourMs } from '#leads/time-units.ts'
import { storedJane, testTime } from '#testing/saved-leads.ts'
import { describePress } from './press.ts'

const me = 'me@example.com'
const clock = { now: testTime, timeZone: 'America/Chicago' }

function describeLead(status: LeadStatus, changes: Partial<typeof storedJane> = {}) {
  const callAgainAt = statuses[status].needs === 'next-call' ? testTime - hourMs : null
  const lead = { ...storedJane, status, callAgainAt, callerEmail: me, ...changes }
  const details = { events: [], deliveries: [] }
  return describeInFull({ ...lead, ...details }, { ...clock, recipients: new Map() })
}

/** Returns the notice shown after Undo restores this status. */
const undoTo = (...lead: Parameters<typeof describeLead>): string =>
  describePress('undone', describeLead(...lead), { ...clock, undone: 'won', me })

const sentences: Record<LeadStatus, string> = {
  open: 'Nobody has called yet.',
  calling: 'The crew can see that you’re calling.',
  'call-again': 'The homeowner didn’t answer. Call again now.',
  agreed: 'We agreed to another call. Call again now.',
  'no-result': 'The earlier call still has no result. Call again now.',
  airtable: 'The status set in Airtable applies again.',
  done: 'The lead is marked as done again.',
  appointment: 'The lead has an appointment, as before.',
  won: 'The lead is marked as won, as before.',
  lost: 'The lead is marked as lost, as before.',
  'never-reached': 'The lead is marked “Never reached” again.',
  'not-a-lead': 'The lead is marked “Not a lead” again.',
}

test.each(Object.entries(sentences))('after Undo, describes %s in a sentence', (status, text) => {
  expect(undoTo(status as LeadStatus)).toBe(`Undid “Won.” ${text}`)
})

test('after Undo, names the colleague who is calling, and emails a homeowner without a number', () => {
  const colleague = { callerEmail: 'sam@example.com', caller: 'Sam' }
  expect(undoTo('calling', colleague)).toBe('Undid “Won.” Sam is calling.')
  expect(undoTo('calling', { ...colleague, caller: null })).toBe('Undid “Won.” Someone is calling.')
  expect(undoTo('agreed', { phone: '' })).toBe(
    'Undid “Won.” We agreed to another email. Email again now.',
  )
})

test('after “No answer”, says when the homeowner gets an email', () => {
  const after = { ...describeLead('call-again'), emailAt: testTime + 30_000 }
  expect(describePress('no-answer', after, { ...clock, undone: undefined, me })).toMatch(
    /\. We’ll email them in 30 seconds, unless you press Undo\.$/,
  )
})
