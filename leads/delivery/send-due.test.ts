import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import {
  fail,
  openDelivery,
  readDeliveries,
  readStates,
  type Send,
  saveLeads,
  sendWell,
  succeed,
} from '#testing/delivery.ts'
import { testTime as start } from '#testing/saved-leads.ts'
import { waitUntil } from '#testing/server-process.ts'
import { acquire } from '../store/claims.ts'
import type { Database, Engine } from '../store/tables.ts'
import { systemTimers, type Timers } from '../timers.ts'
import { leaseMs } from './send-due.ts'

async function save(count: number, engine: Engine = 'sqlite') {
  const db = await openTestDatabase(engine)
  await saveLeads(db, count)
  return db
}

it.each(engines)('waits as long as the service asks, in every process, on %s', async (engine) => {
  const db = await save(3, engine)
  const changes = { batchSize: 2 }
  const refuse: Send = async (leads) =>
    leads.map(() => ({ ok: false, error: 'wait', retryAfterMs: 31_000 }))
  const locked = openDelivery(db, refuse, { changes })
  await locked.deliver()
  expect(locked.sends).toHaveLength(1)
  const other = openDelivery(db, sendWell, { clock: { at: start + 30_999 }, changes })
  await other.deliver()
  expect(other.sends).toHaveLength(0)
  other.clock.at = start + 31_000
  await other.deliverer.deliverDue(5_000)
  expect(other.sends.map(({ ids }) => ids.length)).toEqual([2, 1])
})

it('sends due deliveries in batches, pauses between them, and records the results', async () => {
  const db = await save(5)
  const changes = { batchSize: 2 }
  const { deliver, sends, clock, deliverer } = openDelivery(db, sendWell, { changes })
  await deliverer.deliverDue(10_000)
  expect(sends.map(({ ids, at }) => [ids.length, at - start])).toEqual([
    [2, 0],
    [2, 250],
    [1, 500],
  ])
  expect(await readStates(db)).toEqual(Array(5).fill('sent'))
  clock.at += 1_000_000
  await deliver()
  expect(sends).toHaveLength(3)
})

it('starts no send after its time is over', async () => {
  const db = await save(3)
  const changes = { batchSize: 1 }
  const { deliver, deliverer, sends, clock } = openDelivery(db, sendWell, { changes })
  // A pause of 250 ms follows each send.
  await deliverer.deliverDue(500)
  expect(sends).toHaveLength(2)
  clock.at += 250
  await deliver()
  expect(await readStates(db)).toEqual(Array(3).fill('sent'))
})

it('retries after an exception, and does not log its message', async () => {
  const db = await save(1)
  const { deliver, log } = openDelivery(db, async () => {
    throw new TypeError('zoe@example.com is odd')
  })
  await deliver()
  const lastError = 'TypeError'
  expect(await readDeliveries(db)).toMatchObject([{ state: 'waiting', attempts: 1, lastError }])
  expect(JSON.stringify(log.entries)).not.toContain('zoe')
})

it('takes over the deliveries of a killed process after 20 s', async () => {
  const db = await save(1)
  const sending = Promise.withResolvers<void>()
  const killed = openDelivery(db, () => {
    sending.resolve()
    return new Promise(() => {})
  })
  void killed.deliver()
  await sending.promise
  const next = openDelivery(db, sendWell)
  next.clock.at += leaseMs - 1
  await next.deliver()
  expect(next.sends).toHaveLength(0)
  next.clock.at += 1
  await next.deliver()
  expect(next.sends).toHaveLength(1)
  expect(await readDeliveries(db)).toMatchObject([{ state: 'sent', attempts: 2 }])
})

it('does not send after a pause if another process has become the sender', async () => {
  const db = await save(2)
  const options = { holder: 'other', until: start + 120_000 }
  let sends = 0
  const paused = openDelivery(
    db,
    async (claimed) => {
      sends += 1
      paused.clock.at += leaseMs
      expect(await acquire(db, 'airtable', { ...options, now: paused.clock.at })).toBeDefined()
      return claimed.map(fail)
    },
    { changes: { batchSize: 1 } },
  )
  await paused.deliver()
  expect(sends).toBe(1)
  // The failure of a process that is no longer the sender does not count.
  expect((await readDeliveries(db)).map(({ lastError }) => lastError)).toEqual([null, null])
})

