import { expect, test } from 'vitest'
import type { FakeOptions } from '#fakes/airtable.ts'
import { columnsWithout, startAirtable } from '#testing/airtable.ts'
import { openTestDatabase } from '#testing/database.ts'
import { createTestContext, sendThrough } from '#testing/delivery.ts'
import { alwaysOpen } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import { system } from '../system.ts'
import { airtable } from './airtable.ts'
import type { AirtableSettings } from './client.ts'

async function checkFake(options: FakeOptions = {}, changed: Partial<AirtableSettings> = {}) {
  const { fake, deps } = await startAirtable(options)
  const before = structuredClone(fake.tables)
  const settings = { ...fake.airtable, ...changed }
  const env = makeSettings()
  const readDevices = async () => []
  const context = { env, hours: () => alwaysOpen, now: Date.now, readDevices }
  const checks = await airtable.doctorCheck(
    { ...system, ...context, ...deps, settings },
    { sends: false },
  )
  expect(fake.tables).toEqual(before)
  expect(JSON.stringify(checks)).not.toContain(fake.airtable.token)
  return checks
}

test('doctor requires neither Result nor Amount, which an owner may use for something else', async () => {
  const columns = { ...columnsWithout('Result'), Amount: 'singleSelect' }
  for (const options of [{}, { columns }])
    expect(await checkFake(options)).toMatchObject([{ state: 'ok' }])
})

const onlyTwo = { 'Lead ID': 'singleLineText', Name: 'singleLineText' }
const withoutWrite = ['data.records:read', 'schema.bases:read']
const setUp = /^npm run leads -- setup-airtable$/
const inEnv = /^Set AIRTABLE_TOKEN .*AIRTABLE_BASE_ID .*setup-airtable$/
const later = /^Try again later/

test.each([
  ['a missing table', { columns: {} }, {}, /has no table "Leads"/, setUp],
  ['missing columns', { columns: onlyTwo }, {}, /is missing the columns Email, Phone/, setUp],
  ['a wrong token', {}, { token: 'wrong' }, /denied the site access/, inEnv],
  ['a token that cannot write', { scopes: withoutWrite }, {}, /write rows/, inEnv],
  ['an unreachable server', {}, { apiUrl: 'http://127.0.0.1:1' }, /couldn’t be reached/, later],
] as [string, FakeOptions, Partial<AirtableSettings>, RegExp, RegExp][])(
  'doctor reports %s and changes nothing',
  async (_, options, changed, sentence, step) => {
    const [text, next] = [expect.stringMatching(sentence), expect.stringMatching(step)]
    expect((await checkFake(options, changed))[0]).toMatchObject({ state: 'to do', text, next })
  },
)

test('waits with news about a lead that has no row yet, which is no outage', async () => {
  const { fake } = await startAirtable()
  const { context } = createTestContext(await openTestDatabase('sqlite'), makeSettings(fake.env))
  const result = await sendThrough(airtable, context, { reason: 'called' })
  expect(result).toMatchObject({ ok: false, refused: true })
  expect(fake.requests).toEqual([])
})
