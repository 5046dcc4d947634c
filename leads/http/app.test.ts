import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { createTestApp, testLead as lead, otherOrigin, ownOrigin, testPath } from '#testing/app.ts'
import { engines, openTestDatabase } from '#testing/database.ts'
import { listLeads } from '../store/reading.ts'
import type { Engine } from '../store/tables.ts'
import type { AppOptions } from './app.ts'

async function open(engine: Engine = 'sqlite', changes: Partial<AppOptions> = {}) {
  const db = await openTestDatabase(engine)
  return { db, ...createTestApp(db, changes), stored: () => listLeads(db, { limit: 100 }) }
}

const listErrors = ({ entries }: { entries: { level: string; message: string }[] }) =>
  entries.filter(({ level }) => level === 'error').map(({ message }) => message)

describe.each(engines)('the function on %s', (engine) => {
  it('stores a lead with its delivery and details, wakes delivery and answers 200', async () => {
    const { post, stored, wakes, log } = await open(engine)
    const details = 'consent=2026-11&elapsedMs=240&source=utm_source%3Dgoogle'
    const sent = { ...lead, name: 'Zoë 🏠 山田' }
    const { status, json } = await post({ 'x-lead-details': details }, sent)
    expect([status, json]).toEqual([200, { ok: true }])
    const kept = { consent: '2026-11', suspect: 'haste', source: 'utm_source=google' }
    const deliveries = [{ channel: 'airtable', state: 'waiting' }]
    expect(await stored()).toMatchObject([{ ...sent, ...kept, deliveries }])
    expect(wakes).toHaveLength(1)
    const said = JSON.stringify(log.entries)
    expect(said).toContain('leadId')
    expect(said).not.toMatch(/zoe|Zoë|123-4567|Main St|203\.0\.113/)
  })

  it('takes a key again with the same lead, and not with another', async () => {
    const { post, stored } = await open(engine)
    const key = { 'idempotency-key': 'a-key' }
    for (let times = 0; times < 2; times++) expect((await post(key)).json).toEqual({ ok: true })
    const answer = await post(key, { ...lead, name: 'Other' })
    expect([answer.status, answer.code]).toEqual([409, 'idempotency_key_reused'])
    expect(await stored()).toHaveLength(1)
  })

  it('asks a client over its limit to wait, and takes the lead after that', async () => {
    const { post, clock } = await open(engine, { rateLimitPerMinute: 2 })
    await post()
    clock.at += 10_000
    await post()
    const refused = await post({ origin: ownOrigin })
    expect([refused.status, refused.code]).toEqual([429, 'too_many_requests'])
    expect(refused.retryAfter).toBe(50)
    expect(refused.headers.get('access-control-expose-headers')).toBe('Retry-After')
    clock.at += 50_000
    expect((await post()).status).toBe(200)
  })

  it('answers 503 while the database is away, says it once, and recovers', async () => {
    const { db, post, log, checkHealth, stored, clock } = await open(engine)
    const rename = (from: string, to: string) =>
      db.kysely.schema.alterTable(from).renameTo(to).execute()
    await rename('leads', 'away')
    for (let at = 0; at < 5; at++)
      expect(await post()).toMatchObject({ status: 503, code: 'unavailable', retryAfter: 5 })
    expect(listErrors(log)).toHaveLength(1)
    await rename('away', 'leads')
    expect((await post()).status).toBe(200)
    expect(log.entries.map(({ message }) => message)).toContain('leads can be stored again')
    expect(await stored()).toHaveLength(1)

    await rename('write_checks', 'away')
    expect(await checkHealth()).toBe(503)
    await rename('away', 'write_checks')
    clock.at += 1_000
    expect(await checkHealth()).toBe(200)
  })

  it('tells its health: what waits, for how long, and what is not set up', async () => {
    const notSetUp = ['Airtable is not set up.']
    const { request, post, clock } = await open(engine, {
      findNotSetUp: async () => notSetUp,
      planDelivery: async () => ({ channels: ['airtable', 'email-0a1b2c3d', 'email-4e5f6a7b'] }),
    })
    const nothing = { waiting: 0, oldestWaitingSeconds: null, byChannel: {} }
    expect((await request('/healthz')).json.deliveries).toEqual(nothing)
    await post()
    clock.at += 90_000
    expect(await request('/submit-to-airtable/healthz')).toMatchObject({
      status: 200,
      json: {
        ok: true,
        database: engine,
        // A receiver's name is a hash, by which a stranger could confirm a guess.
        deliveries: { waiting: 3, oldestWaitingSeconds: 90, byChannel: { airtable: 1, email: 2 } },
        notSetUp,
        warnings: notSetUp,
      },
      text: expect.not.stringContaining('email-0'),
    })
  })
})

