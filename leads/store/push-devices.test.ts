import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { pushHost, startFakePush } from '#fakes/push.ts'
import { engines, openTestDatabase } from '#testing/database.ts'
import { openChannels, readDeliveries } from '#testing/delivery.ts'
import { createTestDesk } from '#testing/desk.ts'
import { waitUntil } from '#testing/processes.ts'
import {
  alwaysOpen,
  jane,
  makePhone,
  promiseFrom,
  savePhone,
  storeLead,
  testTime,
} from '#testing/saved-leads.ts'
import { planDelivery } from '../delivery/plan.ts'
import { findProblems } from '../health/find-problems.ts'
import { minuteMs } from '../time-units.ts'
import { recordResults } from './deliveries.ts'
import { findLead } from './find-leads.ts'
import { cancelLostNotifications, listDevices, markDeviceGone, saveDevice } from './push-devices.ts'
import type { Engine } from './tables.ts'

const nobody = { now: testTime, isTold: () => false }

it.each(engines)('cancels the notifications of a replaced device, on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  const byEndpoint = makePhone({ id: '11111111', sessionId: 'lost' })
  await saveDevice(db, byEndpoint)
  await saveDevice(db, makePhone({ id: '22222222', sessionId: 'own' }))
  const leadId = await storeLead(db, { recipients: ['push-11111111', 'push-22222222'] })
  const { endpoint } = byEndpoint
  await saveDevice(db, makePhone({ id: '22222222', sessionId: 'own', endpoint }))
  await cancelLostNotifications(db, nobody)

  expect((await listDevices(db, { deskEmails: [], now: testTime })).map(({ id }) => id)).toEqual([
    '22222222',
  ])
  const { deliveries = [] } = (await findLead(db, leadId)) ?? {}
  expect(deliveries.map(({ recipient, state }) => `${recipient} ${state}`).sort()).toEqual([
    'push-11111111 cancelled',
    'push-22222222 waiting',
  ])
})

it('does not mark a device as gone after it registered a new address', async () => {
  const db = await openTestDatabase('sqlite')
  const old = makePhone()
  await saveDevice(db, { ...old, endpoint: 'https://push.example/new' })
  await markDeviceGone(db, old, testTime)
  expect(await listDevices(db, { deskEmails: [], now: testTime })).toMatchObject([{ goneAt: null }])
})

