import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createTestApp, testLead as lead, otherOrigin, ownOrigin, testPath } from '#testing/app.ts'
import { engines, openTestDatabase } from '#testing/database.ts'
import { alwaysOpen, listLeads } from '#testing/saved-leads.ts'
import type { Engine } from '../store/tables.ts'
import { minuteMs } from '../time-units.ts'

async function open(engine: Engine = 'sqlite', changes: Parameters<typeof createTestApp>[1] = {}) {
  const db = await openTestDatabase(engine)
  return { db, ...createTestApp(db, changes), stored: () => listLeads(db, { limit: 100 }) }
}

const listErrors = ({ entries }: { entries: { level: string; message: string }[] }) =>
  entries.filter(({ level }) => level === 'error').map(({ message }) => message)

describe.each(engines)('the function on %s', (engine) => {
  it('stores a lead with its delivery and its visit, starts delivery, and returns 200', async () => {
    const { post, stored, wakes, log } = await open(engine)
    const visit = 'consent=2026-11&elapsedMs=240&source=utm_source%3Dgoogle'
    const sent = { ...lead, name: 'Zoë 🏠 山田' }
    const { status, json } = await post({ 'x-lead-visit': visit }, sent)
    expect([status, json]).toEqual([200, { ok: true }])
    const saved = { consent: '2026-11', source: 'utm_source=google', deadlineAt: null }
    const deliveries = [{ recipient: 'airtable', state: 'waiting' }]
    expect(await stored()).toMatchObject([{ ...sent, suspect: 'too-fast', ...saved, deliveries }])
    expect(wakes).toHaveLength(1)
    const logged = JSON.stringify(log.entries)
    expect(logged).toContain('leadId')
    expect(logged).not.toMatch(/zoe|Zoë|123-4567|Main St|203\.0\.113/)
  })

  it.each<[kind: 'table' | 'column', name: string]>([
    ['table', 'leads'],
    ['table', 'deliveries'],
    ['column', 'source'],
  ])('returns 503 without the %s %s, logs it once, and recovers', async (kind, name) => {
    const { db, post, log, checkHealth, stored, clock } = await open(engine)
    const { schema } = db.kysely
    const rename = (from: string, to: string) =>
      kind === 'table'
        ? schema.alterTable(from).renameTo(to).execute()
        : schema.alterTable('leads').renameColumn(from, to).execute()
    await rename(name, 'away')
    for (let at = 0; at < 3; at++)
      expect(await post()).toMatchObject({ status: 503, code: 'unavailable', retryAfter: 5 })
    expect(await checkHealth()).toBe(503)
    expect(listErrors(log)).toHaveLength(1)
    await rename('away', name)
    expect((await post()).status).toBe(200)
    expect(log.entries.map(({ message }) => message)).toContain('leads can be stored again')
    expect(await stored()).toHaveLength(1)
    clock.at += 1_000
    expect(await checkHealth()).toBe(200)
  })
})

it('accepts a repeated idempotency key for the same lead, but not for another', async () => {
  const { post, stored, clock } = await open()
  const key = { 'idempotency-key': 'a-key' }
  for (let times = 0; times < 2; times++) expect((await post(key)).json).toEqual({ ok: true })
  const answer = await post(key, { ...lead, name: 'Other' })
  expect([answer.status, answer.code]).toEqual([409, 'idempotency_key_reused'])
  expect(await stored()).toMatchObject([{ deadlineAt: clock.at + 10 * minuteMs }])
})

describe.each(engines)('the time of the call on %s', (engine) => {
  const hours = { ...alwaysOpen, open: { Mon: ['7:00-18:00'] } }
  it.each([
    ['a lead', {}],
    // The response must not tell bots that they were detected.
    ['suspected spam', { 'x-lead-visit': 'elapsedMs=240' }],
  ])('is in a header of the response to %s, and the first one after a retry', async (_, visit) => {
    const { post, clock } = await open(engine, { hours: () => hours })
    const key = { 'idempotency-key': 'a-key', origin: otherOrigin, ...visit }
    clock.at = Date.parse('2026-11-16T09:00:00-06:00')
    for (let times = 0; times < 2; times++) {
      const { headers, json } = await post(key)
      expect(json).toEqual({ ok: true })
      expect(headers.get('x-call-by')).toBe('2026-11-16T15:10:00.000Z')
      // Pages from other origins must be able to read the header.
      expect(headers.get('access-control-expose-headers')?.split(',')).toContain('X-Call-By')
      clock.at = Date.parse('2026-11-16T19:00:00-06:00')
    }
    const { headers } = await post(visit)
    expect(headers.get('x-call-by')).toBe('2026-11-23T13:10:00.000Z')
  })
})

