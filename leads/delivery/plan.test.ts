import { expect, it } from 'vitest'
import { makeSettings } from '#testing/settings.ts'
import { listReminderChannels, planDelivery } from './plan.ts'
import { kindOf, listReceivers } from './receivers.ts'

const now = 1_000_000
const settings = makeSettings({
  SMTP_URL: 'smtp://mail.example',
  ALERT_EMAIL_FROM: 'a@example.com',
  ALERT_EMAIL_TO: 'b@example.com,c@example.com',
  ALERT_WEBHOOK_URL: 'https://hook.example',
  TWILIO_ACCOUNT_SID: 'AC1',
  TWILIO_AUTH_TOKEN: 't',
  TWILIO_FROM: '+15550001111',
  ALERT_SMS_TO: '+15550002222',
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
