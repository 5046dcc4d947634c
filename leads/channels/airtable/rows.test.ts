import { expect, test } from 'vitest'
import { makeLeads, startAirtable } from '#testing/airtable.ts'
import { eraseRows, openTable } from './rows.ts'

test('erasing deletes every row of one lead, or returns an error', async () => {
  const { fake, send, settings, deps } = await startAirtable()
  const [gone, stays] = makeLeads(2)
  if (!gone || !stays) throw new Error('no leads')
  await send([gone, stays])
  const erase = () => eraseRows(gone.id, openTable(settings, deps))
  fake.nextFaults.push({ kind: 'html', status: 502 })
  expect(await erase()).toMatchObject({ kind: 'failed' })
  fake.settings.scopes.delete('data.records:write')
  expect(await erase()).toMatchObject({
    kind: 'failed',
    error: expect.stringContaining('data.records:write'),
  })
  expect(fake.records).toHaveLength(2)

  fake.settings.scopes.add('data.records:write')
  const [row] = fake.records
  if (row)
    for (let copy = 0; copy < 11; copy++)
      fake.records.push({ ...structuredClone(row), id: `recCopy${copy}` })
  expect(await erase()).toEqual({ rows: 12 })
  expect(fake.records.map(({ fields }) => fields['Lead ID'])).toEqual([stays.id])
  expect(await erase()).toEqual({ rows: 0 })
})
