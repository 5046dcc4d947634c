import { expect, test } from 'vitest'
import { makeLead, startAirtable } from '#testing/airtable.ts'
import { eraseRows, openTable } from './rows.ts'

test('erasing deletes every copy of a row, or returns an error', async () => {
  const { fake, send, settings, deps } = await startAirtable()
  const lead = makeLead()
  await send([lead])
  for (let copy = 0; copy < 11; copy++)
    fake.records.push(...fake.records.slice(0, 1).map((row) => ({ ...row, id: `recCopy${copy}` })))
  const erase = () => eraseRows(lead.id, openTable(settings, deps))
  fake.settings.scopes.delete('data.records:write')
  const error = expect.stringContaining('data.records:write')
  expect(await erase()).toMatchObject({ kind: 'failed', error })
  expect(fake.records).toHaveLength(12)
  fake.settings.scopes.add('data.records:write')
  expect(await erase()).toEqual({ kind: 'ok', body: 12 })
  expect(fake.records).toEqual([])
  expect(await erase()).toEqual({ kind: 'ok', body: 0 })
})
