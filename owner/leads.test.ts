import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findLead } from '#leads/store/reading.ts'
import { recordAnswer } from '#leads/store/reminders.ts'
import { openDatabase } from '#server/database.ts'
import { createCommandLine, fail, save, startAirtable } from '#testing/command-line.ts'
import { createDir, createLocation, engines, openTestDatabase } from '#testing/database.ts'
import { openLeads } from './leads.ts'

test.each(engines)('promise tells how it was kept, on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  const answer = async (id: string, minutes: number) => {
    const answeredAt = ((await findLead(db, id))?.receivedAt ?? 0) + minutes * 60_000
    await recordAnswer(db, id, { answeredAt, answeredBy: 'link', now: answeredAt })
  }
  const kept = await save(db)
  await answer(kept, 2)
  await answer(await save(db), 20)
  await save(db)
  const line = createCommandLine(db)
  const { code, out } = await line.run('promise')
  expect(code).toBe(0)
  expect(out).toMatch(/Leads +3\nAnswered within 10 minutes +1 \(33\.3 %\)/)
  expect(out).toContain('Missed                       2, of which 1 without any answer')
  expect(JSON.parse((await line.run('promise', '--json', '--days', '7')).out)).toMatchObject({
    leads: 3,
    kept: 1,
    medianMs: 120_000,
  })
  const shown = (await line.run('show', kept)).out
  expect(shown).toMatch(/Answered +2026-11-15 1\d:\d\d, after 2 minutes\n/)
})

test('promise takes a time by its days, and counts the last one whole', async () => {
  const db = await openTestDatabase('sqlite')
  const { run } = createCommandLine(db)
  const { out } = await run('promise', '--from', '2026-11-01', '--to', '2026-11-15', '--json')
  expect(JSON.parse(out)).toMatchObject({
    from: '2026-11-01T00:00:00.000Z',
    to: '2026-11-16T00:00:00.000Z',
  })
  const soon = await run('promise', '--from', 'soon')
  expect(soon).toMatchObject(fail('--from takes a day such as 2026-11-01', 2))
  const backwards = await run('promise', '--from', '2026-11-05', '--to', '2026-11-01')
  expect(backwards).toMatchObject(fail('--to lies before --from', 2))
})

test('desk prints a link that opens it, or says that there is none', async () => {
  const db = await openTestDatabase('sqlite')
  const { run } = createCommandLine(db, {
    open: async () => ({
      db,
      airtable: undefined,
      desk: { url: 'https://desk.example', mayEnter: [] },
    }),
  })
  expect((await run('desk')).out).toMatch(/https:\/\/desk\.example\/#enter=[\w-]{43}\n/)
  expect(await createCommandLine(db).run('desk')).toMatchObject(fail('DESK_URL'))
})

test('setup-airtable reports what it found, made and cannot do', async () => {
  const db = await openTestDatabase('sqlite')
  const { standIn, settings } = await startAirtable()
  const line = createCommandLine(db)
  expect(await line.run('setup-airtable')).toMatchObject(fail('schema.bases:write'))
  line.state.airtable = settings
  standIn.tables[0]?.fields.pop()
  await save(db)
  const { code, out } = await line.run('setup-airtable')
  expect(code).toBe(0)
  expect(out).toContain('✓ Made the column "Raw" (long text).')
  expect(out).toContain('Ready. 1 wait for Airtable')
  standIn.settings.scopes.delete('data.records:write')
  expect(JSON.parse((await line.run('setup-airtable', '--json')).out)).toMatchObject({
    ready: false,
    todo: [expect.stringContaining('data.records:write')],
  })
})

test.each([
  [['bogus'], 'There is no command "bogus"'],
  [['--bogus'], "Unknown option '--bogus'"],
  [['show'], '"show" needs the ID of a lead'],
  [['show', 'a', 'b'], '"show" does not know what to do with "b"'],
  [['list', 'x'], '"list" does not know what to do with "x"'],
  [['--limit', '0'], '--limit takes a whole number'],
  [['show', 'a', '--limit', '3'], '--limit means nothing to "show"'],
  [['promise', '--days', '0'], '--days takes a whole number'],
  [['promise', '--days', '3', '--to', '2026-01-01'], 'either --days or --from and --to'],
  [['promise', '--html', 'x'], "Unknown option '--html'"],
  [['\x1b[2J'], 'There is no command " [2J"'],
])('%j is answered with a sentence and exit code 2', async (args, sentence) => {
  const { run } = createCommandLine(undefined, {
    open: () => Promise.reject(new Error('the database is not for this')),
  })
  expect(await run(...args)).toMatchObject(fail(sentence, 2))
})

test.each(engines)('npm run leads finds the leads by the environment, on %s', async (engine) => {
  const location = await createLocation(engine)
  const db = await openDatabase(location)
  const id = await save(db, { name: 'Real Process' })
  await db.close()
  const env = { DATA_DIR: location.dataDir, DATABASE_URL: location.databaseUrl }
  const run = (...args: string[]) =>
    execFileSync(process.execPath, ['owner/leads.ts', ...args], { env, encoding: 'utf8' })
  expect(run()).toContain('Real Process')
  const erased = JSON.parse(run('erase', id.slice(0, 8), '--yes', '--json'))
  expect(erased).toEqual({ erased: id, airtableRows: null })
  expect(JSON.parse(run('--json')).total).toBe(0)
})

test('a folder without a database is a mistake, not an empty list, and stays as it is', async () => {
  const DATA_DIR = createDir()
  const { standIn } = await startAirtable()
  const variables = {
    DATA_DIR,
    AIRTABLE_TOKEN: standIn.token,
    AIRTABLE_BASE_ID: standIn.baseId,
    AIRTABLE_TABLE: standIn.tableName,
    AIRTABLE_API_URL: standIn.url,
  }
  const { run } = createCommandLine(undefined, { open: () => openLeads(variables) })
  for (const args of [[], ['--json'], ['promise'], ['export', join(DATA_DIR, 'leads.csv')]])
    expect(await run(...args)).toEqual({
      code: 1,
      out: '',
      err: `There is no database in ${DATA_DIR} (DATA_DIR). Is this the folder the site runs in?\n`,
    })
  // But Airtable can be set up before the first start.
  expect((await run('setup-airtable')).out).toMatch(/Ready\.\n$/)
  expect(readdirSync(DATA_DIR)).toEqual([])
})

test('help needs no database, and a bad setting is said so', async () => {
  const variables = { DATABASE_URL: 'nonsense' }
  const { run } = createCommandLine(undefined, { open: () => openLeads(variables) })
  expect((await run('--help')).out).toContain('npm run leads')
  expect(await run()).toMatchObject(fail('DATABASE_URL'))
})
