import { describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { testTime as now, storeLead } from '#testing/saved-leads.ts'
import { claimDue } from './deliveries.ts'
import { listLeads } from './reading.ts'
import { adoptDeliveries } from './receivers.ts'
import type { Database } from './tables.ts'

const readChannels = async (db: Database) =>
  (await listLeads(db, { limit: 9 })).flatMap(({ deliveries }) =>
    deliveries.map(({ channel, state }) => `${channel} ${state}`),
  )

describe.each(engines)('on %s', (engine) => {
  const names = { name: 'email-0a1b2c3d', formerName: 'email-2' }

  it('what waits under a former name is taken over, except what is being sent', async () => {
    const db = await openTestDatabase(engine)
    await storeLead(db, { channels: ['email-2'] })
    await claimDue(db, 'email-2', 1, { holder: 'older process', now, until: now + 45_000 })
    await storeLead(db, { channels: ['email-2', 'email-3'] })
    expect(await adoptDeliveries(db, { ...names, now })).toBe(false)
    expect((await readChannels(db)).sort()).toEqual([
      'email-0a1b2c3d waiting',
      'email-2 waiting',
      'email-3 waiting',
    ])
    expect(await adoptDeliveries(db, { ...names, now: now + 45_000 })).toBe(true)
    expect(await readChannels(db)).not.toContain('email-2 waiting')
  })

  it('a lead that the receiver has already is not taken over again', async () => {
    const db = await openTestDatabase(engine)
    await storeLead(db, { channels: ['email-2', 'email-0a1b2c3d'] })
    expect(await adoptDeliveries(db, { ...names, now })).toBe(true)
    expect((await readChannels(db)).sort()).toEqual(['email-0a1b2c3d waiting', 'email-2 waiting'])
  })
})
