import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '../../../testing/database.ts'
import { waitUntil } from '../../../testing/processes.ts'
import {
  acquireChannel,
  claimDue,
  countWaiting,
  type Database,
  eraseLead,
  findLead,
  findNextDueAt,
  listLeads,
  type NewLead,
  proveWritable,
  releaseChannel,
  renewLease,
  retryDeliveries,
  saveLead,
  settleDeliveries,
  type Tables,
} from './store.ts'

const minuteMs = 60_000
const start = Date.parse('2026-11-15T12:00:00Z')

const makeLead = (changes: Partial<NewLead> = {}): NewLead => ({
  lead: {
    name: 'Zoë 🏠 山田',
    email: 'zoe@example.com',
    phone: '(555) 123-4567',
    address: '1 Main St',
    serviceType: 'roof-repair',
  },
  details: { suspect: null, consent: '2026-11', source: null },
  bodyHash: 'hash',
  clientAddress: '203.0.113.7',
  idempotencyKeys: [],
  channels: ['airtable'],
  ...changes,
})

const save = (db: Database, changes: Partial<NewLead> = {}, now = start, limitPerMinute = 1000) =>
  saveLead(db, makeLead(changes), { now, limitPerMinute })

const saveId = async (...args: Parameters<typeof save>) => {
  const saved = await save(...args)
  if (!('leadId' in saved)) throw new Error(saved.outcome)
  return saved.leadId
}

const lease = (holder: string, now: number) => ({ holder, now, until: now + 45_000 })

const countBlocked = async ({ kysely }: Database) => {
  const blocked = sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return (await blocked.execute(kysely)).rows.length
}

