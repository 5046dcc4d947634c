import { expect, onTestFinished, test } from 'vitest'
import { type StandInOptions, startAirtableStandIn } from '#demo/airtable-stand-in.ts'
import { readEnv } from '#leads/settings.ts'
import { checkAirtable } from './airtable.ts'
import { listChecks } from './check.ts'

async function check(options: StandInOptions = {}, changed: Record<string, string> = {}) {
  let clockMs = 0
  const standIn = await startAirtableStandIn({ now: () => clockMs, ...options })
  onTestFinished(() => standIn.close())
  const { token, baseId, table, apiUrl } = standIn.airtable
  const before = structuredClone(standIn.tables)
  const env = readEnv({
    AIRTABLE_TOKEN: token,
    AIRTABLE_BASE_ID: baseId,
    AIRTABLE_TABLE: table,
    AIRTABLE_API_URL: apiUrl,
    ...changed,
  })
  const pause = async (ms: number) => {
    clockMs += ms
  }
  const checks = listChecks(await checkAirtable(env, { fetch, pause }))
  expect(standIn.tables).toEqual(before)
  expect(JSON.stringify(checks)).not.toContain(token)
  return checks
}

test('without token and base, says where they go', async () => {
  const one = await checkAirtable(readEnv({}), { fetch, pause: async () => {} })
  const next = expect.stringMatching(/AIRTABLE_TOKEN.*schema\.bases:write.*AIRTABLE_BASE_ID/)
  expect(one).toMatchObject({ state: 'to do', next })
})

test('a complete table is all right', async () => {
  expect(await check()).toMatchObject([{ state: 'ok' }])
})

const onlyTwo = { 'Lead ID': 'singleLineText', Name: 'singleLineText' }
const mayNotWrite = ['data.records:read', 'schema.bases:read']
const setUp = /^npm run leads -- setup-airtable$/
const inEnv = /^\.env: AIRTABLE_TOKEN .*AIRTABLE_BASE_ID .*setup-airtable$/
const later = /^Try again later/

test.each([
  ['a missing table', { columns: {} }, {}, /has no table "Leads"/, setUp],
  ['missing columns', { columns: onlyTwo }, {}, /lacks the columns Email, Phone/, setUp],
  ['a wrong token', {}, { AIRTABLE_TOKEN: 'wrong' }, /does not know the token/, inEnv],
  ['a token that may not write', { scopes: mayNotWrite }, {}, /write rows/, inEnv],
  ['nobody there', {}, { AIRTABLE_API_URL: 'http://127.0.0.1:1' }, /could not be reached/, later],
] as [string, StandInOptions, Record<string, string>, RegExp, RegExp][])(
  '%s is to do, and doctor makes nothing',
  async (_, options, changed, sentence, step) => {
    const [says, next] = [expect.stringMatching(sentence), expect.stringMatching(step)]
    expect((await check(options, changed))[0]).toMatchObject({ state: 'to do', says, next })
  },
)
