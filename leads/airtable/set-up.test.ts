import { expect, test } from 'vitest'
import { allScopes, leadColumns, type StandInOptions } from '#demo/airtable-stand-in.ts'
import { columnsWithout, makeLead, startAirtable } from '#testing/airtable.ts'
import type { AirtableSettings } from './client.ts'
import { columnNames } from './columns.ts'
import { setUpAirtable } from './set-up.ts'

async function setUp(options: StandInOptions = {}, changed: Partial<AirtableSettings> = {}) {
  const airtable = await startAirtable(options)
  const { standIn, settings, deps } = airtable
  const before = structuredClone(standIn.tables)
  const report = await setUpAirtable({ ...settings, ...changed }, deps)
  const names = standIn.tables[0]?.fields.map(({ name }) => name)
  return { ...airtable, ...report, before, names }
}

test('a complete base is left as it is', async () => {
  const { standIn, before, done, todo } = await setUp()
  expect(todo).toEqual([])
  expect(done).toContain('The table has every column.')
  expect(done).toContain('The token may write rows.')
  expect(standIn.tables).toEqual(before)
})

test('an empty base gets the table, and a lead fits into it', async () => {
  const { todo, names, send } = await setUp({ columns: {} })
  expect([todo, names]).toEqual([[], columnNames])
  const lead = makeLead()
  expect((await send([lead])).outcomes).toEqual([{ leadId: lead.id, ok: true }])
})

test('missing columns are made', async () => {
  const columns = columnsWithout('Service', 'Received At', 'Raw')
  const { done, todo, names } = await setUp({ columns })
  expect(todo).toEqual([])
  expect(done.filter((line) => line.startsWith('Made the column'))).toHaveLength(3)
  expect(names?.sort()).toEqual([...columnNames].sort())
})

const noSchemaWrite = allScopes.filter((scope) => scope !== 'schema.bases:write')
const schemaWrite = /"Service" \(single select: .*Emergency Service.*schema\.bases:write/
test.each<[string, StandInOptions, Partial<AirtableSettings>, RegExp[]]>([
  [
    'a column of the wrong type',
    { columns: { ...leadColumns, Phone: 'number' } },
    {},
    [/"Phone".*number.*phone number/],
  ],
  [
    'a token that may not change the schema',
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
    'a token that may not write or read rows',
    { scopes: ['schema.bases:read'] },
    {},
    [/data\.records:write/, /may not read/],
  ],
  ['an unknown table id', {}, { table: 'tbl00000000000099' }, [/"Leads" \(tbl\w+\)/]],
])('%s is for the owner, in plain words', async (_, options, changed, sentences) => {
  const { todo, standIn } = await setUp(options, changed)
  expect(todo).toEqual(sentences.map((sentence) => expect.stringMatching(sentence)))
  expect(standIn.records).toEqual([])
})