it('returns 429 to a client over its rate limit, and accepts the lead later', async () => {
  const { post, clock } = await open('sqlite', { env: { rateLimitPerMinute: 2 } })
  await post()
  clock.at += 10_000
  await post()
  const refused = await post({ origin: ownOrigin })
  expect([refused.status, refused.code]).toEqual([429, 'too_many_requests'])
  expect(refused.retryAfter).toBe(50)
  expect(refused.headers.get('access-control-expose-headers')).toContain('Retry-After')
  clock.at += 50_000
  expect((await post()).status).toBe(200)
})

it('reads the key from apikey or, for legacy keys, from Authorization', async () => {
  const { request, stored, wakes } = await open('sqlite', { env: { anonKeys: ['the-key', 'new'] } })
  const send = async (headers: Record<string, string>, below = '') => {
    const type = { 'content-type': 'application/json; charset=utf-8' }
    const init = { method: 'POST', headers: { ...type, ...headers }, body: JSON.stringify(lead) }
    return (await request(`/submit-to-airtable${below}`, init)).status
  }
  const right = 'Bearer the-key'
  const keys = [
    { apikey: 'the-key' },
    { apikey: 'new', authorization: right },
    { authorization: right },
  ]
  for (const headers of keys) expect(await send(headers)).toBe(200)
  const nearly = ['', 'the-kez', 'The-key', 'the-ke', 'the-key1', 'the-keynew', 'x'.repeat(8_000)]
  const wrong = [...nearly.map((apikey) => ({ apikey })), {}, { authorization: 'Bearer no' }]
  for (const headers of wrong) expect(await send(headers)).toBe(401)
  expect(await stored()).toHaveLength(3)
  // The cron job sends the same key.
  expect(await send({}, '/deliver')).toBe(401)
  expect(wakes).toHaveLength(3)
  expect(await send({ apikey: 'the-key' }, '/deliver')).toBe(202)
  expect(wakes).toHaveLength(4)
})

it.each([
  ['not JSON', 400, 'not_json', '{"name":', {}],
  ['an empty body', 400, 'not_json', '', {}],
  ['a wrong key', 401, 'wrong_key', lead, { apikey: 'no' }],
  ['over 16 KB', 413, 'too_large', { ...lead, name: 'x'.repeat(17_000) }, {}],
  ['another type', 415, 'unsupported_type', 'a=b', { 'content-type': 'text/plain' }],
  ['a list', 422, 'invalid_field', [], {}],
  ['null', 422, 'invalid_field', 'null', {}],
  ['a bad idempotency key', 400, 'bad_idempotency_key', lead, { 'idempotency-key': 'a b' }],
])(
  'rejects %s with %i and an error code, and stores nothing',
  async (_, status, code, body, headers) => {
    const { post, stored } = await open()
    const answer = await post({ origin: ownOrigin, ...headers }, body)
    expect(answer.status).toBe(status)
    expect(answer.json.error).toMatchObject({ code, message: expect.any(String) })
    // The page must be able to read the error.
    expect(answer.headers.get('access-control-allow-origin')).toBe(ownOrigin)
    expect(await stored()).toEqual([])
  },
)

it('rejects an invalid lead with 422 and names the field', async () => {
  const { post, stored } = await open()
  const { status, json } = await post({}, { ...lead, name: 7 })
  const error = { code: 'invalid_field', field: 'name', message: 'Please enter your name.' }
  expect([status, json.error]).toEqual([422, error])
  expect(await stored()).toEqual([])
})

it('ignores unknown fields', async () => {
  const { post, stored } = await open()
  const unknown = {
    consent: true,
    constructor: 1,
    favoriteColor: 'x'.repeat(1_000),
    __proto__: null,
  }
  expect((await post({}, { ...lead, ...unknown })).status).toBe(200)
  const [saved] = await stored()
  expect(saved).toMatchObject({ ...lead, consent: null })
  expect(saved).not.toHaveProperty('favoriteColor')
})

