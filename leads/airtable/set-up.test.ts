import { expect, test } from 'vitest'
import { allScopes, leadColumns, type StandInOptions } from '#demo/airtable-stand-in.ts'
import { columnsWithout, makeLead, startAirtable } from '#testing/airtable.ts'
import type { AirtableSettings } from './client.ts'
import { columnNames } from './columns.ts'
import { setUpAirtable } from './set-up.ts'

async function start(options: StandInOptions = {}) {
  const airtable = await startAirtable(options)
  const setUp = (changed: Partial<AirtableSettings> = {}) =>
    setUpAirtable({ ...airtable.settings, ...changed }, airtable.deps)
  return { ...airtable, setUp }
}

test('a complete base is left as it is', async () => {
  const { setUp, standIn } = await start()
  const before = structuredClone(standIn.tables)
  const { done, todo } = await setUp()
  expect(todo).toEqual([])
  expect(done).toContain('The table has every column.')
  expect(done).toContain('The token may write rows.')
  expect(standIn.tables).toEqual(before)
})

test('an empty base gets the table, and a lead fits into it', async () => {
  const { setUp, send, standIn } = await start({ columns: {} })
  expect((await setUp()).todo).toEqual([])
  expect(standIn.tables[0]?.fields.map(({ name }) => name)).toEqual(columnNames)
  const lead = makeLead()
  expect((await send([lead])).outcomes).toEqual([{ leadId: lead.id, ok: true }])
})

test('missing columns are made', async () => {
  const { setUp, standIn } = await start({
    columns: columnsWithout('Service', 'Received At', 'Raw'),
  })
  const { done, todo } = await setUp()
  expect(todo).toEqual([])
  expect(done.filter((line) => line.startsWith('Made the column'))).toHaveLength(3)
  expect(standIn.tables[0]?.fields.map(({ name }) => name).sort()).toEqual([...columnNames].sort())
})

test('a column of the wrong type is for the owner to change', async () => {
  const { setUp } = await start({ columns: { ...leadColumns, Phone: 'number' } })
  expect((await setUp()).todo).toEqual([expect.stringMatching(/"Phone".*number.*phone number/)])
})

test('a token that may not change the schema names the scope and the columns to make', async () => {
  const scopes = allScopes.filter((scope) => scope !== 'schema.bases:write')
  const { setUp } = await start({ columns: columnsWithout('Service'), scopes })
  expect((await setUp()).todo).toEqual([
    expect.stringMatching(/"Service" \(single select: .*Emergency Service.*schema\.bases:write/),
  ])
})

test('a token that cannot see the base gets the scopes and the table by hand', async () => {
  const { setUp } = await start({ scopes: ['data.records:read', 'data.records:write'] })
  const { todo } = await setUp()
  expect(todo[0]).toMatch(/schema\.bases:read/)
  expect(todo[1]).toMatch(/"Lead ID" \(single line text\)/)
})

test('a token that may not write or read rows is found out without writing one', async () => {
  const { setUp, standIn } = await start({ scopes: ['schema.bases:read'] })
  expect((await setUp()).todo).toEqual([
    expect.stringContaining('data.records:write'),
    expect.stringContaining('may not read'),
  ])
  expect(standIn.records).toEqual([])
})

test('a wrong token, an unknown table id and an outage are each said plainly', async () => {
  const { setUp } = await start()
  expect((await setUp({ token: 'wrong' })).todo).toEqual([
    expect.stringContaining('AIRTABLE_TOKEN'),
  ])
  expect((await setUp({ table: 'tbl00000000000099' })).todo).toEqual([
    expect.stringMatching(/"Leads" \(tbl\w+\)/),
  ])
  expect((await setUp({ apiUrl: 'http://127.0.0.1:1' })).todo).toEqual([
    expect.stringContaining('reached'),
  ])
})
