import { expect, test } from 'vitest'
import { allScopes, type FakeOptions, leadColumns } from '#fakes/airtable.ts'
import { columnsWithout, makeLead, startAirtable } from '#testing/airtable.ts'
import type { AirtableSettings } from './client.ts'
import { columnNames } from './columns.ts'
import { checkAirtable } from './setup.ts'

async function setUp(options: FakeOptions = {}, changed: Partial<AirtableSettings> = {}) {
  const airtable = await startAirtable(options)
  const { fake, settings, deps } = airtable
  const before = structuredClone(fake.tables)
  const report = await checkAirtable({ ...settings, ...changed }, { ...deps, creates: true })
  const names = fake.tables[0]?.fields.map(({ name }) => name)
  return { ...airtable, ...report, before, names }
}

test('leaves a complete base unchanged', async () => {
  const { fake, before, done, todo } = await setUp()
  expect(todo).toEqual([])
  expect(done).toContain('The table has all required columns.')
  expect(done).toContain('The token can write rows.')
  expect(fake.tables).toEqual(before)
})

test('creates a table that can store a lead in an empty base', async () => {
  const { todo, names, send } = await setUp({ columns: {} })
  expect([todo, names]).toEqual([[], columnNames])
  const lead = makeLead()
  expect(await send([lead])).toEqual([{ ok: true }])
})

test('creates missing columns', async () => {
  const columns = columnsWithout('Service', 'Received At', 'Raw')
  const { done, todo, names } = await setUp({ columns })
  expect(todo).toEqual([])
  expect(done.filter((line) => line.startsWith('Created the column'))).toHaveLength(3)
  expect(names?.sort()).toEqual([...columnNames].sort())
})

const noSchemaWrite = allScopes.filter((scope) => scope !== 'schema.bases:write')
const schemaWrite = /"Service" \(single select: .*Emergency Service.*schema\.bases:write/
test.each<[string, FakeOptions, Partial<AirtableSettings>, RegExp[]]>([
  [
    'a column of the wrong type',
    { columns: { ...leadColumns, Phone: 'number' } },
    {},
    [/"Phone".*number.*phone number/],
  ],
  [
    'a token that cannot change the schema',
    { columns: columnsWithout('Service'), scopes: noSchemaWrite },
    {},
    [schemaWrite],
  ],
  [
    'a token that cannot see the base',
    { scopes: ['data.records:read', 'data.records:write'] },
    {},
    [/schema\.bases:read/, /"Lead ID" \(single line text\)/],
  ],
  [
    'a token that can neither write nor read rows',
    { scopes: ['schema.bases:read'] },
    {},
    [/data\.records:write/, /cannot read/],
  ],
  ['an unknown table ID', {}, { table: 'tbl00000000000099' }, [/"Leads" \(tbl\w+\)/]],
])('explains %s to the owner', async (_, options, changed, sentences) => {
  const { todo, fake } = await setUp(options, changed)
  expect(todo).toEqual(sentences.map((sentence) => expect.stringMatching(sentence)))
  expect(fake.records).toEqual([])
})