it('stops reading a body without a length after 16 KB, and does not log one that ends early', async () => {
  const { post, log } = await open()
  let pulled = 0
  const endless = new ReadableStream({
    pull(controller) {
      pulled += 1
      if (pulled === 10_000) controller.close()
      else controller.enqueue(new Uint8Array(1024))
    },
  })
  expect((await post({}, endless)).status).toBe(413)
  expect(pulled).toBeLessThan(30)
  const cut = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"name":')),
    pull: (controller) => controller.error(new Error('aborted')),
  })
  expect(await post({}, cut)).toMatchObject({ status: 400, code: 'cut_off' })
  expect(log.entries).toEqual([])
})

it('redirects a browser that opens the function’s URL to the page', async () => {
  const { request } = await open()
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
  const readLocation = async (path: string) => {
    const { status, headers: answered } = await request(path, { headers })
    return [status, answered.get('location')]
  }
  expect(await readLocation(testPath)).toEqual([303, '/'])
  // On Supabase, the page has a different origin: the first one in ALLOWED_ORIGINS.
  expect(await readLocation('/submit-to-airtable')).toEqual([303, `${otherOrigin}/`])
})

it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'])('rejects %s with 405', async (method) => {
  const { request } = await open()
  const { status, headers, code } = await request(testPath, { method })
  expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  if (method !== 'HEAD') expect(code).toBe('method_not_allowed')
})

it('allows supabase-js’s CORS preflight from the site and from allowed origins', async () => {
  const { request } = await open()
  for (const origin of [ownOrigin, otherOrigin]) {
    const { status, headers } = await request(testPath, { method: 'OPTIONS', headers: { origin } })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, origin])
    expect(headers.get('vary')).toContain('Origin')
    const allowed = headers.get('access-control-allow-headers')?.split(',')
    const sent =
      'apikey authorization content-type x-client-info idempotency-key x-retry-count traceparent tracestate baggage'
    expect(allowed).toEqual(expect.arrayContaining(sent.split(' ')))
  }
})

it('sends no CORS headers to other origins', async () => {
  const { request, post } = await open()
  const stranger = { origin: 'https://evil.example' }
  const preflight = await request(testPath, { method: 'OPTIONS', headers: stranger })
  for (const { headers } of [preflight, await post(stranger)]) {
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(headers.get('vary')).toContain('Origin')
  }
})

it('logs wrong keys and form posts from other origins only once', async () => {
  const { post, postForm, log } = await open()
  for (let times = 0; times < 3; times++) {
    await post({ apikey: 'from an older build' })
    await postForm(lead, { origin: 'https://elsewhere.example' })
  }
  expect(listErrors(log)).toEqual([
    expect.stringContaining('public key'),
    expect.stringContaining('PUBLIC_URL'),
  ])
})

it('logs an unexpected error without its message, which may contain personal data', async () => {
  const { post, log } = await open('sqlite', {
    readClientAddress: () => {
      throw new Error(`Cannot find ${lead.name}`)
    },
  })
  expect(await post()).toMatchObject({ status: 500, code: 'internal' })
  expect(listErrors(log)).toEqual(['a request failed unexpectedly'])
  expect(JSON.stringify(log.entries)).not.toContain(lead.name)
})

it.each([
  ['is full', 'max_page_count = 1', 'max_page_count = 1000000', 'disk is full'],
  ['has become read-only', 'query_only = on', 'query_only = off', 'readonly'],
])('returns 503 while SQLite %s and recovers', async (_, breakIt, fixIt, reason) => {
  const { db, log, post, checkHealth, stored, clock } = await open('sqlite', {
    env: { rateLimitPerMinute: 1000 },
  })
  await sql.raw(`pragma ${breakIt}`).execute(db.kysely)
  let accepted = 0
  // A database at its size limit still has free space in its existing pages.
  while (accepted < 90 && (await post()).status === 200) accepted += 1
  expect((await post()).status).toBe(503)
  expect(await checkHealth()).toBe(503)
  expect(await stored()).toHaveLength(accepted)
  expect(JSON.stringify(log.entries.find(({ level }) => level === 'error'))).toContain(reason)
  await sql.raw(`pragma ${fixIt}`).execute(db.kysely)
  clock.at += 1_000
  expect((await post()).status).toBe(200)
  expect(await checkHealth()).toBe(200)
})
