import { expect, it } from 'vitest'
import { storedJane, testTime } from '#testing/saved-leads.ts'
import type { Delivery } from '../store/find-leads.ts'
import { dayMs } from '../time-units.ts'
import { describeInFull } from './describe.ts'

const delivery: Delivery = {
  recipient: 'email',
  reason: 'received',
  state: 'sent',
  attempts: 1,
  nextAttemptAt: 0,
  dueAt: testTime,
  settledAt: testTime,
  lastError: null,
  note: null,
  cancelReason: null,
  notBefore: null,
  arrivedAt: null,
  tappedAt: null,
}
const unsent = { state: 'waiting', attempts: 0 } as const
const [sms, push] = ['sms-0a1b2c3d', 'push-0a1b2c3d']

it.each<[string, string, Partial<Delivery>]>([
  ['sent', 'sent at 6:00 AM CST', {}],
  [
    'sent',
    'sent at 6:00 AM CST, waiting for confirmation',
    { recipient: push, settledAt: testTime + 1 },
  ],
  ['sent', 'sent at 6:00 AM CST, not confirmed', { recipient: push }],
  ['sent', 'sent at 6:00 AM CST, waiting for confirmation', { recipient: sms, state: 'asking' }],
  ['sent', 'sent at 6:00 AM CST, not confirmed', { recipient: sms }],
  ['arrived', 'arrived at 6:00 AM CST', { recipient: 'airtable', arrivedAt: testTime }],
  ['arrived', 'arrived at 6:00 AM CST', { recipient: sms, arrivedAt: testTime + 15_000 }],
  ['arrived', 'shown 2.1 sec after the request', { recipient: push, arrivedAt: testTime + 2_100 }],
  [
    ...['arrived', 'shown 2.1 sec after the request, tapped at 6:01 AM CST'],
    { recipient: push, state: 'waiting', arrivedAt: testTime + 2_100, tappedAt: testTime + 60_000 },
  ] as const,
  [
    'arrived',
    'shown at 6:00 AM CST',
    { recipient: push, dueAt: testTime + 1, arrivedAt: testTime + 9 },
  ],
  [
    'arrived',
    'shown at 6:00 AM CST',
    { recipient: push, reason: 'missed', arrivedAt: testTime + 9 },
  ],
  ['sent', 'sent on Nov 14 at 6:00 AM CST', { settledAt: testTime - dayMs }],
  ['failed', 'failed, tried at 6:00 AM CST', { recipient: sms, state: 'failed' }],
  ['failed', 'failed, stopped trying at 6:00 AM CST', { state: 'expired' }],
  ['waiting', 'will be sent in 2 hours', { ...unsent, nextAttemptAt: testTime + 7_260_000 }],
  ['waiting', 'not sent yet', unsent],
  ['waiting', 'second try now', { state: 'waiting' }],
  ['waiting', 'second try in 30 seconds', { state: 'waiting', notBefore: testTime + 90_000 }],
  ['waiting', 'second try in 20 seconds', { state: 'waiting', nextAttemptAt: testTime + 80_000 }],
])('calls a delivery %s: %s', (state, status, changes) => {
  const deliveries = [{ ...delivery, lastError: 'Too busy.', ...changes }]
  const options = {
    now: testTime + 60_000,
    timeZone: 'America/Chicago',
    recipients: new Map(),
    explainsErrors: true,
  }
  const error = state === 'failed' || state === 'waiting' ? 'Too busy.' : null
  expect(
    describeInFull({ ...storedJane, events: [], deliveries }, options).deliveries,
  ).toMatchObject([{ state, status, error }])
})

it('explains an error without codes, variables, or commands', () => {
  const errors = {
    'The mail server rejected the site’s user name or password. Check SMTP_URL (EAUTH 535 at AUTH PLAIN).':
      'The mail server rejected the site’s user name or password.',
    'The mail server rejected the email (EENVELOPE 550 at RCPT TO).':
      'The mail server rejected the email.',
    'Airtable didn’t store Source. Run: npm run leads -- setup-airtable':
      'Airtable didn’t store Source.',
  }
  for (const [error, shown] of Object.entries(errors)) {
    const deliveries = [{ ...delivery, state: 'failed' as const, lastError: error, note: error }]
    const options = { now: testTime, timeZone: 'America/Chicago', recipients: new Map() }
    const describe = (explainsErrors: boolean) =>
      describeInFull({ ...storedJane, events: [], deliveries }, { ...options, explainsErrors })
    expect(describe(true).deliveries).toMatchObject([{ error: shown, note: shown }])
    expect(describe(false).deliveries).toMatchObject([{ error: null, note: null }])
  }
})

it.each([
  ['Airtable', { recipient: 'airtable' }],
  [
    'Push notification to Sam’s phone, reminder after 4 minutes',
    { recipient: push, reason: 'uncalled-4', dueAt: testTime + 240_000 },
  ],
  ['Email, early reminder', { reason: 'uncalled-4' }],
  ['Text message, missed deadline', { recipient: sms, reason: 'missed' }],
  ['Confirmation email, after no answer', { recipient: 'confirmation', reason: 'unreached' }],
  ['pigeon', { recipient: 'pigeon' }],
] as const)('describes a delivery as %s', (what, changes) => {
  const deliveries = [{ ...delivery, ...changes }]
  const recipients = new Map([[push, 'Sam’s phone']])
  const options = { now: testTime, timeZone: 'America/Chicago', recipients }
  const described = describeInFull({ ...storedJane, events: [], deliveries }, options)
  expect(described.deliveries).toMatchObject([{ what }])
})

it.each([
  ['2026-11-18', 'Wording from Nov 18, 2026'],
  ['2026-11-18-2', 'Wording from Nov 18, 2026, version 2'],
  ['autumn', 'Version autumn'],
  [null, null],
])('describes the consent %s as %s', (consent, shown) => {
  const options = { now: testTime, timeZone: 'America/Chicago', recipients: new Map() }
  const lead = { ...storedJane, consent, events: [], deliveries: [] }
  expect(describeInFull(lead, options).consent).toBe(shown)
})
