import { expect, it, onTestFinished } from 'vitest'
import { pushHost, startFakePush } from '#fakes/push.ts'
import { openTestDatabase } from '#testing/database.ts'
import { openChannels } from '#testing/delivery.ts'
import { createTestDesk } from '#testing/desk.ts'
import { alwaysOpen, jane, promiseFrom, storeLead } from '#testing/saved-leads.ts'
import { planDelivery } from '../delivery/plan.ts'
import { examine } from '../health/examine.ts'
import { recordResults } from './deliveries.ts'
import { findLead } from './reading.ts'
import type { Engine } from './tables.ts'

/** A desk, a fake push service, and Sam's phone with a session. */
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
    return deliveries.find(({ channel }) => channel.startsWith('push-'))
  }
  return { ...desk, service, db, cookie, deliver, save, report, list, readPush }
}

// SQLite has one writer, so a deadlock can happen only on PostgreSQL.
it('records a receipt for several leads without a deadlock while their results are recorded', async () => {
  const { db, save, report, readPush, list } = await open('postgres')
  const leadIds = await Promise.all(Array.from({ length: 10 }, save))
  const channel = (await readPush(leadIds[0] ?? ''))?.channel ?? ''
  const results = leadIds.map((leadId) => ({ leadId, reason: 'received', ok: true }) as const)
  const sender = { holder: 'sender', now: 0 }
  for (let times = 0; times < 6; times++) {
    const ordered = times % 2 ? results : results.toReversed()
    const [{ status }] = await Promise.all([
      report({ isTapped: false, reason: 'received', leadIds }),
      recordResults(db, channel, ordered, sender),
    ])
    expect(status).toBe(200)
  }
  expect(await list()).toMatchObject([{ isSilent: false }])
})

it('records when a device showed its own notification and when it was tapped', async () => {
  const { service, clock, call, signIn, save, deliver, report, readPush } = await open()
  const leadId = await save()
  const started = clock.at
  const shown = { isTapped: false, reason: 'received', leadIds: [leadId] }
  const alex = await signIn('alex@example.com')
  expect((await report(shown, alex)).status).toBe(200)
  await call('POST', '/api/devices', {
    cookie: alex,
    body: { subscription: service.addPhone('other') },
  })
  await report(shown, alex)
  expect(await readPush(leadId)).toMatchObject({ arrivedAt: null, tappedAt: null })

  // The phone may report before the sender records its result, and more than once.
  clock.at += 1_000
  await report(shown)
  clock.at += 1_000
  await deliver()
  expect(service.messages[0]?.data.receipt).toEqual({ reason: 'received', leadIds: [leadId] })
  await report(shown)
  const arrived = { state: 'sent', arrivedAt: started + 1_000 }
  expect(await readPush(leadId)).toMatchObject({ ...arrived, tappedAt: null })
  clock.at += 1_000
  for (let taps = 0; taps < 2; taps++) {
    await report({ ...shown, isTapped: true })
    clock.at += 60_000
  }
  expect(await readPush(leadId)).toMatchObject({ ...arrived, tappedAt: started + 3_000 })

  for (const wrong of [{}, { ...shown, leadIds: Array(11).fill(leadId) }, { ...shown, reason: 1 }])
    expect((await report(wrong)).status).toBe(400)
  expect((await report(shown, 'desk=x')).status).toBe(401)
})

it('marks a device as silent if it confirmed none of its last 3 leads, until it shows a test', async () => {
  const { service, db, settings, clock, call, save, deliver, report, list, cookie } = await open()
  const [{ id }] = await list()
  const listProblems = async () => {
    const context = { env: settings, hours: alwaysOpen, db, now: () => clock.at }
    return (await examine('desk', context)).map((problem) => problem.id)
  }
  /** Returns true if the device is marked as silent a minute after this many leads. */
  const isMarkedAfter = async (leads: number) => {
    service.failNext('phone', ...Array(9).fill({ kind: 'drop' }))
    for (let sent = 0; sent < leads; sent++) {
      clock.at += 1
      await save()
    }
    await deliver()
    expect((await list())[0].isSilent).toBe(false)
    clock.at += 60_000
    const [{ isSilent }] = await list()
    expect((await listProblems()).includes('push-device-silent')).toBe(isSilent)
    return isSilent
  }
  expect(await isMarkedAfter(2)).toBe(false)
  // Reminders about the same leads do not count.
  clock.at += 4 * 60_000
  expect(await isMarkedAfter(0)).toBe(false)
  expect(await isMarkedAfter(1)).toBe(true)
  expect(service.messages).toEqual([])
  const setSchedule = (schedule: string) =>
    call('PUT', `/api/devices/${id}`, { cookie, body: { schedule } })
  // A phone that is off gets no notifications, so it cannot confirm any.
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
