import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createCommandLine, fail, insertLeads, save } from '#testing/command-line.ts'
import { createDir, engines, openTestDatabase } from '#testing/database.ts'
import { testTime } from '#testing/saved-leads.ts'

test('export writes every lead, safe for a spreadsheet, for the owner’s eyes only', async () => {
  const db = await openTestDatabase('sqlite')
  const file = join(createDir(), 'leads.csv')
  await save(db, { name: '=HYPERLINK("http://x","y")', phone: '+1 555 123 4567' })
  await save(db, { name: 'Zoë 李 🏠', address: 'Line, with comma' })
  const { run } = createCommandLine(db)
  expect((await run('export', file)).out).toBe(`2 leads written to ${file}.\n`)
  const text = readFileSync(file, 'utf8')
  expect(text.startsWith('\uFEFFLead ID,Received At,Name')).toBe(true)
  const lines = text.slice(1).trimEnd().split('\r\n')
  expect(lines).toHaveLength(3)
  expect(lines[1]).toContain(
    ',Zoë 李 🏠,jane@example.com,(555) 123-4567,"Line, with comma",Roof Repair,,,,,,,,airtable waiting',
  )
  expect(lines[2]).toContain(`,"'=HYPERLINK(""http://x"",""y"")",`)
  expect(lines[2]).toContain(",'+1 555 123 4567,")
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test.each(engines)('export pages through more leads than one page holds, on %s', async (engine) => {
  const db = await openTestDatabase(engine)
  const file = join(createDir(), 'leads.csv')
  // Many at the same moment: the page break falls between them.
  const leads = Array.from({ length: 1201 }, (_, at) => ({
    id: `lead-${at}`,
    receivedAt: testTime + Math.floor(at / 400),
  }))
  await insertLeads(db, leads)
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
  expect(await run('export', file)).toMatchObject(fail('--force'))
  expect(readFileSync(file, 'utf8')).toBe('precious')
  expect((await run('export', file, '--force')).code).toBe(0)
  const nowhere = join(folder, 'no', 'such', 'folder.csv')
  expect(await run('export', nowhere)).toMatchObject(fail('could not be written'))
  expect(await run('export', folder)).toMatchObject(fail('is a folder'))
  expect(readdirSync(folder)).toEqual(['leads.csv'])
})
