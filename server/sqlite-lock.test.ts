import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { checkWritable } from '#leads/store/save-lead.ts'
import { writeSetting } from '#leads/store/stored-settings.ts'
import { createTestApp } from '#testing/app.ts'
import { createDir, openLocation } from '#testing/database.ts'
import { countLeads } from '#testing/saved-leads.ts'

/** Holds SQLite's write lock as another program would. */
function holdLock(dataDir: string) {
  const other = new DatabaseSync(join(dataDir, 'leads.db'))
  other.exec('begin immediate')
  onTestFinished(() => other.close())
  return { release: () => other.exec('rollback') }
}

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve))

async function open(lockWaitMs?: number) {
  const dataDir = createDir()
  return { db: await openLocation({ dataDir, lockWaitMs }), dataDir }
}

// In WAL mode, only the migrations need the lock.
it.each(['delete', 'wal'])('waits for the lock to open a new database in mode %s', async (mode) => {
  const dataDir = createDir()
  new DatabaseSync(join(dataDir, 'leads.db')).exec(`pragma journal_mode = ${mode}`)
  const lock = holdLock(dataDir)
  let isOpen = false
  const opening = openLocation({ dataDir }).finally(() => {
    isOpen = true
  })
  await turnOfLoop()
  expect(isOpen).toBe(false)
  lock.release()
  expect(await countLeads(await opening)).toBe(0)
})

it('opens a database without the lock when no migration is pending', async () => {
  const { dataDir } = await open()
  holdLock(dataDir)
  expect(await countLeads(await openLocation({ dataDir, lockWaitMs: 0 }))).toBe(0)
})

it('waits for the lock without blocking the process or readers', async () => {
  const { db, dataDir } = await open()
  const { post } = createTestApp(db)
  const lock = holdLock(dataDir)
  const writes = [post(), checkWritable(db, Date.now()), writeSetting(db, 'name', 'value')]
  await turnOfLoop()
  expect(await countLeads(db)).toBe(0)
  await turnOfLoop()
  // A lead that arrives in the meantime is stored with the first.
  writes.push(post())
  lock.release()
  await Promise.all(writes)
  expect(await countLeads(db)).toBe(2)
})

it('answers 503 when the lock is held for too long, and recovers', async () => {
  const { db, dataDir } = await open(50)
  const { post, checkHealth, clock, log } = createTestApp(db)
  const lock = holdLock(dataDir)
  const refused = await post({ 'idempotency-key': 'one' })
  expect(refused).toMatchObject({ status: 503, code: 'unavailable', retryAfter: 5 })
  expect(await checkHealth()).toBe(503)
  expect(JSON.stringify(log.entries)).toContain('database is locked')
  lock.release()
  clock.at += 1_000
  expect((await post({ 'idempotency-key': 'one' })).status).toBe(200)
  expect(await checkHealth()).toBe(200)
  expect(await countLeads(db)).toBe(1)
})
