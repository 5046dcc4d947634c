import { expect, it } from 'vitest'
import { storedJane, testTime } from '#testing/saved-leads.ts'
import type { Delivery, LeadRecord } from '../store/find-leads.ts'
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
const describe = (
  lead: Partial<LeadRecord>,
  changes: Partial<Parameters<typeof describeInFull>[1]> = {},
) => {
  const options = { now: testTime, timeZone: 'America/Chicago', recipients: new Map(), ...changes }
  return describeInFull({ ...storedJane, events: [], deliveries: [], ...lead }, options)
}

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
  const described = describe({ deliveries }, { now: testTime + 60_000, explainsErrors: true })
  const error = state === 'failed' || state === 'waiting' ? 'Too busy.' : null
  expect(described.deliveries).toMatchObject([{ state, status, error }])
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
    for (const explainsErrors of [true, false]) {
      const text = explainsErrors ? shown : null
      const described = describe({ deliveries }, { explainsErrors })
      expect(described.deliveries).toMatchObject([{ error: text, note: text }])
    }
  }
})

it.each([
  ['Airtable', { recipient: 'airtable' }],
  ['Airtable, corrected phone number', { recipient: 'airtable', reason: 'corrected-phone' }],
  [
    'Push notification to Sam’s phone, reminder after 4 minutes',
    { recipient: push, reason: 'uncalled-4', dueAt: testTime + 240_000 },
  ],
  ['Email, early reminder', { reason: 'uncalled-4' }],
  ['Text message, missed deadline', { recipient: sms, reason: 'missed' }],
  ['Email to the homeowner, after no answer', { recipient: 'confirmation', reason: 'unreached' }],
  ['pigeon', { recipient: 'pigeon' }],
] as const)('describes a delivery as %s', (what, changes) => {
  const deliveries = [{ ...delivery, ...changes }]
  const recipients = new Map([[push, 'Sam’s phone']])
  expect(describe({ deliveries }, { recipients }).deliveries).toMatchObject([{ what }])
})

it.each([
  ['2026-11-18', 'Wording from Nov 18, 2026'],
  ['2026-11-18-2', 'Wording from Nov 18, 2026, version 2'],
  ['autumn', 'Version autumn'],
  [null, null],
])('describes the consent %s as %s', (consent, shown) => {
  expect(describe({ consent }).consent).toBe(shown)
})
