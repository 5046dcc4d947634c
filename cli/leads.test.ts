import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Database } from '#leads/store/tables.ts'
import { openDatabase } from '#server/database.ts'
import { startAirtable } from '#testing/airtable.ts'
import {
  copyMigrations,
  createDir,
  createLocation,
  engines,
  openTestDatabase,
} from '#testing/database.ts'
import { record, storeLead, testTime } from '#testing/saved-leads.ts'
import { type Opened, openLeads, runLeads } from './leads.ts'

const useDatabase = (db: Database, opened: Partial<Opened> = {}, pause = noPause) =>
  createCommandLine(async () => {
    const none = { dataDir: '', airtable: undefined, desk: undefined, timeZone: 'America/Chicago' }
    return { ...none, db: { ...db, close: async () => {} }, ...opened }
  }, pause)

const noPause = async (_ms: number) => {}
const createCommandLine =
  (open: () => Promise<Opened>, pause = noPause) =>
  async (...args: string[]) => {
    let out = ''
    let err = ''
    const code = await runLeads(args, {
      open,
      stdout: (text) => {
        out += text
      },
      stderr: (text) => {
        err += text
      },
      fetch,
      pause,
      now: () => testTime,
    })
    return { code, out, err }
  }

const fail = (message: string, code = 1) => ({ code, err: expect.stringContaining(message) })

test('desk prints a sign-in link, or explains how to set up the desk', async () => {
  const db = await openTestDatabase('sqlite')
  const run = useDatabase(db, { desk: { url: 'https://desk.example' } })
  expect((await run('desk')).out).toMatch(/https:\/\/desk\.example\/#enter=[\w-]{43}\n/)
  expect(await useDatabase(db)('desk')).toMatchObject(fail('DESK_URL'))
})

// csv.test.ts and every-field.test.ts test the cells.
test('export writes every lead as CSV, readable only by the owner', async () => {
  const db = await openTestDatabase('sqlite')
  const file = join(createDir(), 'leads.csv')
  await storeLead(db)
  const source = 'utm_source=google&utm_medium=cpc'
  await storeLead(db, { lead: { name: 'Zoë 李 🏠' }, consent: '2026-11', source, at: testTime + 1 })
  const run = useDatabase(db)
  expect((await run('export', file)).out).toBe(`Wrote 2 leads to ${file}.\n`)
  const text = readFileSync(file, 'utf8')
  expect(text.startsWith('\uFEFFLead ID,Received At (America/Chicago),Name')).toBe(true)
  const lines = text.trimEnd().split('\r\n')
  expect(lines).toHaveLength(3)
  expect(lines[1]).toContain(',2026-11-15 06:00:00,Zoë 李 🏠,')
  expect(lines[1]).toContain(`,Google Ads,${source},,Version 2026-11,2026-11-15 06:10:00,To call,`)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await run('export')).toEqual({ code: 0, out: text, err: '' })
})

test('export replaces no file, and leaves no partial one', async () => {
  const folder = createDir()
  const file = join(folder, 'leads.csv')
  writeFileSync(file, 'precious')
  const run = useDatabase(await openTestDatabase('sqlite'))
  expect(await run('export', file)).toMatchObject(fail('already exists'))
  expect(readFileSync(file, 'utf8')).toBe('precious')
  const nowhere = join(folder, 'no', 'such', 'folder.csv')
  expect(await run('export', nowhere)).toMatchObject(fail('Could not write'))
  expect(readdirSync(folder)).toEqual(['leads.csv'])
})

test('setup-airtable lists what it found, what it created, and what is left to do', async () => {
  const db = await openTestDatabase('sqlite')
  const { fake, settings, deps } = await startAirtable()
  expect(await useDatabase(db)('setup-airtable')).toMatchObject(fail('schema.bases:write'))
  fake.tables[0]?.fields.pop()
  const id = await storeLead(db)
  await record(db, id, 'called', { via: 'link', person: null })
  const run = useDatabase(db, { airtable: settings }, deps.pause)
  const { code, out } = await run('setup-airtable')
  expect(code).toBe(0)
  expect(out).toContain('✓ Created the column "Raw" (long text).')
  expect(out).toContain('Ready. 1 lead pending: choose “Retry now” on the desk.')
  fake.settings.scopes.delete('data.records:write')
  expect(await run('setup-airtable')).toMatchObject({
    code: 1,
    out: expect.stringMatching(
      /✗ .*data\.records:write.*\nFix this, then run the command again\.\n$/,
    ),
  })
})

test.each([
  [['bogus'], 'Unknown command "bogus"'],
  [['--bogus'], "Unknown option '--bogus'"],
  [['export', 'a', 'b'], 'Unexpected argument "b"'],
  [['desk', 'x'], 'Unexpected argument "x"'],
  [['\x1b[2J'], 'Unknown command " [2J"'],
])('%j fails with a message and exit code 2', async (args, message) => {
  const run = createCommandLine(() => Promise.reject(new Error('opens no database')))
  expect(await run(...args)).toMatchObject(fail(message, 2))
})

test('prints help if no command is given, even without a database', async () => {
  const run = createCommandLine(() => openLeads({ DATABASE_URL: 'nonsense' }))
  const help = await run()
  expect(help).toMatchObject({ code: 0, out: expect.stringContaining('npm run leads -- desk') })
  expect(await run('--help')).toEqual(help)
  expect(await run('export')).toMatchObject(fail('DATABASE_URL'))
})

test('npm run leads uses the database from the environment', async () => {
  const location = await createLocation('postgres')
  const db = await openDatabase(location)
  await storeLead(db, { lead: { name: 'Real Process' } })
  await db.close()
  const env = { DATABASE_URL: location.databaseUrl }
  const args = ['cli/leads.ts', 'export']
  const out = execFileSync(process.execPath, args, { env, encoding: 'utf8' })
  expect(out).toContain(',Real Process,')
})

test.each(engines)('does not change a database with an older schema, on %s', async (engine) => {
  const location = await createLocation(engine)
  await (await openDatabase(location)).close()
  const variables = { DATA_DIR: location.dataDir, DATABASE_URL: location.databaseUrl }
  const newer = copyMigrations({ '20990101000000_more.sql': 'create table more (id text)' })
  const run = createCommandLine(() => openLeads(variables, newer))
  expect(await run('export')).toEqual({
    code: 1,
    out: '',
    err: 'The database is older than this program: it needs the migration 20990101000000_more.sql. Restart the site, which applies it, and run this again. On Supabase, run npx supabase db push first.\n',
  })
  expect((await createCommandLine(() => openLeads(variables))('export')).code).toBe(0)
})

test('reports a folder without a database instead of creating one', async () => {
  const DATA_DIR = createDir()
  const { fake, deps } = await startAirtable()
  const run = createCommandLine(() => openLeads({ DATA_DIR, ...fake.env }), deps.pause)
  for (const args of [['desk'], ['export'], ['export', join(DATA_DIR, 'leads.csv')]])
    expect(await run(...args)).toEqual({
      code: 1,
      out: '',
      err: `There is no database in ${DATA_DIR} (DATA_DIR). Run this in the site’s folder, or check DATA_DIR.\n`,
    })
  // Airtable can be set up before the first start.
  expect((await run('setup-airtable')).out).toMatch(/Ready\.\n$/)
  expect(readdirSync(DATA_DIR)).toEqual([])
  await (await openDatabase({ dataDir: DATA_DIR })).close()
  expect((await run('export')).code).toBe(0)
})