it('waits for an event on several leads instead of causing a deadlock', async () => {
  const db = await openTestDatabase('postgres')
  const store = () => storeLead(db, { recipients: ['push-0a1b2c3d'] })
  const [first = '', second = ''] = [await store(), await store()].sort()
  const countBlocked = async () => {
    const { rows } = await sql`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db.kysely)
    return rows.length
  }
  let cancelled = Promise.resolve()
  await db.kysely.transaction().execute(async (trx) => {
    const lock = (id: string) =>
      trx.selectFrom('leads').selectAll().where('id', '=', id).forUpdate().execute()
    await lock(first)
    cancelled = cancelLostNotifications(db, nobody)
    await waitUntil(async () => (await countBlocked()) === 1)
    await lock(second)
  })
  await cancelled
  const reasons = (await readDeliveries(db)).map(({ cancelReason }) => cancelReason)
  expect(reasons).toEqual(['device-gone', 'device-gone'])
})

it.each(engines)('stores one device for parallel registrations, on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  const register = () => saveDevice(db, makePhone())
  await savePhone(db)
  await Promise.all([register(), register(), register(), register()])
  expect(await listDevices(db, { deskEmails: [], now: testTime })).toHaveLength(1)
})

/** Opens a desk with a fake push service and Sam's signed-in phone. */
async function open(engine: Engine = 'sqlite') {
  const service = await startFakePush()
  onTestFinished(() => service.close())
  const db = await openTestDatabase(engine)
  const { fetch } = service
  const desk = createTestDesk(db, { env: { PUSH_SERVICES: pushHost }, fetch })
  const { clock, call } = desk
  const cookie = await desk.signIn()
  await call('POST', '/api/devices', {
    cookie,
    body: { name: 'Truck', subscription: service.addPhone('phone') },
  })
  const { context, deliver } = openChannels(db, desk.settings, { fetch, clock })
  const save = async () => {
    const lead = { ...jane, ...promiseFrom(clock.at) }
    return storeLead(db, { at: clock.at, ...(await planDelivery(context, lead)) })
  }
  const report = (body: object, as = cookie) =>
    call('POST', '/api/notifications', { cookie: as, body })
  const list = async () => (await call('GET', '/api/devices', { cookie })).json.devices
  const readPush = async (leadId: string) => {
    const { deliveries = [] } = (await findLead(db, leadId)) ?? {}
    return deliveries.find(({ recipient }) => recipient.startsWith('push-'))
  }
  /** Returns what the phone reports about the last notification. */
  const readReceipt = () => ({ isTapped: false, ...service.messages.at(-1)?.data.receipt })
  return {
    ...desk,
    context,
    service,
    db,
    cookie,
    deliver,
    save,
    report,
    list,
    readPush,
    readReceipt,
  }
}

// SQLite has one writer, so a deadlock can happen only on PostgreSQL.
it('records a receipt for several leads without a deadlock while their results are recorded', async () => {
  const { db, save, deliver, report, readPush, readReceipt, list } = await open('postgres')
  const leadIds = await Promise.all(Array.from({ length: 10 }, save))
  await deliver()
  const recipient = (await readPush(leadIds[0] ?? ''))?.recipient ?? ''
  const results = leadIds.map(
    (leadId) => ({ leadId, reason: 'received', revision: 0, ok: true }) as const,
  )
  const sender = { holder: 'sender', now: 0 }
  for (let times = 0; times < 6; times++) {
    const ordered = times % 2 ? results : results.toReversed()
    const [{ status }] = await Promise.all([
      report(readReceipt()),
      recordResults(db, recipient, ordered, sender),
    ])
    expect(status).toBe(200)
  }
  for (const leadId of leadIds) expect((await readPush(leadId))?.arrivedAt).not.toBeNull()
  expect(await list()).toMatchObject([{ isSilent: false }])
})

it('records when a device showed its own notification and when it was tapped', async () => {
  const { service, clock, call, signIn, save, deliver, ...opened } = await open()
  const { report, readPush, readReceipt } = opened
  const leadId = await save()
  await deliver()
  const sentAt = clock.at
  const shown = readReceipt()
  const alex = await signIn('alex@example.com')
  expect((await report(shown, alex)).status).toBe(200)
  await call('POST', '/api/devices', {
    cookie: alex,
    body: { subscription: service.addPhone('other') },
  })
  await report(shown, alex)
  expect(await readPush(leadId)).toMatchObject({ arrivedAt: null, tappedAt: null })

  // The phone may report more than once.
  for (let times = 0; times < 2; times++) {
    clock.at += 1_000
    await report(shown)
  }
  const arrived = { state: 'sent', arrivedAt: sentAt + 1_000 }
  expect(await readPush(leadId)).toMatchObject({ ...arrived, tappedAt: null })
  clock.at += 1_000
  for (let taps = 0; taps < 2; taps++) {
    await report({ ...shown, isTapped: true })
    clock.at += 60_000
  }
  expect(await readPush(leadId)).toMatchObject({ ...arrived, tappedAt: sentAt + 3_000 })

  for (const wrong of [{}, { isTapped: false }, { ...shown, messageId: 'x'.repeat(65) }])
    expect((await report(wrong)).status).toBe(400)
  expect((await report(shown, 'desk=x')).status).toBe(401)
})

it('records that a phone showed a notification before the sender records its result', async () => {
  const { context, clock, save, report, service, readPush } = await open()
  const leadId = await save()
  const fetch: typeof globalThis.fetch = async (...request) => {
    const response = await service.fetch(...request)
    const { receipt } = service.messages.at(-1)?.data ?? {}
    expect((await report({ isTapped: false, ...receipt })).status).toBe(200)
    return response
  }
  const sentAt = clock.at
  await openChannels(context.db, context.env, { fetch, clock }).deliver()
  expect(await readPush(leadId)).toMatchObject({ state: 'sent', arrivedAt: sentAt })
})

it('marks a device as silent if it confirmed none of its last 3 alerts, until it shows a test', async () => {
  const { service, db, settings, clock, call, save, deliver, report, list, cookie } = await open()
  const [{ id }] = await list()
  const listProblems = async () => {
    const given = { env: settings, hours: () => alwaysOpen, db, now: () => clock.at }
    return (await findProblems('desk', given)).map((problem) => problem.id)
  }
  /** Returns true if the device is marked as silent a minute after this many more leads. */
  const isMarkedAfter = async (leads: number) => {
    service.failNext('phone', ...Array(9).fill({ kind: 'drop' }))
    for (let sent = 0; sent < leads; sent++) {
      clock.at += 1
      await save()
      await deliver()
    }
    expect((await list())[0].isSilent).toBe(false)
    clock.at += 60_000
    const [{ isSilent }] = await list()
    expect((await listProblems()).includes('push-device-silent')).toBe(isSilent)
    return isSilent
  }
  expect(await isMarkedAfter(2)).toBe(false)
  // Reminders about the same leads do not count.
  clock.at += 4 * minuteMs
  expect(await isMarkedAfter(0)).toBe(false)
  expect(await isMarkedAfter(1)).toBe(true)
  expect(service.messages).toEqual([])
  const setSchedule = (schedule: string) =>
    call('PUT', `/api/devices/${id}`, { cookie, body: { schedule } })
  // A phone whose notifications are turned off cannot confirm any.
  await setSchedule('off')
  expect((await list())[0].isSilent).toBe(false)
  await setSchedule('always')
  service.failNext('phone')
  expect((await call('POST', `/api/devices/${id}/test`, { cookie })).status).toBe(200)
  expect((await list())[0].isSilent).toBe(true)
  await report({ isTapped: false, ...service.messages[0]?.data.receipt })
  expect((await list())[0].isSilent).toBe(false)
  expect(await isMarkedAfter(3)).toBe(true)
  service.removePhone('phone')
  await save()
  await deliver()
  // The push service reported the device as gone, which is a separate warning.
  expect(await list()).toMatchObject([{ isSilent: false, canNotify: false }])
})
