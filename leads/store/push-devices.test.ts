import { expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
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

it.each(engines)('stores one device for parallel registrations, on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  const register = () => saveDevice(db, makePhone())
  await savePhone(db)
  await Promise.all([register(), register(), register(), register()])
  expect(await listDevices(db, { deskEmails: [], now: testTime })).toHaveLength(1)
})
