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

test('doctor accepts a complete table', async () => {
  expect(await checkFake()).toMatchObject([{ state: 'ok' }])
})

const onlyTwo = { 'Lead ID': 'singleLineText', Name: 'singleLineText' }
const withoutWrite = ['data.records:read', 'schema.bases:read']
const setUp = /^npm run leads -- setup-airtable$/
const inEnv = /^Set AIRTABLE_TOKEN .*AIRTABLE_BASE_ID .*setup-airtable$/
const later = /^Try again later/

test.each([
  ['a missing table', { columns: {} }, {}, /has no table "Leads"/, setUp],
  ['missing columns', { columns: onlyTwo }, {}, /is missing the columns Email, Phone/, setUp],
  ['a wrong token', {}, { token: 'wrong' }, /rejected the token/, inEnv],
  ['a token that cannot write', { scopes: withoutWrite }, {}, /write rows/, inEnv],
  ['an unreachable server', {}, { apiUrl: 'http://127.0.0.1:1' }, /could not be reached/, later],
] as [string, FakeOptions, Partial<AirtableSettings>, RegExp, RegExp][])(
  'doctor reports %s and changes nothing',
  async (_, options, changed, sentence, step) => {
    const [text, next] = [expect.stringMatching(sentence), expect.stringMatching(step)]
    expect((await checkFake(options, changed))[0]).toMatchObject({ state: 'to do', text, next })
  },
)
