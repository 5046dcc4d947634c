import { type Kysely, sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { waitUntil } from '#testing/processes.ts'
import { jane, listLeads, testTime as start, storeLead } from '#testing/saved-leads.ts'
import { noPromise } from '../deadline.ts'
import { dayMs, minuteMs } from '../time-units.ts'
import { acquire, claimDue, listDueTimes, release } from './claims.ts'
import { recordResults, retryDeliveries } from './deliveries.ts'
import { eraseLead } from './erase-lead.ts'
import { findLead } from './find-leads.ts'
import { findConfirmationLimit, forgetAddresses } from './limits.ts'
import { checkWritable, type NewLead, saveLead } from './save-lead.ts'
import type { Database, Tables, Transact } from './tables.ts'

async function countBlockedQueries({ kysely }: Database) {
  const blocked = sql<{ pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  return (await blocked.execute(kysely)).rows.length
}

describe.each(engines)('the store on %s', (engine) => {
  let db: Database
  beforeEach(async () => {
    db = await openTestDatabase(engine)
  })

  const save = async (
    changes: Partial<NewLead>,
    now = start,
    limitPerMinute = 1000,
    transact = db.transact,
  ) => {
    const visit = { suspect: null, consent: null, source: null }
    const rest = {
      bodyHash: '',
      clientAddress: '203.0.113.7',
      idempotencyKeys: [],
      recipients: [],
      ...noPromise,
    }
    const { outcome, ...more } = await saveLead(
      { ...db, transact },
      { lead: jane, visit, ...rest, ...changes },
      { now, limitPerMinute, makeId: () => crypto.randomUUID() },
    )
    return 'retryAfterMs' in more ? more.retryAfterMs : outcome
  }
  /** Saves three leads in parallel. On PostgreSQL, two arrive after the first is stored but before its commit. */
  async function saveAtOnce(changes: Partial<NewLead>, limitPerMinute: number) {
    const saveWith = (transact?: Transact) => save(changes, start, limitPerMinute, transact)
    if (engine === 'sqlite') return Promise.all([saveWith(), saveWith(), saveWith()])
    // db.transact would time out waiting for the lock.
    const transact: Transact = (work) => db.kysely.transaction().execute(work)
    const stored = Promise.withResolvers<void>()
    const commit = Promise.withResolvers<void>()
    const first = saveWith((work) =>
      transact(async (trx) => {
        const outcome = await work(trx)
        stored.resolve()
        await commit.promise
        return outcome
      }),
    )
    // If the first fails, end the test with its error instead of a timeout.
    await Promise.race([stored.promise, first])
    let done = 0
    const others = [saveWith(transact), saveWith(transact)].map((other) =>
      other.finally(() => done++),
    )
    await waitUntil(async () => done + (await countBlockedQueries(db)) === others.length)
    commit.resolve()
    return Promise.all([first, ...others])
  }

  it('stores one lead for parallel requests with the same key', async () => {
    const outcomes = await saveAtOnce({ idempotencyKeys: ['k'] }, 0)
    expect(outcomes).toEqual(['saved', 'repeated', 'repeated'])
    expect(await listLeads(db, { limit: 30 })).toHaveLength(1)
  })

  it('limits the leads of one client per minute, even for parallel requests', async () => {
    for (let at = 0; at < 4; at++) await save({}, start, 5)
    expect(await saveAtOnce({}, 5)).toEqual(['saved', minuteMs, minuteMs])
    expect(await save({}, start + 20_000, 5)).toBe(40_000)
    expect(await save({ clientAddress: '203.0.113.8' }, start, 5)).toBe('saved')
    expect(await save({}, start + minuteMs, 5)).toBe('saved')
    // 0 means no limit. A repeated request succeeds even at the limit.
    expect(await save({ idempotencyKeys: ['k'] }, start, 0)).toBe('saved')
    expect(await save({ idempotencyKeys: ['k'] }, start, 1)).toBe('repeated')
  })

  describe('confirmation emails', () => {
    const recipients = { recipients: ['airtable', 'confirmation'], limited: ['confirmation'] }
    const confirm = (email: string, now = start, changes: Partial<NewLead> = {}) =>
      save({ ...recipients, lead: { ...jane, email }, ...changes }, now, 0)
    const listConfirmed = async () => {
      const leads = await listLeads(db, { limit: 300 })
      for (const { deliveries } of leads) expect(deliveries[0]?.recipient).toBe('airtable')
      return leads
        .filter(({ deliveries }) =>
          deliveries.some(({ recipient }) => recipient === 'confirmation'),
        )
        .map(({ email }) => email)
    }
    const readLimits = () => db.kysely.selectFrom('confirmationLimits').selectAll().execute()

    it('are limited to 200 a day, also for parallel requests', async () => {
      await confirm('first@example.com')
      await sql`update confirmation_limits set used = 197 where name = 'all'`.execute(db.kysely)
      const names = Array.from({ length: 20 }, (_, at) => `${at % 10}@example.com`)
      const outcomes = await Promise.all(names.map((email) => confirm(email)))
      expect(new Set(outcomes)).toEqual(new Set(['saved']))
      expect(new Set(await listConfirmed()).size).toBe(4)
      expect(await listConfirmed()).toHaveLength(4)
    })

    it('are limited to 20 a day per network, without affecting other networks', async () => {
      const findLimit = (now = start) => findConfirmationLimit(db, now)
      const from = (clientAddress: string) => ({ clientAddress })
      const names = Array.from({ length: 22 }, (_, at) => `${at}@example.com`)
      await Promise.all(names.slice(0, 19).map((name) => confirm(name, start, from('192.0.2.1'))))
      expect(await findLimit()).toBeUndefined()
      for (const name of names.slice(19)) await confirm(name, start, from('192.0.2.200'))
      expect(await listConfirmed()).toHaveLength(20)
      const midnight = Date.parse('2026-11-16T00:00:00Z')
      expect(await findLimit()).toEqual({ kind: 'network', emails: 20, until: midnight })
      // From another network, the two email addresses without a confirmation get one.
      for (const name of names.slice(20)) await confirm(name, start, from('198.51.100.1'))
      expect(await listConfirmed()).toHaveLength(22)
      await sql`update confirmation_limits set used = 200 where name = 'all'`.execute(db.kysely)
      expect(await findLimit()).toMatchObject({ kind: 'all', emails: 200 })
      expect(await findLimit(midnight)).toBeUndefined()
    })

    it('leave no trace of an address after its lead is erased, or after two days', async () => {
      await confirm('old@example.com', start - 2 * dayMs)
      await forgetAddresses(db, start)
      expect(await readLimits()).toEqual([])
      await confirm('jane@example.com')
      const [lead] = await listLeads(db, { limit: 1 })
      await eraseLead(db, lead?.id ?? '')
      const kinds = (await readLimits()).map(({ name }) => name.replace(/:.*/, ''))
      expect(kinds.sort()).toEqual(['all', 'network'])
    })
  })

  it('finds when the next delivery is due, and when to look if another process is the sender', async () => {
    const find = async () =>
      (await listDueTimes(db, ['airtable'], { now: 6, holder: 'me' })).get('airtable')
    expect(await find()).toBeUndefined()
    await storeLead(db, { recipients: ['airtable'] })
    const set = (at: number) =>
      sql`update deliveries set next_attempt_at = ${at} where is_message = 1`.execute(db.kysely)
    await set(9)
    expect(await find()).toBe(9)
    await set(1)
    expect(await find()).toBe(1)
    await acquire(db, 'airtable', { holder: 'me', now: 5, until: 10 })
    expect(await find()).toBe(1)
    await release(db, 'airtable', 'me', 8)
    expect(await find()).toBe(8)
    await acquire(db, 'airtable', { holder: 'other', now: 8, until: 10 })
    expect(await find()).toBe(506)
  })

  const claim = (holder: string, now: number) =>
    claimDue(
      db,
      'airtable',
      { holder, now, until: now + 45_000 },
      { batchSize: 10, messageId: 'message' },
    )
  const received = { reason: 'received' as const, revision: 0 }

  it('records a success, but not a failure, from a holder that lost its lease', async () => {
    const [first, second] = [await storeLead(db), await storeLead(db)]
    const later = start + 45_000
    await claim('slow', start)
    expect(await claim('b', later - 1)).toBeUndefined()
    expect((await claim('b', later))?.deliveries).toHaveLength(2)
    const failed = { ok: false as const, error: 'late', nextAttemptAt: 0 }
    const results = [
      { ...received, leadId: first, ok: true as const },
      { ...received, leadId: second, ...failed },
    ]
    await recordResults(db, 'airtable', results, { holder: 'slow', now: later })
    expect((await findLead(db, first))?.deliveries[0]?.state).toBe('sent')
    expect((await findLead(db, second))?.deliveries[0]?.lastError).toBeNull()
    expect(await claim('c', later)).toBeUndefined()
  })

  it('ignores leads from before the clock was set back in the rate limit', async () => {
    expect(await save({}, start + minuteMs, 1)).toBe('saved')
    expect(await save({}, start, 1)).toBe('saved')
    expect(await save({}, start, 1)).toBe(minuteMs)
  })

  it('leaves no row behind when it checks that leads can be stored', async () => {
    await checkWritable(db, start)
    for (const table of ['leads', 'deliveries', 'confirmationLimits'] as const)
      expect(await db.kysely.selectFrom(table).selectAll().execute()).toEqual([])
  })
})

// SQLite has one writer, so a deadlock can happen only on PostgreSQL.
it('retries deliveries without a deadlock while results are being recorded', async () => {
  const db = await openTestDatabase('postgres')
  const [first, second] = [await storeLead(db), await storeLead(db)]
  const touch = (trx: Kysely<Tables>, id: string) =>
    trx.updateTable('deliveries').set({ note: 'touched' }).where('leadId', '=', id).execute()
  const retried = await db.kysely.transaction().execute(async (recording) => {
    await touch(recording, second)
    const retry = retryDeliveries(db, 'all', start).catch(String)
    await Promise.race([retry, waitUntil(async () => (await countBlockedQueries(db)) > 0)])
    // If the retry had locked this row and waited for the other, this would be a deadlock.
    await touch(recording, first)
    return retry
  })
  expect(retried).toHaveLength(2)
})
