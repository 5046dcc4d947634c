import { expect, onTestFinished, test } from 'vitest'
import { leadColumns, type StandInOptions, startAirtableStandIn } from '#demo/airtable-stand-in.ts'
import { readEnv } from '#leads/settings.ts'
import { checkAirtable } from './airtable.ts'

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
  const checks = await checkAirtable(env, { fetch, pause })
  expect(standIn.tables).toEqual(before)
  expect(JSON.stringify(checks)).not.toContain(token)
  return checks
}

test('without token and base, says where they go', async () => {
  const [one] = await checkAirtable(readEnv({}), { fetch, pause: async () => {} })
  expect(one).toMatchObject({ state: 'to do' })
  expect(one?.next).toMatch(/AIRTABLE_TOKEN.*schema\.bases:write.*AIRTABLE_BASE_ID/)
})

test('a complete table is all right', async () => {
  expect(await check()).toMatchObject([{ state: 'ok' }])
})

const setUp = /^npm run leads -- setup-airtable$/
const inEnv = /^\.env: AIRTABLE_TOKEN .*AIRTABLE_BASE_ID$/
const later = /^Try again later/

test.each([
  ['a missing table', { columns: {} }, {}, /has no table "Leads"/, setUp],
  ['another table’s name', {}, { AIRTABLE_TABLE: 'Other' }, /no table "Other"/, setUp],
  [
    'missing columns',
    { columns: { 'Lead ID': 'singleLineText', Name: 'singleLineText' } },
    {},
    /lacks the columns Email, Phone/,
    setUp,
  ],
  [
    'a column that takes no text',
    { columns: { ...leadColumns, Phone: 'number' } },
    {},
    /"Phone" has the type number/,
    setUp,
  ],
  ['a wrong token', {}, { AIRTABLE_TOKEN: 'wrong' }, /does not know the token/, inEnv],
  ['a wrong base', {}, { AIRTABLE_BASE_ID: 'appOther' }, /cannot see base appOther/, inEnv],
  [
    'a token that may not write',
    { scopes: ['data.records:read', 'schema.bases:read'] },
    {},
    /write rows/,
    inEnv,
  ],
  ['nobody there', {}, { AIRTABLE_API_URL: 'http://127.0.0.1:1' }, /could not be reached/, later],
] as [string, StandInOptions, Record<string, string>, RegExp, RegExp][])(
  '%s is to do, and doctor makes nothing',
  async (_, options, changed, sentence, next) => {
    const [one] = await check(options, changed)
    expect(one).toMatchObject({ state: 'to do', next: expect.stringMatching(next) })
    expect(one?.says).toMatch(sentence)
  },
)
