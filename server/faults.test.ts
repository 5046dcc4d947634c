import { renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { acquire } from '#leads/store/claims.ts'
import { createTestApp } from '#testing/app.ts'
import { createLocation, openLocation, runSql } from '#testing/database.ts'
import { saveLeads } from '#testing/delivery.ts'
import { countLeads } from '#testing/saved-leads.ts'
import { waitUntil } from '#testing/server-process.ts'

async function open(engine: 'sqlite' | 'postgres') {
  const location = await createLocation(engine)
  return { db: await openLocation(location), ...location }
}

/** Opens a connection as another program would. */
async function connectOther(databaseUrl: string) {
  const other = new pg.Client({ connectionString: databaseUrl })
  await other.connect()
  onTestFinished(() => other.end())
  return other
}

/** Selects from the database's other connections. */
const selectOthers = (url: string, what = 'pid', where = 'true') =>
  runSql(
    url,
    `select ${what} from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and ${where}`,
  )

const cut = 'pg_terminate_backend(pid)'
const isWaiting = `wait_event_type = 'Lock'`
const cutConnections = (url: string) => selectOthers(url, cut).catch(() => {})

it('SQLite yields to the event loop between queued transactions', async () => {
  const { db } = await open('sqlite')
  let looks = 0
  let isDone = false
  const look = () => {
    looks += 1
    if (!isDone) setImmediate(look)
  }
  // Make each transaction as slow as on a slow disk. Several due reminders can form a queue like this.
  const save = () =>
    db.kysely.transaction().execute(async (trx) => {
      await sql`select 1`.execute(trx)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 11)
    })
  const saving = Promise.all(Array.from({ length: 10 }, save))
  setImmediate(look)
  await saving
  isDone = true
  expect(looks).toBeGreaterThan(3)
})

describe('SQLite', () => {
  it('rejects a second use of the database inside a transaction instead of deadlocking', async () => {
    const { db } = await open('sqlite')
    const message = 'Inside a transaction, use the transaction'
    const useDatabase = () => countLeads(db)
    const save = () => saveLeads(db, 1)
    await expect(db.kysely.transaction().execute(useDatabase)).rejects.toThrow(message)
    await expect(db.transact(useDatabase)).rejects.toThrow(message)
    await expect(db.transact(save)).rejects.toThrow(message)
    // Work that continues after the transaction may use the database.
    const { late } = await db.kysely.transaction().execute(async () => ({
      late: new Promise((resolve) => setImmediate(resolve)).then(() => countLeads(db)),
    }))
    expect(await late).toBe(0)
  })

  it.each(['leads.db', 'leads.db-wal'])(
    'answers 503 while %s is missing or replaced',
    async (name) => {
      const { db, dataDir } = await open('sqlite')
      const { post, checkHealth, clock } = createTestApp(db)
      const file = join(dataDir, name)
      const expectStatus = async (status: number) => {
        clock.at += 60_000
        expect((await post()).status).toBe(status)
        expect(await checkHealth()).toBe(status)
      }
      await expectStatus(200)
      renameSync(file, `${file}.away`)
      await expectStatus(503)
      expect(await countLeads(db)).toBeGreaterThan(0)
      writeFileSync(file, '')
      await expectStatus(503)
      renameSync(`${file}.away`, file)
      await expectStatus(200)
    },
  )

  it('stores leads while the state of its file cannot be read', async () => {
    const { db, dataDir } = await open('sqlite')
    const { post } = createTestApp(db)
    renameSync(dataDir, `${dataDir}.away`)
    onTestFinished(() => rmSync(`${dataDir}.away`, { recursive: true }))
    symlinkSync(dataDir, dataDir)
    expect(() => statSync(dataDir)).toThrow('ELOOP')
    expect((await post()).status).toBe(200)
  })
})

describe('Postgres', () => {
  it('answers 503 while the database is read-only, as after a failover, and recovers', async () => {
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
    // The pool may use a closed connection once before it notices.
    await waitUntil(async () => (await post()).status === 200)
    await waitUntil(async () => {
      clock.at += 1_000
      return (await checkHealth()) === 200
    })
    expect(await countLeads(db)).toBe(2)
  })

  it('survives a connection that closes between two queries of a transaction', async () => {
    const { db, databaseUrl = '' } = await open('postgres')
    // No query is running when the connection is cut, so an unhandled error event would crash the process.
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

  it('handles other leads, deliveries, and reminders while some leads wait for a lock', async () => {
    const { db, databaseUrl = '' } = await open('postgres')
    const { post, clock } = createTestApp(db)
    const other = await connectOther(databaseUrl)
    // saveLead acquires this lock per network; another process could hold it for a long time.
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
    const lease = { holder: 'me', now: clock.at, until: clock.at + 1 }
    expect(await acquire(db, 'airtable', lease)).toBeDefined()
    await other.query('select pg_advisory_unlock_all()')
    await Promise.all(waiting)
  })
})
