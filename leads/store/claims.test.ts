import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { makeStranger, testTime as now, storeLead } from '#testing/saved-leads.ts'
import { type LeadStatus, listStatuses } from '../statuses.ts'
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

it('ignores leases, waits of bursts, and due times from before the clock was set back', async () => {
  const db = await openTestDatabase('sqlite')
  const later = now + 60 * minuteMs
  await acquire(db, phone, { holder: 'killed', now: later, until: later + 20_000 })
  await db.kysely.updateTable('recipients').set({ burstAt: later }).execute()
  const id = await storeLead(db, { recipients: [phone] })
  await db.kysely.updateTable('leads').set({ inBurst: 1 }).execute()
  // The delivery failed before, and is to be retried.
  await db.kysely.updateTable('deliveries').set({ dueAt: later }).execute()
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

it('counts every lead that is due in a combined message, unless nobody closed it for a week', async () => {
  const db = await openTestDatabase('sqlite')
  const store = (at = now, recipients: string[] = []) =>
    storeLead(db, { at, lead: makeStranger(), recipients, stepAt: undefined })
  const storeAgain = async (status: LeadStatus, callAgainAt: number) => {
    const id = await store()
    await db.kysely.updateTable('leads').set({ status, callAgainAt }).where('id', '=', id).execute()
    return id
  }
  await store(now - 8 * dayMs)
  await storeAgain('call-again', now - 8 * dayMs)
  const due = [await store()]
  for (const status of listStatuses('next-call')) due.push(await storeAgain(status, now - minuteMs))
  for (let count = 0; count < 3; count++) due.push(await store(now, [phone]))
  const claim = await claimDue(db, phone, lease, options)
  expect(claim?.summary?.leads.map(({ id }) => id).toSorted()).toEqual(due.toSorted())
})
