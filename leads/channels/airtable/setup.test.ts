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
  const columns = columnsWithout('Service', 'Received At', 'Result', 'Raw')
  const { done, todo, names } = await setUp({ columns })
  expect(todo).toEqual([])
  expect(done.filter((line) => line.startsWith('Created the column'))).toHaveLength(4)
  expect(names?.sort()).toEqual([...columnNames].sort())
})

const wrongType = { columns: { ...leadColumns, Phone: 'number' as const } }
const noSchemaWrite = {
  columns: columnsWithout('Service'),
  scopes: allScopes.filter((scope) => scope !== 'schema.bases:write'),
}
const schemaWrite = /"Service" \(single select: .*Emergency Service.*schema\.bases:write/
const onlyRows = { scopes: ['data.records:read', 'data.records:write'] }
const byHand = /"Lead ID" \(single line text\)/
const noRows = { scopes: ['schema.bases:read'] }
test.each<[string, FakeOptions, RegExp[], string?]>([
  ['a column of the wrong type', wrongType, [/"Phone".*number.*phone number/]],
  ['a token that cannot change the schema', noSchemaWrite, [schemaWrite]],
  ['a token that cannot see the base', onlyRows, [/schema\.bases:read/, byHand]],
  ['a token that cannot use rows', noRows, [/data\.records:write/, /cannot read/]],
  ['an unknown table ID', {}, [/"Leads" \(tbl\w+\)/], 'tbl00000000000099'],
])('explains %s to the owner', async (_, options, sentences, table) => {
  const { todo, fake } = await setUp(options, { ...(table && { table }) })
  expect(todo).toEqual(sentences.map((sentence) => expect.stringMatching(sentence)))
  expect(fake.records).toEqual([])
})
