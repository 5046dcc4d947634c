import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { makeStranger, testTime as now, record, storeLead } from '#testing/saved-leads.ts'
import { dayMs, minuteMs } from '../time-units.ts'
import { acquire, claimDue, listDueTimes, release } from './claims.ts'

const phone = 'push-0a1b2c3d'
const lease = { holder: 'me', now, until: now + 20_000 }
const options = { batchSize: 1, combines: true, messageId: 'message' }

it('waits for a service, but not if the clock was set back', async () => {
  const db = await openTestDatabase('sqlite')
  await storeLead(db, { recipients: [phone] })
  const findDueAt = async () => (await listDueTimes(db, [phone], { now, holder: 'me' })).get(phone)
  for (const [notBefore, dueAt] of [
    [0, now],
    [now + 15 * minuteMs, now + 15 * minuteMs],
    [now + 60 * minuteMs, now],
  ] as const) {
    await acquire(db, phone, lease)
    await release(db, phone, lease.holder, notBefore)
    expect(await findDueAt()).toBe(dueAt)
    expect((await acquire(db, phone, lease)) !== undefined).toBe(dueAt === now)
    await db.kysely.deleteFrom('recipients').execute()
  }
})

it('ignores leases and waits of bursts from before the clock was set back', async () => {
  const db = await openTestDatabase('sqlite')
  const later = now + 60 * minuteMs
  await acquire(db, phone, { holder: 'killed', now: later, until: later + 20_000 })
  await db.kysely.updateTable('recipients').set({ burstAt: later }).execute()
  const id = await storeLead(db, { recipients: [phone] })
  await db.kysely.updateTable('leads').set({ inBurst: 1 }).execute()
  expect((await listDueTimes(db, [phone], lease)).get(phone)).toBe(now)
  const claim = await claimDue(db, phone, lease, options)
  expect(claim?.deliveries.map(({ lead }) => lead.id)).toEqual([id])
})

it('sends what is due, however many emergencies wait for another attempt', async () => {
  const db = await openTestDatabase('sqlite')
  for (let count = 0; count < 400; count++)
    await storeLead(db, {
      lead: { ...makeStranger(), serviceType: 'emergency' },
      recipients: [phone],
    })
  await db.kysely
    .updateTable('deliveries')
    .set({ nextAttemptAt: now + 30_000 })
    .execute()
  const id = await storeLead(db, { recipients: [phone] })
  const claim = await claimDue(db, phone, lease, options)
  expect(claim?.deliveries.map(({ lead }) => lead.id)).toEqual([id])
})

it('counts no lead in a combined message that nobody closed for a week', async () => {
  const db = await openTestDatabase('sqlite')
  const store = (at: number) =>
    storeLead(db, { at, lead: makeStranger(), recipients: [], stepAt: undefined })
  await store(now - 8 * dayMs)
  const [uncalled, calledAgain, forgotten] = [await store(now), await store(now), await store(now)]
  for (const [id, callAgainAt] of [
    [calledAgain, now - minuteMs],
    [forgotten, now - 8 * dayMs],
  ] as const)
    await record(db, id, 'no-answer', { at: now, callAgainAt })
  for (let count = 0; count < 3; count++)
    await storeLead(db, { at: now, lead: makeStranger(), recipients: [phone] })
  const claim = await claimDue(db, phone, lease, options)
  const counted = claim?.summary?.leads.map(({ id }) => id) ?? []
  expect(counted).toHaveLength(5)
  expect(counted).toEqual(expect.arrayContaining([uncalled, calledAgain]))
})
