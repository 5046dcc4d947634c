import { expect, it, onTestFinished } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import {
  createFakeChannel,
  createTestContext,
  fail,
  openDelivery,
  readDeliveries,
  readStates,
  saveLeads,
  sendWell,
  succeed,
} from '#testing/delivery.ts'
import { waitUntil } from '#testing/processes.ts'
import { storeLead, testTime } from '#testing/saved-leads.ts'
import { writeDeliveries } from '../store/deliveries.ts'
import { isErasing } from '../store/erase-lead.ts'
import { findLead } from '../store/find-leads.ts'
import { writeSetting } from '../store/stored-settings.ts'
import { dayMs } from '../time-units.ts'
import { systemTimers } from '../timers.ts'
import { createDeliverer } from './deliver.ts'

it('forgets the addresses of visitors after two days, and removes traces of erased leads', async () => {
  const db = await openTestDatabase('sqlite')
  await storeLead(db, { clientAddress: '203.0.113.7' })
  await storeLead(db, { clientAddress: '203.0.113.8', at: testTime + 1_000 })
  await writeSetting(db, 'erased-lead', 'a-lead')
  const clock = { at: testTime + 2 * dayMs + 1 }
  await openDelivery(db, sendWell, { clock }).deliver()
  const leads = db.kysely.selectFrom('leads').select(['clientAddress', 'clientNetwork'])
  expect(await leads.orderBy('receivedAt').execute()).toEqual([
    { clientAddress: '', clientNetwork: '' },
    { clientAddress: '203.0.113.8', clientNetwork: '203.0.113.0/24' },
  ])
  expect(await isErasing(db)).toBe(false)
})

it('cleans up although the clock was set back', async () => {
  const db = await openTestDatabase('sqlite')
  const { deliverer, clock } = openDelivery(db, sendWell)
  clock.at = testTime + 10 * dayMs
  await deliverer.deliverDue(1)
  clock.at = testTime + 3 * dayMs
  await storeLead(db, { clientAddress: '203.0.113.7', recipients: [] })
  await deliverer.deliverDue(1)
  expect(await db.kysely.selectFrom('leads').select('clientAddress').execute()).toEqual([
    { clientAddress: '' },
  ])
})

it('sends when woken, even during a run, and waits for sends in progress when stopped', async () => {
  const db = await openTestDatabase('sqlite')
  const steps = [1, 2].map(() => ({
    sending: Promise.withResolvers<void>(),
    finished: Promise.withResolvers<void>(),
  }))
  const [first, second] = steps
  const { deliverer, sends } = openDelivery(
    db,
    async (claimed) => {
      const step = steps[sends.length - 1]
      step?.sending.resolve()
      await step?.finished.promise
      return claimed.map(succeed)
    },
    // No poll, so that only a wake-up can start a run.
    { timers: { ...systemTimers, start: () => () => {} } },
  )
  deliverer.start()
  await saveLeads(db, 1)
  deliverer.wake()
  await first?.sending.promise
  await saveLeads(db, 1)
  deliverer.wake()
  // Give the wake-up enough time to find the new delivery.
  for (let read = 0; read < 5; read++) await readDeliveries(db)
  expect(sends).toHaveLength(1)
  first?.finished.resolve()
  await second?.sending.promise
  const stopped = deliverer.stop(60_000)
  await saveLeads(db, 1)
  deliverer.wake()
  second?.finished.resolve()
  await stopped
  expect(sends).toHaveLength(2)
  expect(await readStates(db)).toEqual(['sent', 'sent', 'waiting'])
})

it('sends to the other recipients while a service hangs', async () => {
  const db = await openTestDatabase('sqlite')
  const { context, faults } = createTestContext(db)
  const hanging = Promise.withResolvers<void>()
  let emails = 0
  const all = [
    createFakeChannel('webhook', async (claimed) => {
      await hanging.promise
      return claimed.map(succeed)
    }),
    createFakeChannel('email', async (claimed) => {
      emails += 1
      return claimed.map(succeed)
    }),
  ]
  const env = { ...context.env, webhook: {}, email: {} } as typeof context.env
  const deliverer = createDeliverer({ ...context, env }, { all, faults })
  deliverer.start()
  for (const count of [1, 2]) {
    await storeLead(db, { recipients: ['webhook', 'email'] })
    deliverer.wake()
    await waitUntil(() => emails === count)
  }
  hanging.resolve()
  await deliverer.stop(60_000)
})

it('aborts a send that exceeds the grace period, and retries it later', async () => {
  const db = await openTestDatabase('sqlite')
  await saveLeads(db, 1)
  const sending = Promise.withResolvers<void>()
  const { deliverer } = openDelivery(db, async (claimed, signal) => {
    sending.resolve()
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return claimed.map(fail)
  })
  deliverer.start()
  onTestFinished(() => deliverer.stop(0))
  await sending.promise
  await deliverer.stop(10)
  expect(await readDeliveries(db)).toMatchObject([{ state: 'waiting', attempts: 1 }])
})

it.each(engines)('expires alerts a day after the deadline, on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  const { deliver, clock, log } = openDelivery(db, sendWell, {
    changes: {
      kind: 'email',
      recipients: async () => [],
      isAlert: true,
      expiresAfterMs: dayMs,
    },
  })
  const lead = { recipients: ['airtable', 'email', 'email-0a1b2c3d'], stepAt: undefined }
  const promised = await storeLead(db, lead)
  const suspected = await storeLead(db, { ...lead, suspect: 'trap' })
  // A message planned after the deadline expires a day after it was planned.
  const called = { leadId: promised, recipients: ['email'], reason: 'called' as const }
  await writeDeliveries(db.kysely, called, testTime + 600_001)
  const listExpired = async (id: string) =>
    (await findLead(db, id))?.deliveries
      .filter(({ state }) => state === 'expired')
      .map(({ recipient, reason }) => `${recipient} ${reason}`)
  const expired = ['email received', 'email-0a1b2c3d received']
  clock.at = testTime + dayMs - 1
  await deliver()
  expect(await listExpired(suspected)).toEqual([])
  clock.at = testTime + dayMs + 60_000
  await deliver()
  expect(await listExpired(suspected)).toEqual(expired)
  expect(await listExpired(promised)).toEqual([])
  clock.at = testTime + dayMs + 600_000
  await deliver()
  expect(await listExpired(promised)).toEqual(expired)
  expect(log.entries.filter(({ level }) => level === 'warn')).toMatchObject([
    { fields: { kind: 'email', leadIds: [suspected, suspected] } },
    { fields: { kind: 'email', leadIds: [promised, promised] } },
  ])
})
