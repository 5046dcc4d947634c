import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { recordConsent } from '#leads/store/stored-settings.ts'
import { createDir, createLocation, engines, openLocation, runSql } from '#testing/database.ts'
import { readDatabase } from './database.ts'

const read = (raw: Record<string, string | undefined>) =>
  readDatabase(readEnv(raw), raw, { now: Date.now, consentVersion: '2026-11' })

test.each(engines)('reads a database that can store a lead: %s', async (engine) => {
  const location = await createLocation(engine)
  const { dataDir: DATA_DIR, databaseUrl: DATABASE_URL } = location
  const db = await openLocation(location)
  const before = DATA_DIR && readdirSync(DATA_DIR)
  const expected = {
    leadsAre: 'here',
    database: {
      devices: [],
      silentDevices: [],
      pending: new Map(),
      undelivered: new Map(),
      isErasing: false,
      limitedAddresses: [],
    },
    // The PostgreSQL server for tests turns off fsync for speed.
    unsafeSettings: engine === 'postgres' ? ['fsync'] : [],
    storedConsent: undefined,
    pages: [],
  }
  expect(await read({ DATA_DIR, DATABASE_URL })).toEqual(expected)
  expect(DATA_DIR && readdirSync(DATA_DIR)).toEqual(before)
  // A version keeps the first text stored for it.
  await recordConsent(db, { version: '2026-11', text: 'We may call.' })
  await recordConsent(db, { version: '2026-11', text: 'We may sell.' })
  const found = await read({ DATA_DIR, DATABASE_URL })
  expect(found).toEqual({ ...expected, storedConsent: 'We may call.' })
})

test('reports synchronous_commit = off', async () => {
  const { dataDir, databaseUrl = '' } = await createLocation('postgres')
  await openLocation({ dataDir, databaseUrl })
  const { pathname } = new URL(databaseUrl)
  await runSql(databaseUrl, `alter database ${pathname.slice(1)} set synchronous_commit = off`)
  expect(await read({ DATABASE_URL: databaseUrl })).toMatchObject({
    unsafeSettings: ['fsync', 'synchronous_commit'],
  })
})

test('does not create a database, and reports a file that is not a database', async () => {
  const DATA_DIR = createDir()
  expect(await read({ DATA_DIR })).toEqual({ leadsAre: 'missing' })
  expect(readdirSync(DATA_DIR)).toEqual([])
  writeFileSync(join(DATA_DIR, 'leads.db'), 'this is not a database, whatever its name'.repeat(50))
  const databaseFault = 'file is not a database'
  expect(await read({ DATA_DIR })).toEqual({ leadsAre: 'here', databaseFault })
})

test('distinguishes a database that is gone from one that was never created', async () => {
  const DATA_DIR = createDir()
  mkdirSync(join(DATA_DIR, 'backups'))
  writeFileSync(join(DATA_DIR, 'backups/leads-2026-11-15T03-00-00Z.sqlite.gz'), 'x')
  expect(await read({ DATA_DIR })).toEqual({ leadsAre: 'gone' })
})

test('reports an unreachable PostgreSQL without its password', async () => {
  const found = await read({ DATABASE_URL: 'postgres://owner:password@127.0.0.1:1/leads' })
  expect(found).toEqual({ leadsAre: 'here', databaseFault: 'ECONNREFUSED' })
})

test('reports that the leads of another backend are elsewhere', async () => {
  expect(await read({ VITE_SUPABASE_URL: 'https://b.test' })).toEqual({ leadsAre: 'elsewhere' })
})
