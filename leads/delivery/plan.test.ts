import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { createTestContext } from '#testing/delivery.ts'
import { alwaysOpen, dayHours, jane, savePhone } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { findKind } from '../channels/channels.ts'
import type { DeliveryReason } from '../delivery-reason.ts'
import type { PushDevice } from '../store/push-devices.ts'
import { planDelivery, planRecipients } from './plan.ts'

const variables = {
  SMTP_URL: 'smtp://mail.example',
  ALERT_EMAIL_FROM: 'a@example.com',
  ALERT_EMAIL_TO: 'b@example.com,c@example.com',
  ESCALATION_EMAIL_TO: 'boss@example.com,c@example.com',
  ALERT_WEBHOOK_URL: 'https://hook.example',
  TWILIO_ACCOUNT_SID: 'AC1',
  TWILIO_AUTH_TOKEN: 't',
  TWILIO_FROM: '+15550001111',
  ALERT_SMS_TO: '+15550002222',
}

async function open(given: Record<string, string> = variables, hours = alwaysOpen) {
  const db = await openTestDatabase('sqlite')
  const { context, clock } = createTestContext(db, makeSettings(given), { hours })
  const lead = { ...jane, deadlineAt: clock.at + 600_000 }
  return { db, context, clock, lead }
}

it('plans a delivery to every configured channel, and always to Airtable', async () => {
  const { context, clock, lead } = await open()
  const { channels, escalateAt } = await planDelivery(context, lead)
  expect(channels.map(findKind)).toEqual(['airtable', 'email', 'email', 'sms', 'webhook'])
  expect(escalateAt).toBe(clock.at + 240_000)
  const empty = await open({})
  expect((await planDelivery(empty.context, lead)).channels).toEqual(['airtable'])
})

it('sends no texts, push notifications, or reminders for suspected spam', async () => {
  const { db, context, lead } = await open()
  await savePhone(db)
  const suspect = { ...lead, deadlineAt: null }
  const { channels, escalateAt } = await planDelivery(context, suspect)
  expect(channels.map(findKind)).toEqual(['airtable', 'email', 'email', 'webhook'])
  expect(escalateAt).toBeUndefined()
})

it('sends reminders to the escalation recipients and the webhook', async () => {
  const { context, lead } = await open()
  const plan = (reason: DeliveryReason) => planRecipients(context, { lead, reason })
  const reminded = await plan('unanswered-4')
  expect(reminded.map(findKind)).toEqual(['email', 'email', 'sms', 'webhook'])
  expect(await plan('missed')).toEqual(reminded)
  // c@example.com gets both alerts and reminders.
  const received = new Set(await plan('received'))
  expect(reminded.filter((name) => received.has(name)).map(findKind)).toEqual([
    'email',
    'sms',
    'webhook',
  ])
})

it.each<[Partial<PushDevice>, number, boolean, boolean]>([
  [{}, 0, false, true],
  [{ notifyAfterMinutes: 8 }, 7.9, false, false],
  [{ notifyAfterMinutes: 8 }, 8, false, true],
  // An early reminder replaces the one after 4 minutes.
  [{ notifyAfterMinutes: 4 }, 0.5, false, true],
  [{ quietUntil: Number.MAX_SAFE_INTEGER, notifyEmergencies: false }, 0, false, false],
  [{ quietUntil: 1, notifyEmergencies: false }, 0, false, true],
  [{ quietUntil: Number.MAX_SAFE_INTEGER, notifyEmergencies: true }, 0, false, false],
  [{ quietUntil: Number.MAX_SAFE_INTEGER, notifyEmergencies: true }, 0, true, true],
])(
  'notifies a device with %j after %d minutes, emergency %s: %s',
  async (changes, minutes, isEmergency, isNotified) => {
    const { db, context, clock, lead } = await open({})
    await savePhone(db, changes)
    clock.at += minutes * 60_000
    const serviceType = isEmergency ? 'emergency' : lead.serviceType
    const reason = minutes === 0 ? 'received' : 'unanswered-4'
    const names = await planRecipients(context, { lead: { ...lead, serviceType }, reason })
    expect(names.some((name) => findKind(name) === 'push')).toBe(isNotified)
  },
)

// The company opens an hour after the start of each test.
const hourMs = 3_600_000

it('delays texts until the opening, and sends everything else at once', async () => {
  const { context, clock, lead } = await open(variables, dayHours)
  const deadlineAt = clock.at + hourMs + 600_000
  const { channels, channelsAtOpening, escalateAt } = await planDelivery(context, {
    ...lead,
    deadlineAt,
  })
  expect(channels.map(findKind)).toEqual(['airtable', 'email', 'email', 'webhook'])
  expect(channelsAtOpening?.map(findKind)).toEqual(['sms'])
  expect(escalateAt).toBe(clock.at + hourMs + 240_000)
})

type When = 'at once' | 'at opening' | 'never'
it.each<[Partial<PushDevice>, When, When]>([
  [{ schedule: 'always' }, 'at opening', 'at once'],
  [{ schedule: 'business-hours' }, 'at opening', 'never'],
  [{ schedule: 'after-hours' }, 'never', 'at once'],
  [{ schedule: 'business-hours', onCallUntil: Number.MAX_SAFE_INTEGER }, 'at once', 'at once'],
  [{ schedule: 'business-hours', onCallUntil: 1 }, 'at opening', 'never'],
  [{ notifyAfterMinutes: 4 }, 'never', 'never'],
])(
  'while closed, notifies a device with %j of a lead %s, and of an emergency %s',
  async (changes, ...whens) => {
    const { db, context, clock, lead } = await open({}, dayHours)
    await savePhone(db, changes)
    const plan = async (planned: typeof lead): Promise<When> => {
      const { channels, channelsAtOpening = [] } = await planDelivery(context, planned)
      const hasPush = (names: readonly string[]) => names.some((name) => findKind(name) === 'push')
      return hasPush(channels) ? 'at once' : hasPush(channelsAtOpening) ? 'at opening' : 'never'
    }
    expect([
      await plan({ ...lead, deadlineAt: clock.at + hourMs + 600_000 }),
      await plan({ ...lead, serviceType: 'emergency' }),
    ]).toEqual(whens)
  },
)

it('notifies after-hours devices of nothing while open, unless the company never closes', async () => {
  for (const [hours, isNotified] of [
    [dayHours, false],
    [alwaysOpen, true],
  ] as const) {
    const { db, context, clock, lead } = await open({}, hours)
    await savePhone(db, { schedule: 'after-hours' })
    clock.at += 2 * hourMs
    const { channels } = await planDelivery(context, { ...lead, deadlineAt: clock.at + 600_000 })
    expect(channels.map(findKind).includes('push')).toBe(isNotified)
  }
})
