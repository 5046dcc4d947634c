import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { countLeads } from '#leads/store/reading.ts'
import { type DatabaseLocation, openDatabase } from '#server/database.ts'
import { createDir, createLocation, engines } from '#testing/database.ts'
import { listChecks } from './check.ts'
import { checkDatabase } from './database.ts'

const gb = 1e9
const ext4 = 0xef53

async function look({ dataDir, databaseUrl }: DatabaseLocation, type = ext4, free = 80 * gb) {
  const env = readEnv({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl })
  const readStatfs = async () => ({ type, bavail: free / 4096, bsize: 4096 })
  return listChecks(await checkDatabase(env, {}, readStatfs))
}

async function create(engine: 'sqlite' | 'postgres' = 'sqlite') {
  const location = await createLocation(engine)
  const db = await openDatabase(location)
  onTestFinished(() => db.close())
  return { db, location }
}

const toDo = (text: string) => ({ state: 'to do', says: expect.stringContaining(text) })

test('SQLite on a disk is all right, running or not, and nothing is left behind', async () => {
  const { db, location } = await create()
  const before = readdirSync(location.dataDir)
  const says = expect.stringContaining('80 GB')
  expect(await look(location)).toMatchObject([{ state: 'ok' }, { state: 'ok', says }])
  expect(await countLeads(db)).toBe(0)
  expect(readdirSync(location.dataDir)).toEqual(before)
  await db.close()
  await look(location)
  expect(readdirSync(location.dataDir)).toEqual(['leads.db'])
})

test.each([
  ['in memory', 0x01021994, 80, 'a restart takes all leads'],
  ['in a container', 0x794c7630, 80, 'a restart takes all leads'],
  ['on NFS', 0x6969, 80, 'network file system'],
  // As a signed number, which is how some kernels hand it over.
  ['on SMB', 0xff534d42 | 0, 80, 'network file system'],
  ['on a nearly full disk', ext4, 0.3, 'The disk has 0.3 GB left.'],
])('a database %s is to do', async (_, type, freeGb, sentence) => {
  const { location } = await create()
  expect((await look(location, type, freeGb * gb))[1]).toMatchObject(toDo(sentence))
})

test('no database yet is to do, and doctor makes none', async () => {
  const dataDir = createDir()
  expect(await look({ dataDir })).toMatchObject([toDo('no database')])
  expect(readdirSync(dataDir)).toEqual([])
})

test('a database that is none, is old or may lose leads is to do', async () => {
  const dataDir = createDir()
  const file = join(dataDir, 'leads.db')
  writeFileSync(file, 'this is not a database, whatever its name says'.repeat(50))
  expect((await look({ dataDir }))[0]).toMatchObject(toDo('takes no lead'))

  rmSync(file)
  new DatabaseSync(file).close()
  expect((await look({ dataDir }))[0]).toMatchObject(toDo('earlier'))

  await (await openDatabase({ dataDir })).close()
  const sqlite = new DatabaseSync(file)
  sqlite.exec('pragma journal_mode = delete')
  sqlite.close()
  expect((await look({ dataDir }))[0]).toMatchObject(toDo('delete'))
})

test('leads at another backend are out of sight', async () => {
  const given = { VITE_SUPABASE_URL: 'https://b.test' }
  expect(await checkDatabase(readEnv(given), given)).toMatchObject({ state: 'cannot tell' })
})

test.skipIf(!engines.includes('postgres'))(
  'a PostgreSQL that may lose commits is to do',
  async () => {
    // The tests' server runs without fsync.
    const { db, location } = await create('postgres')
    expect(await look(location)).toMatchObject([toDo('fsync switched off')])
    expect(await countLeads(db)).toBe(0)
  },
)
