import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { pushHost, startFakePush } from '#fakes/push.ts'
import { openTestDatabase } from '#testing/database.ts'
import { openChannels, readDeliveries, sendThrough } from '#testing/delivery.ts'
import {
  dayHours,
  jane,
  promiseFrom,
  record,
  savePhone,
  storedJane,
  storeLead,
  testTime,
} from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { planDelivery } from '../delivery/plan.ts'
import type { Lead } from '../fields.ts'
import type { BusinessHours } from '../hours.ts'
import type { StoredLead } from '../lead.ts'
import { findLead } from '../store/find-leads.ts'
import { listDevices, type PushDevice } from '../store/push-devices.ts'
import { dayMs } from '../time-units.ts'
import { listRecipients } from './channels.ts'
import { describePush, isPushService, push } from './push.ts'

const access = { deskEmails: [], now: testTime }
const again = { status: 'call-again', attempts: 1, callAgainAt: testTime } as const

async function open(hours?: BusinessHours) {
  const service = await startFakePush()
  onTestFinished(() => service.close())
  const settings = makeSettings({
    DESK_URL: 'https://desk.example',
    ALERT_EMAIL_FROM: 'Roofing <site@example.com>',
    SMTP_URL: 'smtp://localhost',
    DESK_EMAIL_TO: 'Site-Owner@example.com',
  })
  const db = await openTestDatabase('sqlite')
  const { fetch } = service
  const { context, clock, log, deliver } = openChannels(db, settings, { fetch, hours })
  const addPhone = async (name: string, changes: Partial<PushDevice> = {}, email?: string) => {
    const { endpoint, keys } = service.addPhone(name)
    const id = crypto.randomUUID()
    const phone = { id, sessionId: name, endpoint, ...keys, name, createdAt: clock.at }
    await savePhone(db, { ...phone, ...changes }, email)
    // Start a new turn of the event loop, because reads of the devices in one turn share a query.
    await nextTurn()
  }
  const save = async (lead: Partial<Lead> = {}) => {
    const planned = { ...jane, ...lead, ...promiseFrom(clock.at) }
    return storeLead(db, { at: clock.at, lead, ...(await planDelivery(context, planned)) })
  }
  /** Returns the devices and titles of the notifications since the last call. */
  const takeNotifications = () =>
    service.messages.splice(0).map(({ device, data }) => `${device}: ${data.notification.title}`)
  return { service, db, log, clock, context, addPhone, save, deliver, takeNotifications }
}

it('sends only the necessary data, signed and encrypted', async () => {
  const { service, addPhone, save, deliver } = await open()
  await addPhone('phone')
  const leadId = await save({ serviceType: 'emergency' })
  await deliver()
  expect(service.messages).toHaveLength(1)
  const { headers, data } = service.messages[0] ?? {}
  expect(data).toEqual({
    web_push: 8030,
    mutable: true,
    notification: {
      title: 'Jane Doe: call by 6:10 AM CST',
      body: 'EMERGENCY · Springfield',
      tag: leadId,
      lang: 'en-US',
      navigate: `https://desk.example/#/lead/${leadId}`,
      silent: false,
    },
    lead: {
      version: 0,
      ...{ leadId, opensList: false, canDial: true },
      ...{ isEmergency: true, isCalled: false, isQuestion: false },
    },
    receipt: { messageId: expect.stringMatching(/^[\w-]{36}$/) },
  })
  expect(headers).toMatchObject({
    ttl: '600',
    urgency: 'high',
    topic: leadId.replaceAll('-', ''),
  })
  const [, claims = ''] = String(headers?.authorization).split('.')
  const { sub } = JSON.parse(Buffer.from(claims, 'base64url').toString())
  expect(sub).toBe('mailto:site@example.com')
})

it('asks for the result of a call with a sound, and offers no button to call', async () => {
  const { service, db, clock, addPhone, save, deliver } = await open()
  await addPhone('phone')
  const leadId = await save()
  const event = { at: clock.at, person: 'Alex', email: 'alex@example.com' }
  await record(db, leadId, 'called', event)
  clock.at += 30 * 60_000
  await deliver()
  await deliver()
  expect(service.messages.at(-1)?.data).toMatchObject({
    notification: {
      title: 'Did Alex reach Jane Doe?',
      silent: false,
      navigate: `https://desk.example/#/lead/${leadId}`,
    },
    lead: { isQuestion: true, isCalled: false, opensList: false },
  })
})

it.each<[string, Partial<StoredLead>, boolean]>([
  ['Call Jane Doe again: no answer (1 try)', again, false],
  ['Repeat request: call Jane Doe by 6:10 AM CST', {}, true],
  ['Repeat request: call Jane Doe again; no answer (1 try)', again, true],
  ['Repeat request: email Jane Doe again; no answer (1 try)', { ...again, phone: '' }, true],
  ['Alex is emailing Jane Doe', { phone: '', status: 'calling', caller: 'Alex' }, false],
])('has the title %s', (title, changes, isRepeat) => {
  const clock = { now: testTime, timeZone: 'America/Chicago' }
  expect(describePush({ ...storedJane, ...changes }, clock, isRepeat).title).toBe(title)
})

