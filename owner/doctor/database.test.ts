import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { openDatabase } from '#server/database.ts'
import { createDir, createLocation, engines } from '#testing/database.ts'
import { listChecks } from './check.ts'
import { checkBackups, checkDatabase } from './database.ts'

const ext4 = 0xef53
const toDo = (text: string) => ({ state: 'to do', says: expect.stringContaining(text) })

async function look(given: Record<string, string | undefined>, type = ext4, freeGb = 80) {
  const readStatfs = async () => ({ type, bavail: (freeGb * 1e9) / 4096, bsize: 4096 })
  return listChecks(await checkDatabase(readEnv(given), given, readStatfs))
}

test.each(engines)(
  'a database that takes a lead is all right, and stays as it is: %s',
  async (engine) => {
    const { dataDir, databaseUrl } = await createLocation(engine)
    const db = await openDatabase({ dataDir, databaseUrl })
    onTestFinished(() => db.close())
    const before = dataDir && readdirSync(dataDir)
    const [stored] = await look({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl })
    expect(stored).toMatchObject({ state: 'ok', says: expect.stringContaining('takes a lead') })
    expect(await db.kysely.selectFrom('write_checks').select('id').execute()).toEqual([])
    expect(dataDir && readdirSync(dataDir)).toEqual(before)
  },
)

test.each([
  ['in memory', 0x01021994, 80, 'a restart takes all leads'],
  ['in a container', 0x794c7630, 80, 'a restart takes all leads'],
  ['on NFS', 0x6969, 80, 'network file system'],
  // As a signed number, which is how some kernels hand it over.
  ['on SMB', 0xff534d42 | 0, 80, 'network file system'],
  ['on a nearly full disk', ext4, 0.3, 'The disk has 0.3 GB left.'],
])('a database %s is to do', async (_, type, freeGb, sentence) => {
  const dataDir = createDir()
  await openDatabase({ dataDir }).then((db) => db.close())
  expect((await look({ DATA_DIR: dataDir }, type, freeGb))[1]).toMatchObject(toDo(sentence))
})

test('no database yet, or what is none, is to do, and doctor makes none', async () => {
  const DATA_DIR = createDir()
  expect(await look({ DATA_DIR })).toMatchObject([toDo('no database')])
  expect(readdirSync(DATA_DIR)).toEqual([])
  writeFileSync(join(DATA_DIR, 'leads.db'), 'this is not a database, whatever its name'.repeat(50))
  expect((await look({ DATA_DIR }))[0]).toMatchObject(toDo('takes no lead (file is not a database'))
})

test('a PostgreSQL that is not there is to do, and its password is not said', async () => {
  const checks = await look({ DATABASE_URL: 'postgres://owner:password@127.0.0.1:1/leads' })
  expect(checks).toMatchObject([toDo('takes no lead (ECONNREFUSED)')])
  expect(JSON.stringify(checks)).not.toContain('password')
})

test('backups: none, an empty one, an old one, a fresh one, elsewhere', () => {
  const dataDir = createDir()
  const now = Date.parse('2026-11-15T12:00:00Z')
  const check = (given = {}) => checkBackups(readEnv({ DATA_DIR: dataDir }), given, now)
  const write = (folder: string, name: string, hoursAgo: number, text = 'x') => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), text)
    const at = (now - hoursAgo * 3_600_000) / 1000
    utimesSync(join(folder, name), at, at)
  }
  const folder = join(dataDir, 'backups')
  expect(check()).toMatchObject(toDo('no backup'))
  write(folder, 'leads-20261115T110000Z.sqlite.gz', 1, '')
  write(folder, 'notes.txt', 1)
  expect(check()).toMatchObject(toDo('no backup'))
  write(folder, 'leads-20261114T100000Z.sqlite.gz', 26)
  expect(check()).toMatchObject(toDo('26 hours old'))
  write(folder, 'leads-20261114T130000Z.sqlite.gz', 23)
  expect(check()).toMatchObject({ state: 'ok' })
  expect(check({ BACKUP_DIR: join(dataDir, 'elsewhere') })).toMatchObject(toDo('no backup'))
})

test('leads at another backend are out of sight, and so are their backups', async () => {
  const given = { VITE_SUPABASE_URL: 'https://b.test' }
  expect(await look(given)).toMatchObject([{ state: 'cannot tell' }])
  expect(checkBackups(readEnv(given), given, 0)).toMatchObject({ state: 'cannot tell' })
})
