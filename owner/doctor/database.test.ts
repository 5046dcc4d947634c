import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { countLeads } from '#leads/store/reading.ts'
import { openDatabase } from '#server/database.ts'
import { createLocation, engines } from '#testing/database.ts'
import { checkBackups, checkDatabase } from './database.ts'

const gb = 1e9
const disk =
  (type = 0xef53, free = 80 * gb) =>
  async () => ({ type, bavail: free / 4096, bsize: 4096 })
const hasPostgres = engines.includes('postgres')

async function createSqlite() {
  const { dataDir } = await createLocation('sqlite')
  const db = await openDatabase({ dataDir })
  onTestFinished(() => db.close())
  return { dataDir, db, env: readEnv({ DATA_DIR: dataDir }) }
}

test('a running SQLite on a disk is all right, and nothing is left behind', async () => {
  const { env, db, dataDir } = await createSqlite()
  const before = readdirSync(dataDir)
  const checks = await checkDatabase(env, {}, disk())
  expect(checks.map(({ state }) => state)).toEqual(['ok', 'ok'])
  expect(checks[1]?.says).toContain('80 GB')
  expect(await countLeads(db)).toBe(0)
  expect(readdirSync(dataDir)).toEqual(before)
})

test('so is one that stands still', async () => {
  const { env, db, dataDir } = await createSqlite()
  await db.close()
  await checkDatabase(env, {}, disk())
  expect(readdirSync(dataDir)).toEqual(['leads.db'])
})

test.each([
  ['in memory', 0x01021994, /a restart takes all leads/],
  ['in a container', 0x794c7630, /a restart takes all leads/],
  ['on NFS', 0x6969, /network file system/],
  // As a signed number, which is how some kernels hand it over.
  ['on SMB', 0xff534d42 | 0, /network file system/],
])('a database %s is to do', async (_, type, sentence) => {
  const { env } = await createSqlite()
  const checks = await checkDatabase(env, {}, disk(type))
  expect(checks[1]).toMatchObject({ state: 'to do', says: expect.stringMatching(sentence) })
})

test('a nearly full disk is to do', async () => {
  const { env } = await createSqlite()
  const [, room] = await checkDatabase(env, {}, disk(0xef53, 0.3 * gb))
  expect(room).toMatchObject({ state: 'to do', says: 'The disk has 0.3 GB left.' })
})

test('no database yet is to do, and doctor makes none', async () => {
  const { dataDir } = await createLocation('sqlite')
  const [one] = await checkDatabase(readEnv({ DATA_DIR: dataDir }), {}, disk())
  expect(one).toMatchObject({ state: 'to do', next: expect.stringContaining('npm start') })
  expect(readdirSync(dataDir)).toEqual([])
})

test('a database that is none, is old or may lose leads is to do', async () => {
  const { dataDir } = await createLocation('sqlite')
  const env = readEnv({ DATA_DIR: dataDir })
  const file = join(dataDir, 'leads.db')
  writeFileSync(file, 'this is not a database, whatever its name says'.repeat(50))
  const look = async () => (await checkDatabase(env, {}, disk()))[0]
  expect(await look()).toMatchObject({
    state: 'to do',
    says: expect.stringContaining('takes no lead'),
  })

  rmSync(file)
  new DatabaseSync(file).close()
  expect(await look()).toMatchObject({ state: 'to do', says: expect.stringContaining('earlier') })

  await (await openDatabase({ dataDir })).close()
  const sqlite = new DatabaseSync(file)
  sqlite.exec('pragma journal_mode = memory')
  sqlite.exec('pragma journal_mode = delete')
  sqlite.close()
  expect(await look()).toMatchObject({ state: 'to do', says: expect.stringContaining('delete') })
})

test('leads at another backend are out of sight', async () => {
  const given = { VITE_SUPABASE_URL: 'https://b.test' }
  expect(await checkDatabase(readEnv(given), given)).toMatchObject([{ state: 'cannot tell' }])
  expect(checkBackups(readEnv(given), given, 0)).toMatchObject({ state: 'cannot tell' })
  const postgres = { DATABASE_URL: 'postgres://a@b.test/c' }
  expect(checkBackups(readEnv(postgres), postgres, 0)).toMatchObject({ state: 'cannot tell' })
})

test.skipIf(!hasPostgres)('a PostgreSQL that may lose commits is to do', async () => {
  // The tests' server runs without fsync.
  const location = await createLocation('postgres')
  const db = await openDatabase(location)
  onTestFinished(() => db.close())
  const env = readEnv({ DATABASE_URL: location.databaseUrl })
  const [one] = await checkDatabase(env, {})
  expect(one).toMatchObject({ state: 'to do', says: expect.stringContaining('fsync switched off') })
  expect(await countLeads(db)).toBe(0)
})

test('backups: none, an empty one, an old one, a fresh one', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'backups-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true }))
  const now = Date.parse('2026-11-15T12:00:00Z')
  const env = readEnv({ DATA_DIR: dataDir })
  const stateOf = (given = {}) => checkBackups(env, given, now).state
  const write = (folder: string, name: string, hoursAgo: number, text = 'x') => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), text)
    const at = (now - hoursAgo * 3_600_000) / 1000
    utimesSync(join(folder, name), at, at)
  }
  const folder = join(dataDir, 'backups')
  expect(stateOf()).toBe('to do')
  write(folder, 'leads-20261115T110000Z.sqlite.gz', 1, '')
  write(folder, 'notes.txt', 1)
  expect(stateOf()).toBe('to do')
  write(folder, 'leads-20261114T100000Z.sqlite.gz', 26)
  expect(checkBackups(env, {}, now)).toMatchObject({
    state: 'to do',
    says: expect.stringContaining('26 hours old'),
  })
  write(folder, 'leads-20261114T130000Z.sqlite.gz', 23)
  expect(stateOf()).toBe('ok')
  const elsewhere = join(dataDir, 'elsewhere')
  expect(stateOf({ BACKUP_DIR: elsewhere })).toBe('to do')
  write(elsewhere, 'leads-20261115T110000Z.sqlite.gz', 1)
  expect(stateOf({ BACKUP_DIR: elsewhere })).toBe('ok')
})
