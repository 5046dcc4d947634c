import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { waitUntil } from '#testing/processes.ts'
import { makePhone, savePhone, storeLead, testTime } from '#testing/saved-leads.ts'
import { listDevices, markDeviceGone, saveDevice } from './push-devices.ts'
import { findLead } from './reading.ts'

it.each(engines)(
  'cancels pending notifications of a device that a new registration replaces, on %s',
  async (engine) => {
    const db = await openTestDatabase(engine)
    const byEndpoint = makePhone({ id: '11111111', sessionId: 'lost' })
    await saveDevice(db, byEndpoint)
    await saveDevice(db, makePhone({ id: '22222222', sessionId: 'own' }))
    const leadId = await storeLead(db, { channels: ['push-11111111', 'push-22222222'] })
    const { endpoint } = byEndpoint
    await saveDevice(db, makePhone({ id: '22222222', sessionId: 'own', endpoint }))

    expect((await listDevices(db, { deskEmails: [], now: testTime })).map(({ id }) => id)).toEqual([
      '22222222',
    ])
    const { deliveries = [] } = (await findLead(db, leadId)) ?? {}
    expect(deliveries.map(({ channel, state }) => `${channel} ${state}`).sort()).toEqual([
      'push-11111111 cancelled',
      'push-22222222 waiting',
    ])
  },
)

it('does not mark a device as gone after it registered a new address', async () => {
  const db = await openTestDatabase('sqlite')
  const old = makePhone()
  await saveDevice(db, { ...old, endpoint: 'https://push.example/new' })
  await markDeviceGone(db, old, testTime)
  expect(await listDevices(db, { deskEmails: [], now: testTime })).toMatchObject([{ goneAt: null }])
})

it('waits for an event on several leads instead of causing a deadlock', async () => {
  const db = await openTestDatabase('postgres')
  const phone = makePhone()
  await saveDevice(db, phone)
  const store = () => storeLead(db, { channels: ['push-0a1b2c3d'] })
  const [first = '', second = ''] = [await store(), await store()].sort()
  // PostgreSQL finds the changed row last.
  const change = db.kysely.updateTable('deliveries').set({ next_attempt_at: testTime + 1 })
  await change.where('lead_id', '=', first).execute()
  const countBlocked = async () => {
    const { rows } = await sql`select pid from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db.kysely)
    return rows.length
  }
  let gone = Promise.resolve()
  await db.kysely.transaction().execute(async (trx) => {
    const lock = (id: string) =>
      trx.selectFrom('deliveries').selectAll().where('lead_id', '=', id).forUpdate().execute()
    await lock(first)
    gone = markDeviceGone(db, phone, testTime)
    await waitUntil(async () => (await countBlocked()) === 1)
    await lock(second)
  })
  await gone
  const states = db.kysely.selectFrom('deliveries').select('cancel_reason').distinct()
  expect(await states.execute()).toEqual([{ cancel_reason: 'device-gone' }])
})

it.each(engines)('stores one device for parallel registrations, on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  const register = () => saveDevice(db, makePhone())
  await savePhone(db)
  await Promise.all([register(), register(), register(), register()])
  expect(await listDevices(db, { deskEmails: [], now: testTime })).toHaveLength(1)
})
