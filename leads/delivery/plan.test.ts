import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { createTestContext } from '#testing/delivery.ts'
import { alwaysOpen, dayHours, jane, promiseFrom, savePhone } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { findChannel } from '../channels/channels.ts'
import { noPromise } from '../deadline.ts'
import type { DeliveryReason } from '../delivery-reason.ts'
import { planDelivery, planRecipients } from './plan.ts'

const readKind = (name: string) => findChannel(name)?.kind

const variables = {
  SMTP_URL: 'smtp://mail.example',
  ALERT_EMAIL_FROM: 'a@example.com',
  ALERT_EMAIL_TO: 'b@example.com,c@example.com,B@example.com',
  ESCALATION_EMAIL_TO: 'boss@example.com,C@example.com',
  ALERT_WEBHOOK_URL: 'https://hook.example',
  TWILIO_ACCOUNT_SID: 'AC1',
  TWILIO_AUTH_TOKEN: 't',
  TWILIO_FROM: '+15550001111',
  ALERT_SMS_TO: '+15550002222',
}

async function open(given: Record<string, string> = variables, hours = alwaysOpen) {
  const db = await openTestDatabase('sqlite')
  const { context, clock } = createTestContext(db, makeSettings(given), { hours })
  const lead = { ...jane, ...promiseFrom(clock.at) }
  return { db, context, clock, lead }
}

it('plans a delivery to every configured channel, and always to Airtable', async () => {
  const { context, clock, lead } = await open()
  const { recipients, stepAt } = await planDelivery(context, lead)
  expect(recipients.map(readKind)).toEqual(['airtable', 'email', 'email', 'sms', 'webhook'])
  expect(stepAt).toBe(clock.at + 240_000)
  const empty = await open({})
  expect((await planDelivery(empty.context, lead)).recipients).toEqual(['airtable'])
})

it('plans either an alert or a step when we open, also if we open while it plans', async () => {
  const { context, clock, lead } = await open()
  const promised = { ...lead, promiseStartAt: clock.at, deadlineAt: clock.at + 600_000 }
  let at = clock.at - 1
  const { recipients, stepAt } = await planDelivery({ ...context, now: () => at++ }, promised)
  expect(recipients.map(readKind)).not.toContain('sms')
  expect(stepAt).toBe(promised.promiseStartAt)
})

it('sends no texts, push notifications, or reminders for suspected spam', async () => {
  const { db, context, lead } = await open()
  await savePhone(db)
  const suspect = { ...lead, ...noPromise }
  const { recipients, stepAt } = await planDelivery(context, suspect)
  expect(recipients.map(readKind)).toEqual(['airtable', 'email', 'email', 'webhook'])
  expect(stepAt).toBeUndefined()
})

it('sends reminders to the escalation recipients and the webhook', async () => {
  const { context, lead } = await open()
  const plan = (reason: DeliveryReason) => planRecipients(context, { lead, reason })
  const reminded = await plan('uncalled-4')
  expect(reminded.map(readKind)).toEqual(['email', 'email', 'sms', 'webhook'])
  expect(await plan('missed')).toEqual(reminded)
  // c@example.com gets both alerts and reminders.
  const received = new Set(await plan('received'))
  expect(reminded.filter((name) => received.has(name)).map(readKind)).toEqual([
    'email',
    'sms',
    'webhook',
  ])
})

it('notifies phones outside their hours only if no other phone is notified', async () => {
  const texts = { ...variables, ESCALATION_SMS_TO: '' }
  for (const [given, others, isNotified] of [
    [{}, [], true],
    [{}, ['off'], true],
    [{}, ['always'], false],
    [texts, [], false],
  ] as const) {
    const { db, context, lead } = await open(given, dayHours)
    await savePhone(db, { id: 'by-day', sessionId: 'by-day', schedule: 'business-hours' })
    for (const schedule of others)
      await savePhone(db, { id: schedule, sessionId: schedule, schedule })
    for (const reason of ['received', 'uncalled-4', 'missed', 'again-1'] as const) {
      const emergency = { ...lead, serviceType: 'emergency' as const }
      const names = await planRecipients(context, { lead: emergency, reason })
      expect([reason, names.includes('push-by-day')]).toEqual([reason, isNotified])
    }
  }
})
