import { expect, test } from 'vitest'
import { makeLeads, startAirtable } from '#testing/airtable.ts'
import { eraseFromAirtable } from './rows.ts'

test('erasing deletes every row of the lead and no other, or says why not', async () => {
  const { standIn, send, settings, deps } = await startAirtable()
  const [gone, stays] = makeLeads(2)
  if (!gone || !stays) throw new Error('no leads')
  await send([gone, stays])
  const erase = () => eraseFromAirtable(gone.id, settings, deps)
  standIn.nextFaults.push({ kind: 'html', status: 502 })
  expect(await erase()).toMatchObject({ ok: false })
  standIn.settings.scopes.delete('data.records:write')
  expect(await erase()).toMatchObject({
    ok: false,
    error: expect.stringContaining('data.records:write'),
  })
  expect(standIn.records).toHaveLength(2)

  standIn.settings.scopes.add('data.records:write')
  const [row] = standIn.records
  if (row)
    for (let copy = 0; copy < 11; copy++)
      standIn.records.push({ ...structuredClone(row), id: `recCopy${copy}` })
  expect(await erase()).toEqual({ ok: true, rows: 12 })
  expect(standIn.records.map(({ fields }) => fields['Lead ID'])).toEqual([stays.id])
  expect(await erase()).toEqual({ ok: true, rows: 0 })
})
