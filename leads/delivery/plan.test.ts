import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { makeSettings } from '#testing/settings.ts'
import { listReminderChannels, planDelivery } from './plan.ts'
import { kindOf, listReceivers } from './receivers.ts'
import { listWarnings } from './warnings.ts'

const now = 1_000_000
const mail = { SMTP_URL: 'smtp://mail.example', ALERT_EMAIL_FROM: 'a@example.com' }
const settings = makeSettings({
  ...mail,
  ALERT_EMAIL_TO: 'b@example.com,c@example.com',
  ALERT_WEBHOOK_URL: 'https://hook.example',
  TWILIO_ACCOUNT_SID: 'AC1',
  TWILIO_AUTH_TOKEN: 't',
  TWILIO_FROM: '+15550001111',
  ALERT_SMS_TO: '+15550002222',
})
const nameMailboxes = (to: string) =>
  listReceivers(makeSettings({ ...mail, ALERT_EMAIL_TO: to }))
    .filter(({ kind }) => kind === 'email')
    .map(({ name }) => name)

it('a channel is named by its receiver, once, wherever it is in the list', () => {
  const [one, two] = nameMailboxes('one@example.com,two@example.com')
  expect(one).toMatch(/^email-[0-9a-f]{8}$/)
  expect(nameMailboxes('Two@Example.com,one@example.com,ONE@example.com')).toEqual([two, one])
})

it('without its receiver a channel tells nobody whom it reaches', () => {
  const kinds = ['email', 'email', 'webhook', 'sms', 'escalation-email', 'escalation-email']
  expect(listReceivers(settings).map(({ name }) => kindOf(name))).toEqual([
    ...kinds,
    'escalation-sms',
  ])
  for (const channel of ['airtable', 'email-2']) expect(kindOf(channel)).toBe(channel)
})

it('a lead goes to every channel that is set up, and to Airtable in any case', () => {
  const { channels, escalateAt } = planDelivery(settings, { suspect: null }, now)
  expect(channels.map(kindOf)).toEqual(['airtable', 'email', 'email', 'webhook', 'sms'])
  expect(escalateAt).toBe(now + 240_000)
  expect(planDelivery(makeSettings(), { suspect: null }, now).channels).toEqual(['airtable'])
})

it('a robot’s lead goes to no phone, and nobody is reminded', () => {
  const { channels, escalateAt } = planDelivery(settings, { suspect: 'trap' }, now)
  expect(channels.map(kindOf)).toEqual(['airtable', 'email', 'email', 'webhook'])
  expect(escalateAt).toBeUndefined()
})

it('reminders go to those who are named for them, and to the webhook', () => {
  const kinds = ['webhook', 'escalation-email', 'escalation-email', 'escalation-sms']
  expect(listReminderChannels(settings).map(kindOf)).toEqual(kinds)
})

it('what waits for channels that are no longer set up is said by kind, not by receiver', async () => {
  const backlog = [
    { channel: 'airtable', waiting: 3, oldestAt: now },
    { channel: 'email-0a1b2c3d', waiting: 2, oldestAt: now },
    { channel: 'email-4e5f6a7b', waiting: 1, oldestAt: now },
    { channel: 'webhook', waiting: 1, oldestAt: now },
  ]
  const db = await openTestDatabase('sqlite')
  expect(await listWarnings(makeSettings(), db, backlog, now)).toEqual([
    '4 alerts wait for a receiver who is gone (email, webhook). npm run leads tells which, and how to drop them.',
  ])
})
