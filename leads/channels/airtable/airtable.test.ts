import { expect, onTestFinished, test } from 'vitest'
import { type FakeOptions, startFakeAirtable } from '#fakes/airtable.ts'
import { makeSettings } from '#testing/settings.ts'
import { airtable } from './airtable.ts'
import type { AirtableSettings } from './client.ts'

const check = (settings: AirtableSettings, pause = async (_ms: number) => {}) =>
  airtable.doctorCheck({
    ...{ settings, env: makeSettings(), fetch, pause, sends: false },
    ...{ now: Date.now, readDevices: async () => [] },
  })

async function checkFake(options: FakeOptions = {}, changed: Partial<AirtableSettings> = {}) {
  let clockMs = 0
  const fake = await startFakeAirtable({ now: () => clockMs, ...options })
  onTestFinished(() => fake.close())
  const before = structuredClone(fake.tables)
  const checks = await check({ ...fake.airtable, ...changed }, async (ms) => {
    clockMs += ms
  })
  expect(fake.tables).toEqual(before)
  expect(JSON.stringify(checks)).not.toContain(fake.airtable.token)
  return checks
}

test('a complete table is ok', async () => {
  expect(await checkFake()).toMatchObject([{ state: 'ok' }])
})

const onlyTwo = { 'Lead ID': 'singleLineText', Name: 'singleLineText' }
const mayNotWrite = ['data.records:read', 'schema.bases:read']
const setUp = /^npm run leads -- setup-airtable$/
const inEnv = /^Set AIRTABLE_TOKEN .*AIRTABLE_BASE_ID .*setup-airtable$/
const later = /^Try again later/

test.each([
  ['a missing table', { columns: {} }, {}, /has no table "Leads"/, setUp],
  ['missing columns', { columns: onlyTwo }, {}, /lacks the columns Email, Phone/, setUp],
  ['a wrong token', {}, { token: 'wrong' }, /does not know the token/, inEnv],
  ['a token that may not write', { scopes: mayNotWrite }, {}, /write rows/, inEnv],
  ['nobody there', {}, { apiUrl: 'http://127.0.0.1:1' }, /could not be reached/, later],
] as [string, FakeOptions, Partial<AirtableSettings>, RegExp, RegExp][])(
  '%s is to do, and doctor changes nothing',
  async (_, options, changed, sentence, step) => {
    const [says, next] = [expect.stringMatching(sentence), expect.stringMatching(step)]
    expect((await checkFake(options, changed))[0]).toMatchObject({ state: 'to do', says, next })
  },
)