describe('renews its lease', () => {
  const options = { renewEveryMs: 2, changes: { batchSize: 1 } }
  // The test controls the clock, so a renewed lease ends exactly `leaseMs` after `clock.at`.
  const waitForRenewal = (db: Database, clock: { at: number }) =>
    waitUntil(async () => {
      const rows = await db.kysely.selectFrom('recipients').select('until').execute()
      return rows[0]?.until === clock.at + leaseMs
    })

  it('during a long send, which is aborted if the lease is lost', async () => {
    const db = await save(3)
    const clock = { at: start }
    const send: Send = async (leads, signal) => {
      clock.at += 15_000
      await waitForRenewal(db, clock)
      clock.at += 15_000
      const another = { holder: 'another', now: clock.at, until: clock.at + 1 }
      expect(await acquire(db, 'airtable', another)).toBeUndefined()
      // Listen first, because the abort may come before the update returns.
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
      await db.kysely.updateTable('recipients').set({ holder: 'another' }).execute()
      await aborted
      return leads.map(fail)
    }
    const { deliver, sends } = openDelivery(db, send, { clock, ...options })
    await deliver()
    expect(sends).toHaveLength(1)
    // The aborted run did not release the new holder's lease.
    const third = { holder: 'third', now: clock.at + 1_000, until: clock.at + 2_000 }
    expect(await acquire(db, 'airtable', third)).toBeUndefined()
  })

  it('or aborts the send before another process could become the sender', async () => {
    const db = await save(1)
    const timers: Timers = {
      ...systemTimers,
      // Never renew the lease, as if the database did not respond, and abort the send after 1 ms instead of 2 s before
      // the lease expires.
      start: (ms, work) =>
        ms === 60_000 ? () => {} : systemTimers.start(ms === 18_000 ? 1 : ms, work),
    }
    const { deliver } = openDelivery(
      db,
      (_, signal) => new Promise((_, reject) => signal.addEventListener('abort', reject)),
      { timers, renewEveryMs: 60_000 },
    )
    await deliver()
    expect(await readDeliveries(db)).toMatchObject([{ state: 'waiting', attempts: 1 }])
  })

  it('one at a time, so that an older renewal cannot overwrite a newer one', async () => {
    const db = await save(1, 'postgres')
    const countBlocked = async () => {
      const { rows } = await sql<{ blocked: number }>`
        select count(*)::int as blocked from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`.execute(db.kysely)
      return rows[0]?.blocked
    }
    const send: Send = async (leads) => {
      await db.kysely.transaction().execute(async (trx) => {
        await trx.selectFrom('recipients').selectAll().forUpdate().execute()
        await waitUntil(async () => (await countBlocked()) === 1)
        // More renewals are due by now. PostgreSQL briefly reports no wait while it checks for a deadlock.
        for (let at = 0; at < 20; at++) expect(await countBlocked()).toBeLessThan(2)
      })
      return leads.map(succeed)
    }
    const { deliver } = openDelivery(db, send, options)
    await deliver()
    expect(await readStates(db)).toEqual(['sent'])
  })
})

it('lets other processes send as soon as it stops', async () => {
  const db = await save(2)
  const stopped = openDelivery(db, sendWell, {
    changes: { batchSize: 1 },
    pause: async () => void stopped.deliverer.stop(0),
  })
  await stopped.deliver()
  expect(await readStates(db)).toEqual(['sent', 'waiting'])
  const other = openDelivery(db, sendWell, { clock: { at: start + 250 } })
  await other.deliver()
  expect(await readStates(db)).toEqual(['sent', 'sent'])
})

/** Delays one delivery, as if it had failed often. */
async function delayOne({ kysely }: Database, nextAttemptAt: number) {
  const waiting = kysely.selectFrom('deliveries').where('state', '=', 'waiting')
  const { leadId: id } = await waiting.select('leadId').executeTakeFirstOrThrow()
  const delayed = kysely.updateTable('deliveries').set({ nextAttemptAt })
  await delayed.where('leadId', '=', id).execute()
}

it('logs the start and end of an outage, and then sends pending deliveries immediately', async () => {
  const db = await save(1)
  let works = true
  const { deliver, log, clock } = openDelivery(db, async (leads) =>
    leads.map(works ? succeed : fail),
  )
  await deliver()
  clock.at += 1_000
  await saveLeads(db, 2, clock.at)
  works = false
  for (let at = 0; at < 2; at++) {
    await deliver()
    clock.at += 900_000
  }
  await delayOne(db, clock.at + 800_000)
  works = true
  await deliver()
  clock.at += 1_000
  await deliver()
  expect(await readStates(db)).toEqual(Array(3).fill('sent'))
  expect(log.entries.map(({ message }) => message)).toEqual([
    'sent',
    'airtable does not accept leads; retrying',
    'airtable accepts leads again',
    'sent',
    'sent',
  ])
})

it('sends delayed deliveries after the first success of a new process', async () => {
  const db = await save(2)
  await delayOne(db, start + 800_000)
  const { deliver, clock } = openDelivery(db, sendWell)
  await deliver()
  clock.at += 1_000
  await deliver()
  expect(await readStates(db)).toEqual(['sent', 'sent'])
})
