import { expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { makePhone } from '#testing/phones.ts'
import { storeLead } from '#testing/saved-leads.ts'
import { listDevices, saveDevice } from './push-devices.ts'
import { findLead } from './reading.ts'

it.each(engines)(
  'a registration that replaces two devices takes over what waits for either, once, on %s',
  async (engine) => {
    const db = await openTestDatabase(engine)
    const byEndpoint = makePhone({ id: '11111111', sessionId: 'lost' })
    await saveDevice(db, byEndpoint)
    await saveDevice(db, makePhone({ id: '22222222', sessionId: 'own' }))
    const ofFirst = await storeLead(db, { channels: ['push-11111111'] })
    const ofSecond = await storeLead(db, { channels: ['push-22222222'] })
    const ofBoth = await storeLead(db, { channels: ['push-11111111', 'push-22222222'] })
    const { endpoint } = byEndpoint
    await saveDevice(db, makePhone({ id: '33333333', sessionId: 'own', endpoint }))

    expect((await listDevices(db)).map(({ id }) => id)).toEqual(['33333333'])
    const states = async (id: string) =>
      (await findLead(db, id))?.deliveries
        .map(({ channel, state }) => `${channel.slice(0, 6)} ${state}`)
        .sort()
    expect(await states(ofFirst)).toEqual(['push-3 waiting'])
    expect(await states(ofSecond)).toEqual(['push-3 waiting'])
    expect(await states(ofBoth)).toEqual([
      expect.stringMatching(/^push-[12] cancelled$/),
      'push-3 waiting',
    ])
  },
)