it('takes the key from apikey or, as legacy keys have it, from Authorization', async () => {
  const { request, stored, wakes } = await open('sqlite', { anonKeys: ['the-key', 'new'] })
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
  // A comparison in constant time throws at another length unless both are brought to one.
  const nearly = ['', 'the-kez', 'The-key', 'the-ke', 'the-key1', 'the-keynew', 'x'.repeat(8_000)]
  const wrong = [...nearly.map((apikey) => ({ apikey })), {}, { authorization: 'Bearer no' }]
  for (const headers of wrong) expect(await send(headers)).toBe(401)
  expect(await stored()).toHaveLength(3)
  // Cron wakes delivery by the same key.
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
])('refuses %s with %i and a code, and stores nothing', async (_, status, code, body, headers) => {
  const { post, stored } = await open()
  const answer = await post({ origin: ownOrigin, ...headers }, body)
  expect(answer.status).toBe(status)
  expect(answer.json.error).toMatchObject({ code, message: expect.any(String) })
  // The page may read a refusal, too.
  expect(answer.headers.get('access-control-allow-origin')).toBe(ownOrigin)
  expect(await stored()).toEqual([])
})

it.each([
  ['name', { ...lead, name: 7 }, 'Please enter your name.'],
  ['name', { ...lead, name: 'x'.repeat(101) }, 'Please shorten your name to 100 characters.'],
  ['address', { ...lead, address: undefined }, 'The field address is missing.'],
  ['consent', { ...lead, consent: true }, 'A lead has no such field.'],
  ['constructor', { ...lead, constructor: 1 }, 'A lead has no such field.'],
])('refuses a lead for its %s with 422 and names the field', async (field, body, message) => {
  const { post, stored } = await open()
  const { status, json } = await post({}, body)
  expect([status, json.error]).toEqual([422, { code: 'invalid_field', field, message }])
  expect(await stored()).toEqual([])
})

it('stops reading a body without a length at 16 KB, and takes one that ends in the middle for no fault', async () => {
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

it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'])('refuses %s with 405', async (method) => {
  const { request } = await open()
  const { status, headers, code } = await request(testPath, { method })
  expect([status, headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
  if (method !== 'HEAD') expect(code).toBe('method_not_allowed')
})

it('answers the preflight of supabase-js from the site and from allowed origins', async () => {
  const { request } = await open()
  for (const origin of [ownOrigin, otherOrigin]) {
    const { status, headers } = await request(testPath, { method: 'OPTIONS', headers: { origin } })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, origin])
    expect(headers.get('vary')).toContain('Origin')
    const allowed = headers.get('access-control-allow-headers')?.split(', ')
    const sent =
      'apikey authorization content-type x-client-info idempotency-key x-retry-count traceparent tracestate baggage'
    expect(allowed).toEqual(expect.arrayContaining(sent.split(' ')))
  }
})

it('shows no CORS header to any other origin', async () => {
  const { request, post } = await open()
  const stranger = { origin: 'https://evil.example' }
  const preflight = await request(testPath, { method: 'OPTIONS', headers: stranger })
  for (const { headers } of [preflight, await post(stranger)]) {
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    expect(headers.get('vary')).toContain('Origin')
  }
})

it('says once that a page has another key, and that a plain post comes from a strange page', async () => {
  const { post, postForm, log } = await open()
  for (let times = 0; times < 3; times++) {
    await post({ apikey: 'of an older build' })
    await postForm(lead, { origin: 'https://elsewhere.example' })
  }
  expect(listErrors(log)).toEqual([
    expect.stringContaining('public key'),
    expect.stringContaining('PUBLIC_URL'),
  ])
})

it('logs an error that quotes a visitor without its words', async () => {
  const { post, log } = await open('sqlite', {
    findClientAddress: () => {
      throw new Error(`where is ${lead.name}?`)
    },
  })
  expect(await post()).toMatchObject({ status: 500, code: 'internal' })
  expect(listErrors(log)).toEqual(['a request failed unexpectedly'])
  expect(JSON.stringify(log.entries)).not.toContain(lead.name)
})

it.each([
  ['is full', 'max_page_count = 1', 'max_page_count = 1000000', 'disk is full'],
  ['has become read-only', 'query_only = on', 'query_only = off', 'readonly'],
])('answers 503 while SQLite %s, loses nothing and recovers', async (_, breakIt, fixIt, reason) => {
  const { db, log, post, checkHealth, stored, clock } = await open('sqlite', {
    rateLimitPerMinute: 1000,
  })
  await sql.raw(`pragma ${breakIt}`).execute(db.kysely)
  let taken = 0
  // A full database still has room in the pages it holds.
  while (taken < 90 && (await post({}, { ...lead, address: 'x'.repeat(300) })).status === 200)
    taken += 1
  expect((await post()).status).toBe(503)
  expect(await checkHealth()).toBe(503)
  expect(await stored()).toHaveLength(taken)
  expect(JSON.stringify(log.entries.find(({ level }) => level === 'error'))).toContain(reason)
  await sql.raw(`pragma ${fixIt}`).execute(db.kysely)
  clock.at += 1_000
  expect((await post()).status).toBe(200)
  expect(await checkHealth()).toBe(200)
})
