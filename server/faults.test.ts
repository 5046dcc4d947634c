import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { acquireChannel } from '#leads/store/channel-leases.ts'
import { claimDue } from '#leads/store/deliveries.ts'
import { countLeads, countWaiting } from '#leads/store/reading.ts'
import { proveWritable } from '#leads/store/write-check.ts'
import { createTestApp } from '#testing/app.ts'
import { createLocation, engines, openTestDatabase, runSql } from '#testing/database.ts'
import { fail, openDelivery, type Send, saveLeads, succeed } from '#testing/delivery.ts'
import { waitUntil } from '#testing/server-process.ts'
import { openDatabase } from './database.ts'

const hourMs = 3_600_000

async function open(engine: 'sqlite' | 'postgres') {
  const location = await createLocation(engine)
  const db = await openDatabase(location)
  onTestFinished(() => db.close())
  return { db, ...location }
}

/** A connection of another program. */
async function connectOther(databaseUrl: string) {
  const other = new pg.Client({ connectionString: databaseUrl })
  await other.connect()
  onTestFinished(() => other.end())
  return other
}

/** Runs something about each of the database's other connections. */
const selectOthers = (url: string, what = 'pid', where = 'true') =>
  runSql(
    url,
    `select ${what} from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and ${where}`,
  )

const cut = 'pg_terminate_backend(pid)'
const isWaiting = `wait_event_type = 'Lock'`
const cutConnections = (url: string) => selectOthers(url, cut).catch(() => {})

it('SQLite lets Node look at its sockets between transactions, however many queue', async () => {
  const { db } = await open('sqlite')
  let looks = 0
  let isDone = false
  const look = () => {
    looks += 1
    if (!isDone) setImmediate(look)
  }
  // One by one, as reminders are written, and not in a group.
  const saving = Promise.all(Array.from({ length: 300 }, () => proveWritable(db)))
  setImmediate(look)
  await saving
  isDone = true
  expect(looks).toBeGreaterThan(3)
})

describe.skipIf(!engines.includes('postgres'))('Postgres', () => {
  it('answers 503 while it only reads, as after a failover, and recovers by itself', async () => {
    const { db, databaseUrl = '' } = await open('postgres')
    const { post, checkHealth, clock } = createTestApp(db)
    expect((await post()).status).toBe(200)
    const name = new URL(databaseUrl).pathname.slice(1)
    const elsewhere = new URL('/postgres', databaseUrl).href
    const setReadOnly = async (value: 'on' | 'off') => {
      await runSql(elsewhere, `alter database ${name} set default_transaction_read_only = ${value}`)
      await cutConnections(databaseUrl)
      clock.at += 1_000
    }
    await setReadOnly('on')
    expect((await post()).status).toBe(503)
    expect(await checkHealth()).toBe(503)
    await setReadOnly('off')
    // The pool may hand out a connection once before it hears that it was cut.
    await waitUntil(async () => (await post()).status === 200)
    expect(await checkHealth()).toBe(200)
    expect(await countLeads(db)).toBe(2)
  })

  it('lives on when a connection is cut between two queries of a transaction', async () => {
    const { db, databaseUrl = '' } = await open('postgres')
    // Nobody waits for an answer then who could hear of it: unheard, the event would end the process.
    const failing = db.kysely.transaction().execute(async (trx) => {
      await sql`select 1`.execute(trx)
      await cutConnections(databaseUrl)
      await waitUntil(async () => (await selectOthers(databaseUrl)).length === 0)
      await sql`select 1`.execute(trx)
    })
    await expect(failing).rejects.toThrow()
    await saveLeads(db, 1)
    expect(await countLeads(db)).toBe(1)
  })

  it('takes other leads, deliveries and reminders while leads wait in the database', async () => {
    const { db, databaseUrl = '' } = await open('postgres')
    const { post, clock } = createTestApp(db)
    const other = await connectOther(databaseUrl)
    // What saveLead holds for a network: another process could be slow to give it back.
    const networks = Array.from({ length: 20 }, (_, at) => `203.0.${at}`)
    const hold = (network: string) =>
      other.query('select pg_advisory_lock(hashtextextended($1, 0))', [`${network}.0/24`])
    const visit = (network: string) => post({ 'test-client': `${network}.1` })
    await hold('198.51.100')
    const waiting = [visit('198.51.100')]
    const countHeld = async () => (await selectOthers(databaseUrl, 'pid', isWaiting)).length
    await waitUntil(async () => (await countHeld()) === 1)
    clock.at += 3_000
    expect((await visit('198.51.101')).status).toBe(200)
    for (const network of networks) {
      await hold(network)
      waiting.push(visit(network))
    }
    await waitUntil(async () => (await countHeld()) > 4)
    await proveWritable(db)
    const lease = { holder: 'me', now: clock.at, until: clock.at + 1 }
    expect(await claimDue(db, 'airtable', 1, lease)).toHaveLength(1)
    await other.query('select pg_advisory_unlock_all()')
    await Promise.all(waiting)
  })

  it('keeps every acknowledged lead once, however often connections are cut', async ({
    signal,
  }) => {
    const { db, databaseUrl = '' } = await open('postgres')
    const { post } = createTestApp(db, { rateLimitPerMinute: 0 })
    let repeated = 0
    let taken = Promise.withResolvers<void>()
    const send = async (key: string) => {
      while (!signal.aborted && (await post({ 'idempotency-key': key })).status !== 200)
        repeated += 1
      taken.resolve()
    }
    const sending = Promise.all(
      Array.from({ length: 8 }, async (_, visitor) => {
        for (let at = 0; at < 5; at++) await send(`${visitor}-${at}`)
      }),
    )
    let isDone = false
    sending.finally(() => {
      isDone = true
    })
    while (!isDone) {
      taken = Promise.withResolvers()
      await cutConnections(databaseUrl)
      // On a slow machine no transaction would ever come to its end between two cuts.
      await Promise.race([taken.promise, sending])
    }
    // By a connection of its own: the pool may not have heard yet which of its own were cut last.
    expect(await runSql(databaseUrl, 'select count(*)::int as leads from leads')).toEqual([
      { leads: 40 },
    ])
    expect(repeated).toBeGreaterThan(0)
  })
})