it.each<[string, (phone: Awaited<ReturnType<typeof open>>) => unknown]>([
  ['has expired', ({ clock }) => Object.assign(clock, { at: testTime + 30 * dayMs })],
  ['has ended', ({ db }) => db.kysely.deleteFrom('deskSessions').execute()],
  [
    'belongs to a removed address',
    ({ db }) => db.kysely.updateTable('deskSessions').set({ email: 'gone@example.com' }).execute(),
  ],
  ['remains, but which was removed', ({ db }) => db.kysely.deleteFrom('pushDevices').execute()],
  [
    'remains, but which was turned off',
    ({ db }) => db.kysely.updateTable('pushDevices').set({ schedule: 'off' }).execute(),
  ],
])('sends nothing to a device whose session %s', async (_, end) => {
  const opened = await open()
  const { db, service, context, addPhone, save, deliver } = opened
  await addPhone('phone')
  const notified = await save()
  await deliver()
  expect(service.messages.splice(0)).toHaveLength(1)
  await save()
  const [recipient] = await listRecipients(push, context)
  await end(opened)
  // Start a new turn of the event loop, because leads that arrive in one turn share a query for the devices.
  await new Promise((resolve) => setImmediate(resolve))
  await record(db, notified, 'called', { at: context.now() })
  await deliver()
  // Another process may have read the devices before the session ended.
  if (recipient) await sendThrough(push, context, { recipient })
  const later = await findLead(db, await save())
  await deliver()
  expect(service.messages).toEqual([])
  expect(later?.deliveries.map(({ recipient }) => recipient)).toEqual(['airtable'])
})

it('notifies the other phones if the only one for the night is gone or was just turned off', async () => {
  const { service, db, addPhone, save, deliver, takeNotifications } = await open(dayHours)
  await addPhone('truck')
  await addPhone('office', { schedule: 'business-hours' })
  await addPhone('home', { schedule: 'off' })
  service.failNext('truck', { kind: 'status', status: 410 })
  await save({ serviceType: 'emergency' })
  await deliver()
  await deliver()
  expect(takeNotifications()).toEqual(['office: Jane Doe: call by 6:10 AM CST'])

  await addPhone('van')
  await save({ serviceType: 'emergency' })
  await db.kysely
    .updateTable('pushDevices')
    .set({ schedule: 'off' })
    .where('name', '=', 'van')
    .execute()
  await deliver()
  await deliver()
  expect(takeNotifications()).toEqual(['office: Jane Doe: call by 6:10 AM CST'])
})

it.each([404, 410])('marks a device as gone after %i, without delaying others', async (status) => {
  const { service, db, addPhone, save, deliver, takeNotifications } = await open()
  await addPhone('gone')
  await addPhone('there')
  service.failNext('gone', { kind: 'status', status })
  const leadId = await save()
  await deliver()
  expect(takeNotifications()).toEqual(['there: Jane Doe: call by 6:10 AM CST'])
  const devices = await listDevices(db, access)
  expect(devices.map(({ goneAt }) => goneAt !== null)).toEqual([true, false])
  const { deliveries = [] } = (await findLead(db, leadId)) ?? {}
  const push = deliveries.filter(({ recipient }) => recipient.startsWith('push'))
  expect(push.map(({ state }) => state).sort()).toEqual(['failed', 'sent'])
  await save()
  await deliver()
  expect(takeNotifications()).toEqual(['there: Jane Doe: call by 6:10 AM CST'])
})

it('retries a device when its service asks for it, without delaying others', async () => {
  const { service, clock, addPhone, save, deliver, takeNotifications } = await open()
  await addPhone('busy')
  await addPhone('there')
  service.failNext('busy', { kind: 'status', status: 429, headers: { 'retry-after': '120' } })
  await save()
  await deliver()
  clock.at += 119_999
  await deliver()
  expect(takeNotifications()).toEqual(['there: Jane Doe: call by 6:10 AM CST'])
  clock.at += 1
  await deliver()
  expect(takeNotifications()).toEqual(['busy: Jane Doe: call by 6:10 AM CST'])
})

it('gives up after 10 s if a push service does not respond', async () => {
  const { db, context, addPhone, save, deliver } = await open()
  const timeout = vi.fn(() => AbortSignal.abort(new DOMException('', 'TimeoutError')))
  context.timers = { ...context.timers, timeout }
  await addPhone('stuck')
  await save()
  await deliver()
  expect(timeout.mock.calls).toEqual([[10_000]])
  const errors = (await readDeliveries(db)).flatMap(({ lastError }) => lastError ?? [])
  expect(errors).toEqual(['The push service didn’t respond in time.'])
})

it.each([
  ['https://fcm.googleapis.com/fcm/send/abc', true],
  ['https://updates.push.services.mozilla.com/wpush/v2/x', true],
  ['https://web.push.apple.com/Q', true],
  [`https://${pushHost}/x`, true],
  ['http://fcm.googleapis.com/x', false],
  ['https://fcm.googleapis.com:8443/x', false],
  ['https://evilfcm.googleapis.com.example/x', false],
  ['https://user@fcm.googleapis.com/x', false],
  ['https://169.254.169.254/latest', false],
  [`https://fcm.googleapis.com/${'x'.repeat(1000)}`, false],
  ['javascript:alert(1)', false],
  ['', false],
])('calls only known push services: %s %s', (endpoint, isKnown) => {
  expect(isPushService(endpoint, [pushHost])).toBe(isKnown)
})
