import { expect, test } from 'vitest'
import { startAirtable } from '#testing/airtable.ts'

async function start() {
  const { fake: airtable, clock, settings } = await startAirtable()
  const call = (method: string, body?: object) =>
    fetch(`${airtable.url}/v0/${settings.baseId}/Leads`, {
      method,
      headers: { authorization: `Bearer ${settings.token}` },
      ...(body && { body: JSON.stringify(body) }),
    })
  const write = (records: object[], more: object = {}) =>
    call('PATCH', {
      performUpsert: { fieldsToMergeOn: ['Lead ID'] },
      records: records.map((fields) => ({ fields })),
      ...more,
    })
  return { airtable, clock, settings, call, write }
}

test('locks the base for 30 s after six requests in a second, and longer after each further request', async () => {
  const { call, clock } = await start()
  const statuses: number[] = []
  for (const waitMs of [0, 0, 0, 0, 0, 0, 29_999, 29_999, 30_000]) {
    clock.at += waitMs
    statuses.push((await call('GET')).status)
  }
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 200])
})

test('writes nothing for eleven records, an unknown option, or one bad record', async () => {
  const { airtable, write } = await start()
  const eleven = Array.from({ length: 11 }, (_, index) => ({ 'Lead ID': String(index) }))
  for (const [records, type] of [
    [eleven, 'INVALID_RECORDS'],
    [[{ 'Lead ID': 'a' }, { Service: 'Plumbing' }], 'INVALID_MULTIPLE_CHOICE_OPTIONS'],
    [[{ 'Lead ID': 'a' }, { Nope: 1 }], 'UNKNOWN_FIELD_NAME'],
  ] as const)
    expect(await (await write([...records])).json()).toMatchObject({ error: { type } })
  expect(airtable.records).toEqual([])
  expect((await write([{ Service: 'Plumbing' }], { typecast: true })).status).toBe(200)
})

test('reports which records an upsert created or updated, and rejects more than one match', async () => {
  const { airtable, write } = await start()
  const upsert = async () => (await write([{ 'Lead ID': 'a' }])).json()
  expect(await upsert()).toMatchObject({
    createdRecords: [airtable.records[0]?.id],
    updatedRecords: [],
  })
  expect(await upsert()).toMatchObject({
    createdRecords: [],
    updatedRecords: [airtable.records[0]?.id],
  })
  airtable.records.push({ id: 'recCopy', createdTime: '', fields: { 'Lead ID': 'a' } })
  expect((await write([{ 'Lead ID': 'a' }])).status).toBe(422)
})
