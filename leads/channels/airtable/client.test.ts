import { expect, test } from 'vitest'
import { startAirtable } from '#testing/airtable.ts'
import { minuteMs } from '../../time-units.ts'
import { connect, readReply } from './client.ts'
import { choiceColumns } from './columns.ts'

const failed = (error: RegExp, retryAfterMs?: number) => ({
  kind: 'failed',
  error: expect.stringMatching(error),
  ...(retryAfterMs && { retryAfterMs }),
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
  [503, '<html>', failed(/returned an error \(503\)\.$/, 90_000), { 'retry-after': '90' }],
  [502, '<html>', failed(/returned an error \(502\)\.$/)],
  [401, { error: 'NOPE' }, failed(/401 NOPE.*AIRTABLE_TOKEN/)],
  [403, {}, failed(/AIRTABLE_BASE_ID and AIRTABLE_TABLE/)],
  [404, {}, failed(/AIRTABLE_BASE_ID and AIRTABLE_TABLE/)],
  // Airtable locks the base for 30 s, so wait 32 s, or longer if Retry-After is longer.
  [429, busy, failed(/limiting/, 32_000)],
  [429, busy, failed(/limiting/, 90_000), { 'retry-after': '90' }],
  [429, { error: 'PUBLIC_API_BILLING_LIMIT_EXCEEDED' }, failed(/month/, 15 * minuteMs)],
  [422, quoted, { kind: 'refused', type: 'INVALID_VALUE_FOR_COLUMN', columns: ['Phone'] }],
  // This message contains the value of a cell, which may equal the name of a column.
  [
    422,
    choice,
    { kind: 'refused', type: 'INVALID_MULTIPLE_CHOICE_OPTIONS', columns: choiceColumns },
  ],
  [
    422,
    { error: { type: 'ZOË 555', message: '"Zoë"' } },
    { kind: 'refused', type: '', columns: [] },
  ],
])('reads %s %j', (status, body, reply, headers) => {
  expect(read(status, body, headers)).toEqual({
    ...reply,
    ...('error' in reply && { status }),
  })
})

type Limits = { requestTimeoutMs?: number; abortMs?: number }

test.each<[string, Limits, object, RegExp]>([
  ['the timeout', { requestTimeoutMs: 20 }, {}, /didn’t respond in time/],
  ['a lost lease', { abortMs: 20 }, {}, /didn’t respond in time/],
  ['a closed port', {}, { apiUrl: 'http://127.0.0.1:1' }, /couldn’t be reached/],
])('a request fails after %s', async (_, { abortMs, ...deps }, settings, error) => {
  const airtable = await startAirtable()
  airtable.fake.nextFaults.push({ kind: 'hang' })
  const signal = AbortSignal.timeout(abortMs ?? 60_000)
  const all = { ...airtable.deps, ...deps, signal }
  const request = connect({ ...airtable.settings, ...settings }, all)
  expect(await request('GET', 'meta/whoami')).toEqual(failed(error))
})
