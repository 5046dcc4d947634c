import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, onTestFinished } from 'vitest'
import { writeSetting } from '#leads/store/kept-settings.ts'
import { countLeads } from '#leads/store/reading.ts'
import { proveWritable } from '#leads/store/write-check.ts'
import { createTestApp } from '#testing/app.ts'
import { createLocation } from '#testing/database.ts'
import { openDatabase } from './database.ts'

/** Another program that holds SQLite's write lock, until it lets go. */
function holdLock(dataDir: string) {
  const other = new DatabaseSync(join(dataDir, 'leads.db'))
  other.exec('begin immediate')
  onTestFinished(() => other.close())
  return { letGo: () => other.exec('rollback') }
}

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve))

async function open(lockWaitMs?: number) {
  const { dataDir } = await createLocation('sqlite')
  const db = await openDatabase({ dataDir, lockWaitMs })
  onTestFinished(() => db.close())
  return { db, dataDir }
}

it('a new database opens although another process is just making it', async () => {
  const { dataDir } = await createLocation('sqlite')
  const lock = holdLock(dataDir)
  // The first try is made before this returns, while the lock is held.
  const opening = openDatabase({ dataDir })
  lock.letGo()
  const db = await opening
  onTestFinished(() => db.close())
  await proveWritable(db)
})

it('migrations wait for the lock, and where there are none nobody needs it', async () => {
  const { dataDir } = await createLocation('sqlite')
  new DatabaseSync(join(dataDir, 'leads.db')).exec('pragma journal_mode = wal')
  const lock = holdLock(dataDir)
  const opening = openDatabase({ dataDir })
  await turnOfLoop()
  lock.letGo()
  await (await opening).close()
  holdLock(dataDir)
  await (await openDatabase({ dataDir, lockWaitMs: 0 })).close()
})

it('waits for the lock without keeping anybody else from the process or from reading', async () => {
  const { db, dataDir } = await open()
  const { post } = createTestApp(db)
  const lock = holdLock(dataDir)
  const writes = [post(), proveWritable(db), writeSetting(db, 'name', 'value')]
  await turnOfLoop()
  expect(await countLeads(db)).toBe(0)
  await turnOfLoop()
  // One who comes while the first still waits is stored with it.
  writes.push(post())
  lock.letGo()
  await Promise.all(writes)
  expect(await countLeads(db)).toBe(2)
})

it('answers 503 when the lock is held for too long, and takes leads again after', async () => {
  const { db, dataDir } = await open(50)
  const { post, checkHealth, clock, log } = createTestApp(db)
  const lock = holdLock(dataDir)
  const refused = await post({ 'idempotency-key': 'one' })
  expect(refused).toMatchObject({ status: 503, code: 'unavailable', retryAfter: 5 })
  expect(await checkHealth()).toBe(503)
  expect(JSON.stringify(log.entries)).toContain('database is locked')
  lock.letGo()
  clock.at += 1_000
  expect((await post({ 'idempotency-key': 'one' })).status).toBe(200)
  expect(await checkHealth()).toBe(200)
  expect(await countLeads(db)).toBe(1)
})
