import { expect, it } from 'vitest'
import { storedJane, testTime } from '#testing/saved-leads.ts'
import type { Delivery } from '../store/reading.ts'
import { describeInFull } from './describe.ts'

const delivery: Delivery = {
  channel: 'email',
  reason: 'received',
  state: 'sent',
  attempts: 1,
  nextAttemptAt: 0,
  dueAt: testTime,
  settledAt: testTime,
  lastError: null,
  note: null,
  cancelReason: null,
  heldUntil: null,
  checkAt: null,
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
    { channel: push, settledAt: testTime + 1 },
  ],
  ['sent', 'sent at 6:00 AM CST, not confirmed', { channel: push }],
  [
    'sent',
    'sent at 6:00 AM CST, waiting for confirmation',
    { channel: sms, checkAt: testTime + 300_000 },
  ],
  ['sent', 'sent at 6:00 AM CST, not confirmed', { channel: sms }],
  ['arrived', 'arrived at 6:00 AM CST', { channel: 'airtable', arrivedAt: testTime }],
  ['arrived', 'arrived at 6:00 AM CST', { channel: sms, arrivedAt: testTime + 15_000 }],
  ['arrived', 'shown 2.1 sec after the request', { channel: push, arrivedAt: testTime + 2_100 }],
  [
    ...['arrived', 'shown 2.1 sec after the request, tapped at 6:01 AM CST'],
    { channel: push, state: 'waiting', arrivedAt: testTime + 2_100, tappedAt: testTime + 60_000 },
  ] as const,
  [
    'arrived',
    'shown at 6:00 AM CST',
    { channel: push, dueAt: testTime + 1, arrivedAt: testTime + 9 },
  ],
  ['arrived', 'shown at 6:00 AM CST', { channel: push, reason: 'missed', arrivedAt: testTime + 9 }],
  ['sent', 'sent on Nov 14 at 6:00 AM CST', { settledAt: testTime - 24 * 3_600_000 }],
  ['failed', 'failed, tried at 6:00 AM CST', { channel: sms, state: 'failed' }],
  ['failed', 'failed, stopped trying at 6:00 AM CST', { state: 'expired' }],
  ['waiting', 'will be sent in 2 hours', { ...unsent, nextAttemptAt: testTime + 7_260_000 }],
  ['waiting', 'not sent yet', unsent],
  ['waiting', 'second try now', { state: 'waiting' }],
  ['waiting', 'second try in 30 seconds', { state: 'waiting', heldUntil: testTime + 90_000 }],
  ['waiting', 'second try in 20 seconds', { state: 'waiting', nextAttemptAt: testTime + 80_000 }],
])('calls a delivery %s: %s', (state, status, changes) => {
  const deliveries = [{ ...delivery, lastError: 'Too busy.', ...changes }]
  const options = { now: testTime + 60_000, timeZone: 'America/Chicago', recipients: new Map() }
  const error = state === 'failed' || state === 'waiting' ? 'Too busy.' : null
  expect(
    describeInFull({ ...storedJane, events: [], deliveries }, options).deliveries,
  ).toMatchObject([{ state, status, error }])
})

it('explains an error without codes, variables, or commands', () => {
  const errors = {
    'The mail server rejected the user name or password. Check SMTP_URL (EAUTH 535 at AUTH PLAIN).':
      'The mail server rejected the user name or password.',
    'The mail server rejected the email (EENVELOPE 550 at RCPT TO).':
      'The mail server rejected the email.',
    'Airtable didn’t store Source. Run: npm run leads -- setup-airtable':
      'Airtable didn’t store Source.',
  }
  for (const [error, shown] of Object.entries(errors)) {
    const deliveries = [{ ...delivery, state: 'failed' as const, lastError: error, note: error }]
    const options = { now: testTime, timeZone: 'America/Chicago', recipients: new Map() }
    const described = describeInFull({ ...storedJane, events: [], deliveries }, options)
    expect(described.deliveries).toMatchObject([{ error: shown, note: shown }])
  }
})

it.each([
  ['Airtable', { channel: 'airtable' }],
  [
    'Push notification to Sam’s phone, reminder after 4 minutes',
    { channel: push, reason: 'uncalled-4', dueAt: testTime + 240_000 },
  ],
  ['Email, early reminder', { reason: 'uncalled-4' }],
  ['Text message, missed deadline', { channel: sms, reason: 'missed' }],
  ['Confirmation email, after no answer', { channel: 'confirmation', reason: 'unreached' }],
  ['pigeon', { channel: 'pigeon' }],
] as const)('describes a delivery as %s', (what, changes) => {
  const deliveries = [{ ...delivery, ...changes }]
  const recipients = new Map([[push, 'Sam’s phone']])
  const options = { now: testTime, timeZone: 'America/Chicago', recipients }
  const described = describeInFull({ ...storedJane, events: [], deliveries }, options)
  expect(described.deliveries).toMatchObject([{ what }])
})
