import { describe, expect, test } from 'vitest'
import { startAirtable } from '#testing/airtable.ts'
import { connect, readReply } from './client.ts'

const failed = (error: RegExp, holdMs?: number) => ({
  kind: 'failed',
  error: expect.stringMatching(error),
  ...(holdMs && { holdMs }),
})
const read = (status: number, body: unknown, headers = {}) =>
  readReply(
    new Response(null, { status, headers }),
    typeof body === 'string' ? body : JSON.stringify(body),
  )
const busy = { error: { type: 'RATE_LIMIT_REACHED', message: 'Slow down' } }
const quoted = {
  error: { type: 'INVALID_VALUE_FOR_COLUMN', message: 'Field "Phone" takes no 555' },
}
const choice = { error: { type: 'INVALID_MULTIPLE_CHOICE_OPTIONS', message: 'no option "Name"' } }

test.each<[number, unknown, object, object?]>([
  [200, { records: [] }, { kind: 'ok', body: { records: [] } }],
  [200, '<html>', failed(/200 without JSON/)],
  [503, { error: { type: 'SERVICE_UNAVAILABLE' } }, failed(/503 SERVICE_UNAVAILABLE/)],
  [503, '<html>', failed(/answered 503\.$/, 90_000), { 'retry-after': '90' }],
  [502, '<html>', failed(/answered 502\.$/)],
  [401, { error: 'NOPE' }, failed(/AIRTABLE_TOKEN.*401 NOPE/)],
  [403, {}, failed(/AIRTABLE_BASE_ID and AIRTABLE_TABLE/)],
  [404, {}, failed(/AIRTABLE_BASE_ID and AIRTABLE_TABLE/)],
  // Airtable locks the base for 30 s; a longer wish is believed.
  [429, busy, failed(/slow down/, 32_000)],
  [429, busy, failed(/slow down/, 90_000), { 'retry-after': '90' }],
  [429, { error: 'PUBLIC_API_BILLING_LIMIT_EXCEEDED' }, failed(/month/, 15 * 60_000)],
  [422, quoted, { kind: 'refused', type: 'INVALID_VALUE_FOR_COLUMN', column: 'Phone' }],
  // This message quotes a value, which may be the name of a column.
  [422, choice, { kind: 'refused', type: 'INVALID_MULTIPLE_CHOICE_OPTIONS' }],
  [422, { error: { type: 'ZOË 555', message: '"Zoë"' } }, { kind: 'refused', type: '' }],
])('%s %j', (status, body, reply, headers) => {
  expect(read(status, body, headers)).toEqual({
    ...reply,
    ...('error' in reply && { status }),
    ...('type' in reply && !('column' in reply) && { column: undefined }),
  })
})

describe('a call without an answer ends', () => {
  test.each([
    ['in time', { requestTimeoutMs: 20 }],
    ['when the claim is lost', { signal: AbortSignal.timeout(20) }],
  ])('%s', async (_, changed) => {
    const { fake, settings, deps } = await startAirtable()
    fake.nextFaults.push({ kind: 'hang' })
    const request = connect(settings, { ...deps, ...changed })
    expect(await request('GET', 'meta/whoami')).toEqual({
      kind: 'failed',
      error: 'Airtable did not answer in time.',
    })
  })

  test('at once where no server listens', async () => {
    const { settings, deps } = await startAirtable()
    const request = connect({ ...settings, apiUrl: 'http://127.0.0.1:1' }, deps)
    expect(await request('GET', 'meta/whoami')).toEqual(failed(/could not be reached/))
  })
})
