import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCommandLine, save } from '#testing/command-line.ts'
import { createDir, engines, openTestDatabase } from '#testing/database.ts'
import { testTime } from '#testing/saved-leads.ts'
import { explainUnwritten } from './new-file.ts'

test('export writes every lead, safe for a spreadsheet, for the owner’s eyes only', async () => {
  const db = await openTestDatabase('sqlite')
  const file = join(createDir(), 'leads.csv')
  await save(db, { name: '=HYPERLINK("http://x","y")', phone: '+1 555 123 4567' })
  await save(db, { name: 'Zoë 李 🏠', address: 'Line, with comma' })
  const { run } = createCommandLine(db)
  expect(await run('export', file)).toMatchObject({
    code: 0,
    out: `2 leads written to ${file}.\n`,
  })
  const text = readFileSync(file, 'utf8')
  expect(text.startsWith('\uFEFFLead ID,Received At,Name')).toBe(true)
  const lines = text.slice(1).trimEnd().split('\r\n')
  expect(lines).toHaveLength(3)
  expect(lines[1]).toContain(
    ',Zoë 李 🏠,jane@example.com,(555) 123-4567,"Line, with comma",Roof Repair,,,,,,airtable waiting',
  )
  expect(lines[2]).toContain(`,"'=HYPERLINK(""http://x"",""y"")",`)
  expect(lines[2]).toContain(",'+1 555 123 4567,")
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test.each(engines)('export pages through more leads than one page holds, on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  const file = join(createDir(), 'leads.csv')
  const rows = Array.from({ length: 1201 }, (_, index) => ({
    id: `lead-${index}`,
    name: `Lead ${index}`,
    email: 'a@example.com',
    phone: '5551234567',
    address: 'x',
    service_type: '' as const,
    // Many at the same moment: the page break falls between them.
    received_at: testTime + Math.floor(index / 400),
    client_address: '',
    idempotency_key: null,
    body_hash: '',
  }))
  for (let start = 0; start < rows.length; start += 500)
    await db.kysely
      .insertInto('leads')
      .values(rows.slice(start, start + 500))
      .execute()
  expect((await createCommandLine(db).run('export', file)).out).toContain('1201 leads')
  const ids = readFileSync(file, 'utf8').trimEnd().split('\r\n').slice(1)
  expect(new Set(ids.map((line) => line.split(',')[0])).size).toBe(1201)
})

test('export does not replace a file unasked, and leaves no half of one', async () => {
  const db = await openTestDatabase('sqlite')
  const folder = createDir()
  const file = join(folder, 'leads.csv')
  writeFileSync(file, 'precious')
  const { run } = createCommandLine(db)
  expect(await run('export', file)).toMatchObject({
    code: 1,
    err: expect.stringContaining('--force'),
  })
  expect(readFileSync(file, 'utf8')).toBe('precious')
  expect((await run('export', file, '--force')).code).toBe(0)
  expect(await run('export', join(folder, 'no', 'such', 'folder.csv'))).toMatchObject({
    code: 1,
    err: expect.stringContaining('could not be written'),
  })
  expect(await run('export', folder)).toMatchObject({
    code: 1,
    err: expect.stringContaining('is a folder'),
  })
  expect(readdirSync(folder)).toEqual(['leads.csv'])
})

test('who may not write there is told to choose another folder', () => {
  const denied = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
  expect(explainUnwritten('/opt/leads.csv', denied).message).toBe(
    'You may not write to /opt/leads.csv. Name a file in a folder that you may write to.',
  )
})
