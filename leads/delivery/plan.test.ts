import { expect, it } from 'vitest'
import { makeSettings } from '#testing/settings.ts'
import type { PushDevice } from '../store/push-devices.ts'
import { listReminderChannels, listRinging, planDelivery } from './plan.ts'
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
const person = { suspect: null, serviceType: '' } as const
const device = (changes: Partial<PushDevice> = {}): PushDevice => ({
  ...{ id: '0a1b2c3d-x', sessionId: '', endpoint: '', p256dh: '', auth: '', person: '', name: '' },
  ...{ ringsFrom: 0, quietUntil: 0, emergenciesRing: false, createdAt: 0, goneAt: null },
  ...changes,
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
  const { channels, escalateAt } = planDelivery(settings, [], person, now)
  expect(channels.map(kindOf)).toEqual(['airtable', 'email', 'email', 'webhook', 'sms'])
  expect(escalateAt).toBe(now + 240_000)
  expect(planDelivery(makeSettings(), [], person, now).channels).toEqual(['airtable'])
})

it('a robot’s lead goes to no phone, and nobody is reminded', () => {
  const { channels, escalateAt } = planDelivery(
    settings,
    [device()],
    { ...person, suspect: 'trap' },
    now,
  )
  expect(channels.map(kindOf)).toEqual(['airtable', 'email', 'email', 'webhook'])
  expect(escalateAt).toBeUndefined()
})

it('reminders go to those who are named for them, and to the webhook', () => {
  const kinds = ['webhook', 'escalation-email', 'escalation-email', 'escalation-sms']
  expect(listReminderChannels(settings).map(kindOf)).toEqual(kinds)
})

it('a device rings from its minute on, not while it is quiet, and for emergencies if it may', () => {
  const rings = (changes: Partial<PushDevice>, minutes = 0, isEmergency = false) =>
    listRinging([device(changes)], { minutes, isEmergency, now }).length === 1
  expect(rings({})).toBe(true)
  expect(rings({ ringsFrom: 4 }, 3.9)).toBe(false)
  expect(rings({ ringsFrom: 4 }, 4)).toBe(true)
  expect(rings({ quietUntil: now + 1 })).toBe(false)
  expect(rings({ quietUntil: now })).toBe(true)
  expect(rings({ quietUntil: now + 1, emergenciesRing: true })).toBe(false)
  expect(rings({ quietUntil: now + 1, emergenciesRing: true }, 0, true)).toBe(true)
  expect(rings({ goneAt: 1 }, 9, true)).toBe(false)
})
