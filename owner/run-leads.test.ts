import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { findLead, listLeads } from '#leads/store/reading.ts'
import { recordAnswer } from '#leads/store/reminders.ts'
import { openDatabase } from '#server/database.ts'
import { createCommandLine, deliver, save, startAirtable } from '#testing/command-line.ts'
import { createDir, createLocation, engines, openTestDatabase } from '#testing/database.ts'
import { openLeads } from './open-leads.ts'

test('retry makes waiting deliveries due now, of one lead or all', async () => {
  const db = await openTestDatabase('sqlite')
  const [one] = [await save(db), await save(db), await save(db)]
  await deliver(db, (leadId) => (leadId === one ? { ok: true } : { ok: false, error: 'x' }))
  const { run, now } = createCommandLine(db)
  expect((await run('retry', one ?? '')).out).toContain('Nothing of this lead waits.')
  expect((await run('retry', 'all')).out).toContain('2 deliveries are due now')
  const leads = await listLeads(db, { limit: 10 })
  const waiting = leads.flatMap(({ deliveries }) =>
    deliveries.filter(({ state }) => state === 'waiting'),
  )
  expect(waiting.map(({ nextAttemptAt }) => nextAttemptAt)).toEqual([now(), now()])
  expect(JSON.parse((await run('retry', 'all', '--json')).out)).toEqual({ due: 2 })
})

test.each(engines)('promise tells how it was kept, on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  const [kept, late] = [await save(db), await save(db), await save(db)]
  for (const [id, minutes] of [
    [kept, 2],
    [late, 20],
  ] as const) {
    const answeredAt = ((await findLead(db, id ?? ''))?.receivedAt ?? 0) + minutes * 60_000
    await recordAnswer(db, id ?? '', { answeredAt, answeredBy: 'link', now: answeredAt })
  }
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
  const shown = (await line.run('show', kept ?? '')).out
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
  for (const [args, sentence] of [
    [['--from', 'soon'], '--from takes a day such as 2026-11-01'],
    [['--from', '2026-11-05', '--to', '2026-11-01'], '--to lies before --from'],
  ] as const)
    expect(await run('promise', ...args)).toMatchObject({
      code: 2,
      err: expect.stringContaining(sentence),
    })
})

test('promise writes the page with charts, and replaces none unasked', async () => {
  const db = await openTestDatabase('sqlite')
  const { run } = createCommandLine(db)
  const file = join(createDir(), 'report.html')
  expect((await run('promise', '--html', file)).code).toBe(0)
  expect(readFileSync(file, 'utf8')).toContain('The ten-minute promise')
  expect(await run('promise', '--html', file)).toMatchObject({
    code: 1,
    err: expect.stringContaining('--force'),
  })
  expect((await run('promise', '--html', file, '--force')).code).toBe(0)
})

test('setup-airtable reports what it found, made and cannot do', async () => {
  const db = await openTestDatabase('sqlite')
  const { standIn, settings } = await startAirtable()
  const line = createCommandLine(db)
  expect(await line.run('setup-airtable')).toMatchObject({
    code: 1,
    err: expect.stringContaining('schema.bases:write'),
  })
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
  [['erase'], '"erase" needs the ID of a lead'],
  [['show', 'a', 'b'], '"show" does not know what to do with "b"'],
  [['list', 'x'], '"list" does not know what to do with "x"'],
  [['--limit', '0'], '--limit takes a whole number'],
  [['--limit', 'many'], '--limit takes a whole number'],
  [['show', 'a', '--limit', '3'], '--limit means nothing to "show"'],
  [['--yes'], '--yes means nothing to "list"'],
  [['promise', '--days', '0'], '--days takes a whole number'],
  [['promise', '--days', '3', '--to', '2026-01-01'], 'either --days or --from and --to'],
  [['--html', 'x'], '--html means nothing to "list"'],
  [['\x1b[2J'], 'There is no command " [2J"'],
])('%j is answered with a sentence and exit code 2', async (args, sentence) => {
  const { run } = createCommandLine(undefined, {
    open: () => Promise.reject(new Error('the database is not for this')),
  })
  expect(await run(...args)).toMatchObject({ code: 2, err: expect.stringContaining(sentence) })
})

test.each(engines)('the owner’s variables lead to the leads, on %s', async (engine) => {
  const { dataDir, databaseUrl } = await createLocation(engine)
  const db = await openDatabase({ dataDir, databaseUrl })
  const id = await save(db, { name: 'Real Process' })
  await db.close()
  const variables = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl }
  const { run } = createCommandLine(undefined, { open: () => openLeads(variables) })
  expect((await run()).out).toContain('Real Process')
  const erased = await run('erase', id.slice(0, 8), '--yes', '--json')
  expect(JSON.parse(erased.out)).toEqual({ erased: id, airtableRows: null })
  expect(JSON.parse((await run('--json')).out).total).toBe(0)
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
  expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining('DATABASE_URL') })
})

test('npm run leads reads the environment and lists the leads', async () => {
  const DATA_DIR = createDir()
  const db = await openDatabase({ dataDir: DATA_DIR })
  await save(db, { name: 'Real Process' })
  await db.close()
  const said = execFileSync(process.execPath, ['owner/leads.ts'], {
    env: { DATA_DIR },
    encoding: 'utf8',
  })
  expect(said).toContain('Real Process')
})
