import { expect, test } from 'vitest'
import { startAirtable } from '#testing/airtable.ts'

// Tests the fake itself, because no other test would fail if it accepted what Airtable rejects.

async function start() {
  const { fake: airtable, clock, settings } = await startAirtable()
  const call = (init: RequestInit) =>
    fetch(`${airtable.url}/v0/${settings.baseId}/Leads`, {
      headers: { authorization: `Bearer ${settings.token}` },
      ...init,
    })
  return { airtable, clock, call }
}

test('locks the base for 30 s after six requests in a second, and longer after each further request', async () => {
  const { call, clock } = await start()
  const statuses: number[] = []
  for (const waitMs of [0, 0, 0, 0, 0, 0, 29_999, 29_999, 30_000]) {
    clock.at += waitMs
    statuses.push((await call({})).status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 200])
})

test('writes nothing for eleven records', async () => {
  const { airtable, call } = await start()
  const records = Array.from({ length: 11 }, (_, at) => ({ fields: { 'Lead ID': String(at) } }))
  const performUpsert = { fieldsToMergeOn: ['Lead ID'] }
  const body = JSON.stringify({ performUpsert, records })
  expect((await call({ method: 'PATCH', body })).status).toBe(422)
  expect(airtable.records).toEqual([])
})