describe.each(engines)('the store on %s', (engine) => {
  it('keeps a lead unharmed, together with its deliveries', async () => {
    const db = await openTestDatabase(engine)
    const id = await saveId(db, { channels: ['airtable', 'email'] })
    const lead = await findLead(db, id)
    expect(lead).toMatchObject({
      ...makeLead().lead,
      ...makeLead().details,
      id,
      receivedAt: start,
    })
    expect(lead?.deliveries.map(({ channel, state }) => [channel, state])).toEqual([
      ['airtable', 'waiting'],
      ['email', 'waiting'],
    ])
  })

  it('stores nothing of a lead whose deliveries cannot be stored', async () => {
    const db = await openTestDatabase(engine)
    await expect(save(db, { channels: ['airtable', 'airtable'] })).rejects.toThrow()
    expect(await listLeads(db, { limit: 10 })).toEqual([])
  })

  it('stores one lead for a key, however many come at once', async () => {
    const db = await openTestDatabase(engine)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        save(db, { idempotencyKeys: ['k'], clientAddress: `203.0.113.${at}` }),
      ),
    )
    expect(outcomes.filter(({ outcome }) => outcome === 'saved')).toHaveLength(1)
    expect(outcomes.filter(({ outcome }) => outcome === 'repeated')).toHaveLength(19)
    expect(await listLeads(db, { limit: 30 })).toHaveLength(1)
  })

  it('refuses a key that comes again with another body', async () => {
    const db = await openTestDatabase(engine)
    await save(db, { idempotencyKeys: ['k'] })
    expect(await save(db, { idempotencyKeys: ['k'], bodyHash: 'other' })).toEqual({
      outcome: 'conflict',
    })
  })

  it('takes a lead under its first key unless it has come under any of them', async () => {
    const db = await openTestDatabase(engine)
    await save(db, { idempotencyKeys: ['minute 1', 'minute 0'] })
    expect(await save(db, { idempotencyKeys: ['minute 2', 'minute 1'] })).toMatchObject({
      outcome: 'repeated',
    })
    expect(await save(db, { idempotencyKeys: ['minute 3', 'minute 2'] })).toMatchObject({
      outcome: 'saved',
    })
  })

  it('limits one client to so many leads a minute, also when they come at once', async () => {
    const db = await openTestDatabase(engine)
    const outcomes = await Promise.all(Array.from({ length: 12 }, () => save(db, {}, start, 5)))
    expect(outcomes.filter(({ outcome }) => outcome === 'saved')).toHaveLength(5)
    expect(await save(db, {}, start + 20_000, 5)).toEqual({
      outcome: 'limited',
      retryAfterMs: 40_000,
    })
    expect(await save(db, { clientAddress: '203.0.113.8' }, start, 5)).toMatchObject({
      outcome: 'saved',
    })
    expect(await save(db, {}, start + minuteMs, 5)).toMatchObject({ outcome: 'saved' })
  })

  it('limits nobody when the limit is 0', async () => {
    const db = await openTestDatabase(engine)
    for (let at = 0; at < 12; at++)
      expect(await save(db, {}, start, 0)).toMatchObject({ outcome: 'saved' })
  })

  it('answers a repeated key although the client has used up its limit', async () => {
    const db = await openTestDatabase(engine)
    await save(db, { idempotencyKeys: ['k'] }, start, 1)
    expect(await save(db, { idempotencyKeys: ['k'] }, start, 1)).toMatchObject({
      outcome: 'repeated',
    })
  })

  it('hands each due delivery to one claimer only', async () => {
    const db = await openTestDatabase(engine)
    for (let at = 0; at < 30; at++) await save(db)
    const claims = await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((holder) => claimDue(db, 'airtable', 10, lease(holder, start))),
    )
    const ids = claims.flat().map(({ lead }) => lead.id)
    expect(new Set(ids).size).toBe(ids.length)
    const rest = await claimDue(db, 'airtable', 100, lease('f', start))
    expect(ids.length + rest.length).toBe(30)
  })

  it('hands a claim on when its lease has ended, and counts the attempt', async () => {
    const db = await openTestDatabase(engine)
    await save(db)
    await claimDue(db, 'airtable', 10, lease('killed', start))
    expect(await claimDue(db, 'airtable', 10, lease('b', start + 44_999))).toEqual([])
    expect(await findNextDueAt(db, 'airtable')).toBe(start + 45_000)
    const [claimed] = await claimDue(db, 'airtable', 10, lease('b', start + 45_000))
    expect(claimed).toMatchObject({ attempts: 2, lead: makeLead().lead })
  })

  it('knows when the next delivery is due, whoever holds what before it', async () => {
    const db = await openTestDatabase(engine)
    const ids: string[] = []
    for (let at = 0; at < 4; at++) ids.push(await saveId(db))
    const times = fc.integer({ min: 0, max: 6 })
    const delivery = fc.record({ next_attempt_at: times, leased_until: times })
    await fc.assert(
      fc.asyncProperty(fc.array(delivery, { minLength: 4, maxLength: 4 }), async (deliveries) => {
        for (const [at, set] of deliveries.entries())
          await db.kysely
            .updateTable('deliveries')
            .set(set)
            .where('lead_id', '=', ids[at] ?? '')
            .execute()
        const dueAts = deliveries.map((one) => Math.max(one.next_attempt_at, one.leased_until))
        expect(await findNextDueAt(db, 'airtable')).toBe(Math.min(...dueAts))
      }),
      { numRuns: 100 },
    )
    expect(await findNextDueAt(db, 'email')).toBeUndefined()
  })

  it('keeps a renewed lease', async () => {
    const db = await openTestDatabase(engine)
    await save(db)
    await acquireChannel(db, 'airtable', lease('a', start))
    await claimDue(db, 'airtable', 10, lease('a', start))
    expect(await renewLease(db, 'airtable', true, lease('a', start + 30_000))).toBe(true)
    expect(await acquireChannel(db, 'airtable', lease('b', start + 50_000))).toBe(false)
    expect(await claimDue(db, 'airtable', 10, lease('b', start + 50_000))).toEqual([])
  })

  it('tells a holder that has lost its channel', async () => {
    const db = await openTestDatabase(engine)
    await acquireChannel(db, 'airtable', lease('a', start))
    await acquireChannel(db, 'airtable', lease('b', start + 45_000))
    expect(await renewLease(db, 'airtable', true, lease('a', start + 46_000))).toBe(false)
  })

  it('lets one sender at a time have a channel, and lets it rest', async () => {
    const db = await openTestDatabase(engine)
    const takers = ['a', 'b', 'c', 'd']
    const taken = await Promise.all(
      takers.map((holder) => acquireChannel(db, 'airtable', lease(holder, start))),
    )
    expect(taken.filter(Boolean)).toHaveLength(1)
    const holder = takers[taken.indexOf(true)] ?? ''
    await releaseChannel(db, 'airtable', 'somebody else', 0)
    expect(await acquireChannel(db, 'airtable', lease('e', start))).toBe(false)
    await releaseChannel(db, 'airtable', holder, start + 31_000)
    expect(await acquireChannel(db, 'airtable', lease('e', start + 30_999))).toBe(false)
    expect(await acquireChannel(db, 'airtable', lease('e', start + 31_000))).toBe(true)
  })

  it('settles what was sent and puts off what was not', async () => {
    const db = await openTestDatabase(engine)
    const sent = await saveId(db)
    const failed = await saveId(db, {}, start + 1)
    const now = start + 10
    await claimDue(db, 'airtable', 10, lease('a', now))
    await settleDeliveries(
      db,
      'airtable',
      [
        { occasion: 'received', leadId: sent, ok: true, note: 'as text' },
        {
          occasion: 'received',
          leadId: failed,
          ok: false,
          error: '503',
          nextAttemptAt: now + 5_000,
        },
      ],
      { holder: 'a', now },
    )
    expect((await findLead(db, sent))?.deliveries[0]).toMatchObject({
      state: 'sent',
      note: 'as text',
      settledAt: now,
    })
    expect((await findLead(db, failed))?.deliveries[0]).toMatchObject({
      state: 'waiting',
      attempts: 1,
      lastError: '503',
      nextAttemptAt: now + 5_000,
    })
    expect(await countWaiting(db)).toEqual([
      { channel: 'airtable', waiting: 1, oldestAt: start + 1 },
    ])
    expect(await findNextDueAt(db, 'airtable')).toBe(now + 5_000)
  })

  it('takes a late success from a holder that lost its lease, but no failure', async () => {
    const db = await openTestDatabase(engine)
    const first = await saveId(db)
    const second = await saveId(db)
    await claimDue(db, 'airtable', 10, lease('slow', start))
    const later = start + 45_000
    await claimDue(db, 'airtable', 10, lease('b', later))
    await settleDeliveries(
      db,
      'airtable',
      [
        { occasion: 'received', leadId: first, ok: true },
        { occasion: 'received', leadId: second, ok: false, error: 'late', nextAttemptAt: 0 },
      ],
      { holder: 'slow', now: later },
    )
    expect((await findLead(db, first))?.deliveries[0]?.state).toBe('sent')
    expect((await findLead(db, second))?.deliveries[0]?.lastError).toBeNull()
    expect(await claimDue(db, 'airtable', 10, lease('c', later))).toEqual([])
  })

  it('lists the newest leads first, page by page', async () => {
    const db = await openTestDatabase(engine)
    const ids: string[] = []
    for (let at = 0; at < 5; at++) ids.unshift(await saveId(db, {}, start + Math.floor(at / 2)))
    const pages: string[] = []
    let before: { id: string; receivedAt: number } | undefined
    do {
      const page = await listLeads(db, { limit: 2, before })
      pages.push(...page.map(({ id }) => id))
      before = page.at(-1)
    } while (before)
    expect([...pages].sort()).toEqual([...ids].sort())
    expect(pages[0]).toBe(ids[0])
  })

  it('makes waiting deliveries due at once, one or all', async () => {
    const db = await openTestDatabase(engine)
    const id = await saveId(db, { channels: ['airtable', 'email'] }, start + minuteMs)
    await save(db, {}, start + minuteMs)
    expect(await retryDeliveries(db, id, start)).toBe(2)
    expect(await claimDue(db, 'airtable', 10, lease('a', start))).toHaveLength(1)
    // What is being sent is left alone.
    expect(await retryDeliveries(db, 'all', start)).toBe(2)
  })

  // SQLite has one writer.
  it.skipIf(engine === 'sqlite')('makes them due past a settlement that is half done', async () => {
    const db = await openTestDatabase(engine)
    const [first, second] = [await saveId(db), await saveId(db)]
    const touch = (trx: Kysely<Tables>, id: string) =>
      trx.updateTable('deliveries').set({ note: 'met' }).where('lead_id', '=', id).execute()
    const retried = await db.kysely.transaction().execute(async (settlement) => {
      await touch(settlement, second)
      const retry = retryDeliveries(db, 'all', start).catch(String)
      await Promise.race([retry, waitUntil(async () => (await countBlocked(db)) > 0)])
      // Whoever holds this row and waits for the other would wait for ever.
      await touch(settlement, first)
      return retry
    })
    expect(retried).toBe(1)
  })

  it('erases a lead with everything about it', async () => {
    const db = await openTestDatabase(engine)
    const id = await saveId(db)
    expect(await eraseLead(db, id)).toBe(true)
    expect(await findLead(db, id)).toBeUndefined()
    expect(await countWaiting(db)).toEqual([])
    expect(await eraseLead(db, id)).toBe(false)
  })

  it('proves again and again that it can write, and keeps nothing of it', async () => {
    const db = await openTestDatabase(engine)
    for (let at = 0; at < 3; at++) await proveWritable(db)
    expect(await db.kysely.selectFrom('write_checks').select('id').execute()).toHaveLength(1)
  })
})