describe.each(engines)('a clock that is set back, on %s', (engine) => {
  it('does not lock out a visitor for as long as it was wrong', async () => {
    const { post, clock } = createTestApp(await openTestDatabase(engine), { rateLimitPerMinute: 2 })
    for (const status of [200, 200, 429]) expect((await post()).status).toBe(status)
    clock.at -= hourMs
    for (const status of [200, 200, 429]) expect((await post()).status).toBe(status)
    expect((await post()).retryAfter).toBeLessThanOrEqual(60)
  })

  it('does not leave /healthz with an old answer', async () => {
    const db = await openTestDatabase(engine)
    const { checkHealth, clock } = createTestApp(db)
    expect(await checkHealth()).toBe(200)
    await db.kysely.schema.alterTable('write_checks').renameTo('away').execute()
    clock.at -= hourMs
    expect(await checkHealth()).toBe(503)
    await db.kysely.schema.alterTable('away').renameTo('write_checks').execute()
  })

  it.each([false, true])('keeps no lead from going out; restarted: %s', async (restarts) => {
    const db = await openTestDatabase(engine)
    let works = false
    const send: Send = async (claimed) => ({ outcomes: claimed.map(works ? succeed : fail) })
    const changes = { restMs: 0 }
    let { deliver, clock, sends } = openDelivery(db, send, { changes })
    await saveLeads(db, 1, clock.at)
    await deliver()
    await saveLeads(db, 1, clock.at)
    // A process that was killed: its lease on the channel and on a lead stay behind.
    const lease = { holder: 'killed', now: clock.at, until: clock.at + 45_000 }
    expect(await acquireChannel(db, 'airtable', lease)).toBe(true)
    expect(await claimDue(db, 'airtable', 1, lease)).toHaveLength(1)
    expect(sends).toHaveLength(1)
    works = true
    clock.at -= hourMs
    if (restarts) deliver = openDelivery(db, send, { clock, changes }).deliver
    await deliver()
    // The lease runs on, by the new clock.
    clock.at += 51_000
    await deliver()
    clock.at += 1_000
    await deliver()
    expect(await countWaiting(db)).toEqual([])
  })
})
