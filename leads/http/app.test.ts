import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { createTestLog } from '#testing/log.ts'
import { createFaultLog } from '../log.ts'
import { listLeads } from '../store/reading.ts'
import type { Engine } from '../store/tables.ts'
import { type AppOptions, createApp } from './app.ts'

const path = '/functions/v1/submit-to-airtable'
const host = 'roofing.example'
const own = `https://${host}`
const elsewhere = 'https://cdn.example'

const lead = {
  name: 'Zoë 🏠 山田',
  email: 'zoe@example.com',
  phone: '(555) 123-4567',
  address: '1 Main St, Springfield',
  serviceType: 'roof-repair',
}

async function open(engine: Engine, changes: Partial<AppOptions> = {}) {
  const db = await openTestDatabase(engine)
  const log = createTestLog()
  const clock = { at: Date.parse('2026-11-15T12:00:30Z') }
  const wakes: number[] = []
  const app = createApp({
    db,
    planDelivery: () => ({ channels: ['airtable'] }),
    findWarnings: async () => [],
    linkSecret: 'secret',
    timeZone: 'America/Chicago',
    anonKeys: ['the-key'],
    publicUrl: own,
    allowedOrigins: [elsewhere],
    rateLimitPerMinute: 10,
    notSetUp: [],
    now: () => clock.at,
    log,
    faults: createFaultLog(log),
    wake: () => wakes.push(clock.at),
    findClientAddress: (c) => c.req.header('test-client') ?? '203.0.113.7',
    ...changes,
  })
  const request = async (init: RequestInit, at = path) => {
    const headers = new Headers(init.headers)
    if (!headers.has('host')) headers.set('host', host)
    const response = await app.request(at, { ...init, headers })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text.startsWith('{') ? JSON.parse(text) : undefined,
    }
  }
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    request({
      method: 'POST',
      headers: { apikey: 'the-key', 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const postForm = (
    fields: Record<string, string> = lead,
    headers: Record<string, string> = { origin: own },
  ) => request({ method: 'POST', headers, body: new URLSearchParams(fields) })
  const stored = () => listLeads(db, { limit: 100 })
  return { db, log, clock, wakes, request, post, postForm, stored }
}

describe.each(engines)('the function on %s', (engine) => {
  it('stores a lead with its delivery, wakes delivery and answers 200', async () => {
    const { post, stored, wakes } = await open(engine)
    const { status, json } = await post(lead)
    expect([status, json]).toEqual([200, { ok: true }])
    const [row] = await stored()
    expect(row).toMatchObject({ ...lead, deliveries: [{ channel: 'airtable', state: 'waiting' }] })
    expect(wakes).toHaveLength(1)
  })

  it('answers at the path Supabase shows its functions, too', async () => {
    const { request, stored } = await open(engine)
    const headers = { apikey: 'the-key', 'content-type': 'application/json; charset=utf-8' }
    const body = JSON.stringify(lead)
    const answer = await request({ method: 'POST', headers, body }, '/submit-to-airtable')
    expect(answer.status).toBe(200)
    expect(await stored()).toHaveLength(1)
  })

  it('takes a lead without a service', async () => {
    const { post, stored } = await open(engine)
    const { serviceType: _, ...rest } = lead
    expect((await post(rest)).status).toBe(200)
    expect((await post({ ...lead, serviceType: '' })).status).toBe(200)
    expect((await stored()).map(({ serviceType }) => serviceType)).toEqual(['', ''])
  })

  it('takes the key from apikey or, as legacy keys have it, from Authorization', async () => {
    const { request, stored } = await open(engine)
    const send = async (headers: Record<string, string>) =>
      (
        await request({
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(lead),
        })
      ).status
    expect(await send({ apikey: 'the-key' })).toBe(200)
    expect(await send({ apikey: 'the-key', authorization: 'Bearer the-key' })).toBe(200)
    expect(await send({ authorization: 'Bearer the-key' })).toBe(200)
    expect(await send({})).toBe(401)
    expect(await send({ apikey: 'the-kez' })).toBe(401)
    expect(await send({ apikey: '' })).toBe(401)
    expect(await send({ authorization: 'Bearer no' })).toBe(401)
    expect(await stored()).toHaveLength(3)
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
    'refuses %s with %i and a code, and stores nothing',
    async (_, status, code, body, headers) => {
      const { post, stored } = await open(engine)
      const answer = await post(body, headers as Record<string, string>)
      expect(answer.status).toBe(status)
      expect(answer.json.error).toMatchObject({ code, message: expect.any(String) })
      expect(await stored()).toEqual([])
    },
  )

  it.each([
    ['name', { ...lead, name: '   ' }, 'Please enter your name.'],
    ['name', { ...lead, name: 7 }, 'Please enter your name.'],
    ['name', { ...lead, name: 'x'.repeat(101) }, 'Please shorten your name to 100 characters.'],
    ['email', { ...lead, email: 'zoe' }, undefined],
    ['phone', { ...lead, phone: '12345' }, undefined],
    ['address', { ...lead, address: undefined }, 'The field address is missing.'],
    ['serviceType', { ...lead, serviceType: 'gutters' }, undefined],
    ['consent', { ...lead, consent: true }, 'A lead has no such field.'],
  ])('refuses a lead for its %s with 422 and names the field', async (field, body, message) => {
    const { post, stored } = await open(engine)
    const { status, json } = await post(body)
    expect([status, json.error.code, json.error.field]).toEqual([422, 'invalid_field', field])
    if (message) expect(json.error.message).toBe(message)
    expect(await stored()).toEqual([])
  })

  it('stops reading a body without a length at 16 KB', async () => {
    const { request, stored } = await open(engine)
    let pulled = 0
    const body = new ReadableStream({
      pull(controller) {
        pulled += 1
        controller.enqueue(new TextEncoder().encode('x'.repeat(1024)))
        if (pulled === 10_000) controller.close()
      },
    })
    const headers = { apikey: 'the-key', 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
    expect((await request(init)).status).toBe(413)
    expect(pulled).toBeLessThan(30)
    expect(await stored()).toEqual([])
  })

  it('takes a visitor who leaves in the middle of the body for no fault of its own', async () => {
    const { request, log, stored } = await open(engine)
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"name":')),
      pull: (controller) => controller.error(new Error('aborted')),
    })
    const headers = { apikey: 'the-key', 'content-type': 'application/json' }
    const { status } = await request({
      method: 'POST',
      headers,
      body,
      duplex: 'half',
    } as RequestInit)
    expect(status).toBe(400)
    expect(log.entries).toEqual([])
    expect(await stored()).toEqual([])
  })

  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'])('refuses %s with 405', async (method) => {
    const { request } = await open(engine)
    const answer = await request({ method })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST, OPTIONS')
    if (method !== 'HEAD') expect(answer.json.error.code).toBe('method_not_allowed')
  })

  it.each([
    ['nothing', undefined, null, null],
    ['the consent the visitor saw', 'consent=2026-11&elapsedMs=45000', '2026-11', null],
    [
      'a filled trap',
      'consent=2026-11&reference=http%3A%2F%2Fspam&elapsedMs=9000',
      '2026-11',
      'trap',
    ],
    ['a press within a second', 'consent=2026-11&elapsedMs=240', '2026-11', 'haste'],
    ['nonsense', '%%%&elapsedMs=-1&consent=%00%ff&=', '\uFFFD', null],
    ['a very long text', `consent=${'x'.repeat(5000)}`, 'x'.repeat(40), null],
  ])(
    'keeps beside the lead what its details say: %s; none is refused',
    async (_, details, consent, suspect) => {
      const { post, stored } = await open(engine)
      const headers = details === undefined ? {} : { 'x-lead-details': details }
      expect((await post(lead, headers as Record<string, string>)).status).toBe(200)
      expect(await stored()).toMatchObject([{ ...lead, consent, suspect }])
    },
  )

  it.each([
    ['nobody said', 'consent=2026-11', null],
    ['direct', 'source=referrer%3D', ''],
    [
      'a campaign',
      'source=utm_source%3Dgoogle%26utm_campaign%3Dspring',
      'utm_source=google&utm_campaign=spring',
    ],
    ['hostile', `source=${'%26%3D%00'.repeat(200)}`, ''],
  ])('keeps where the visitor came from: %s', async (_, details, source) => {
    const { post, stored } = await open(engine)
    expect((await post(lead, { 'x-lead-details': details })).status).toBe(200)
    expect(await stored()).toMatchObject([{ ...lead, source }])
  })

  it('stores one lead for one key and body, also when they come at once', async () => {
    const { post, stored } = await open(engine)
    const key = { 'idempotency-key': 'a-key' }
    const answers = await Promise.all(Array.from({ length: 8 }, () => post(lead, key)))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect((await post(lead, key)).json).toEqual({ ok: true })
    expect(await stored()).toHaveLength(1)
  })

  it('refuses a key that comes again with another body', async () => {
    const { post, stored } = await open(engine)
    await post(lead, { 'idempotency-key': 'a-key' })
    const answer = await post({ ...lead, name: 'Other' }, { 'idempotency-key': 'a-key' })
    expect([answer.status, answer.json.error.code]).toEqual([409, 'idempotency_key_reused'])
    expect(await stored()).toHaveLength(1)
  })

  it('asks a client over its limit to wait, and takes the lead after that', async () => {
    const { post, clock, stored } = await open(engine, { rateLimitPerMinute: 2 })
    await post(lead)
    clock.at += 10_000
    await post(lead)
    const refused = await post(lead, { origin: own })
    expect([refused.status, refused.json.error.code]).toEqual([429, 'too_many_requests'])
    expect(refused.headers.get('retry-after')).toBe('50')
    expect(refused.headers.get('access-control-expose-headers')).toBe('Retry-After')
    expect((await post(lead, { 'test-client': '203.0.113.8' })).status).toBe(200)
    clock.at += 50_000
    expect((await post(lead)).status).toBe(200)
    expect(await stored()).toHaveLength(4)
  })

  it('answers 503 while the database is away, says it once, and recovers', async () => {
    const { db, post, log, request, stored, clock } = await open(engine)
    await db.kysely.schema.alterTable('leads').renameTo('leads_away').execute()
    for (let at = 0; at < 5; at++) {
      const { status, json, headers } = await post(lead)
      expect([status, json.error.code, headers.get('retry-after')]).toEqual([
        503,
        'unavailable',
        '5',
      ])
    }
    expect(log.entries.filter(({ level }) => level === 'error')).toHaveLength(1)
    await db.kysely.schema.alterTable('leads_away').renameTo('leads').execute()
    expect((await post(lead)).status).toBe(200)
    expect(log.entries.map(({ message }) => message)).toContain('leads can be stored again')
    expect(await stored()).toHaveLength(1)

    await db.kysely.schema.alterTable('write_checks').renameTo('away').execute()
    expect((await request({}, '/healthz')).status).toBe(503)
    await db.kysely.schema.alterTable('away').renameTo('write_checks').execute()
    clock.at += 1_000
    expect((await request({}, '/healthz')).status).toBe(200)
  })

  it('answers the preflight of supabase-js from the site and from allowed origins', async () => {
    const { request } = await open(engine)
    for (const origin of [own, elsewhere]) {
      const { status, headers } = await request({ method: 'OPTIONS', headers: { origin } })
      expect(status).toBe(204)
      expect(headers.get('access-control-allow-origin')).toBe(origin)
      expect(headers.get('vary')).toContain('Origin')
      const allowed = headers.get('access-control-allow-headers')?.split(', ')
      for (const name of 'apikey authorization content-type x-client-info idempotency-key x-retry-count traceparent tracestate baggage'.split(
        ' ',
      ))
        expect(allowed).toContain(name)
    }
  })

  it('shows no CORS header to any other origin', async () => {
    const { request, post } = await open(engine)
    const preflight = await request({
      method: 'OPTIONS',
      headers: { origin: 'https://evil.example' },
    })
    const answer = await post(lead, { origin: 'https://evil.example' })
    for (const { headers } of [preflight, answer]) {
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
      expect(headers.get('vary')).toContain('Origin')
    }
  })

  it('lets the page read a refusal, too', async () => {
    const { post } = await open(engine)
    const { status, headers } = await post('{', { origin: own })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([400, own])
  })

  it('says once that a page has another key, and that a plain post comes from a strange page', async () => {
    const { post, postForm, log } = await open(engine)
    for (let times = 0; times < 3; times++) {
      await post(lead, { apikey: 'of an older build' })
      await postForm(lead, { origin: 'https://elsewhere.example' })
    }
    const said = log.entries.filter(({ level }) => level === 'error').map(({ message }) => message)
    expect(said).toEqual([
      expect.stringContaining('public key'),
      expect.stringContaining('PUBLIC_URL'),
    ])
  })

  it('keeps personal data out of the log', async () => {
    const { post, postForm, log } = await open(engine)
    await post(lead)
    await postForm()
    await post({ ...lead, email: 'nonsense of zoe' })
    const text = JSON.stringify(log.entries)
    for (const value of [lead.name, 'zoe', '123-4567', 'Main St', '203.0.113'])
      expect(text).not.toContain(value)
    expect(text).toContain('leadId')
  })

  it('wakes delivery for whoever has the public key', async () => {
    const { request, wakes } = await open(engine)
    const wake = (headers: Record<string, string>) =>
      request({ method: 'POST', headers }, '/submit-to-airtable/deliver')
    expect((await wake({})).status).toBe(401)
    expect(wakes).toHaveLength(0)
    expect((await wake({ apikey: 'the-key' })).status).toBe(202)
    expect(wakes).toHaveLength(1)
  })

  it('tells its health: what waits, for how long, and what is not set up', async () => {
    const { request, post, clock } = await open(engine, {
      notSetUp: ['Airtable is not set up.'],
      planDelivery: () => ({ channels: ['airtable', 'email-0a1b2c3d', 'email-4e5f6a7b'] }),
    })
    expect((await request({}, '/healthz')).json.deliveries).toMatchObject({
      waiting: 0,
      oldestWaitingSeconds: null,
    })
    await post(lead)
    clock.at += 90_000
    const { status, json, text } = await request({}, '/healthz')
    expect(status).toBe(200)
    expect(json).toEqual({
      ok: true,
      database: engine,
      // A receiver's name is a hash, by which a stranger could confirm a guess.
      deliveries: { waiting: 3, oldestWaitingSeconds: 90, byChannel: { airtable: 1, email: 2 } },
      notSetUp: ['Airtable is not set up.'],
      warnings: ['Airtable is not set up.'],
    })
    expect(text).not.toContain('zoe')
  })
})

describe('the function on a SQLite that cannot write', () => {
  it.each([
    ['is full', 'max_page_count = 1', 'max_page_count = 1000000', 'disk is full'],
    ['has become read-only', 'query_only = on', 'query_only = off', 'readonly'],
  ])('answers 503 while it %s, loses nothing and recovers', async (_, breakIt, mendIt, reason) => {
    const { db, log, post, request, stored, clock } = await open('sqlite', {
      rateLimitPerMinute: 1000,
    })
    let taken = 0
    await sql.raw(`pragma ${breakIt}`).execute(db.kysely)
    let status = 200
    // A full database still has room in the pages it holds.
    while (status === 200 && taken < 500) {
      status = (await post({ ...lead, address: 'x'.repeat(300) })).status
      if (status === 200) taken += 1
    }
    expect(status).toBe(503)
    expect((await request({}, '/healthz')).status).toBe(503)
    expect(await stored()).toHaveLength(Math.min(taken, 100))
    expect(JSON.stringify(log.entries.find(({ level }) => level === 'error'))).toContain(reason)
    await sql.raw(`pragma ${mendIt}`).execute(db.kysely)
    clock.at += 1_000
    expect((await post(lead)).status).toBe(200)
    expect((await request({}, '/healthz')).status).toBe(200)
  })
})

describe.each(engines)('the plain form on %s', (engine) => {
  it('needs no key and leads back to the page, which shows the outcome', async () => {
    const { postForm, stored } = await open(engine)
    const { status, headers } = await postForm()
    expect([status, headers.get('location')]).toEqual([303, '/#estimate-received'])
    expect(await stored()).toMatchObject([lead])
  })

  it('takes multipart forms and ignores fields that are no part of a lead', async () => {
    const { request, stored } = await open(engine)
    const body = new FormData()
    for (const [name, value] of Object.entries({ ...lead, submit: 'yes' })) body.set(name, value)
    const { headers } = await request({ method: 'POST', headers: { origin: own }, body })
    expect(headers.get('location')).toBe('/#estimate-received')
    expect(await stored()).toMatchObject([lead])
  })

  it('says which kind of failure it was', async () => {
    const { postForm, request, stored } = await open(engine)
    const seen = async (answer: ReturnType<typeof postForm>) =>
      (await answer).headers.get('location')
    expect(await seen(postForm({ ...lead, phone: ' ' }))).toBe('/#estimate-incomplete')
    expect(await seen(postForm({ ...lead, email: 'zoe' }))).toBe('/#estimate-email')
    expect(await seen(postForm({ ...lead, phone: '555' }))).toBe('/#estimate-phone')
    expect(await seen(postForm({ ...lead, name: 'x'.repeat(101) }))).toBe('/#estimate-name')
    expect(await seen(postForm({ ...lead, address: 'x'.repeat(301) }))).toBe('/#estimate-address')
    expect(await seen(postForm({ ...lead, serviceType: 'x' }))).toBe('/#estimate-failed')
    expect(await seen(postForm({ ...lead, name: 'x'.repeat(20_000) }))).toBe('/#estimate-failed')
    const headers = { origin: own, 'content-type': 'multipart/form-data' }
    expect(await seen(request({ method: 'POST', headers, body: 'nonsense' }))).toBe(
      '/#estimate-failed',
    )
    expect(await stored()).toEqual([])
  })

  it('says so when the database is away or the client is over its limit', async () => {
    const { db, postForm } = await open(engine, { rateLimitPerMinute: 1 })
    await postForm()
    const limited = await postForm({ ...lead, name: 'Other' })
    expect(limited.headers.get('location')).toBe('/#estimate-failed')
    await db.kysely.schema.alterTable('leads').renameTo('away').execute()
    expect((await postForm()).headers.get('location')).toBe('/#estimate-failed')
    await db.kysely.schema.alterTable('away').renameTo('leads').execute()
  })

  it('goes back to the allowed origin it came from', async () => {
    const { postForm } = await open(engine)
    const { headers } = await postForm(lead, { origin: elsewhere })
    expect(headers.get('location')).toBe(`${elsewhere}/#estimate-received`)
  })

  it('believes the referrer, or the browser itself, where no origin is sent', async () => {
    const { postForm, stored } = await open(engine)
    await postForm(lead, { origin: 'null', referer: `${own}/` })
    await postForm({ ...lead, name: 'Two' }, { 'sec-fetch-site': 'same-origin' })
    expect(await stored()).toHaveLength(2)
  })

  it.each([
    ['another site', { origin: 'https://evil.example' }],
    ['another site with our referrer', { origin: 'https://evil.example', referer: own }],
    ['nowhere', {}],
    ['a hidden page of another site', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
  ])('stores nothing that comes from %s', async (_, headers) => {
    const { postForm, stored } = await open(engine)
    const answer = await postForm(lead, headers as Record<string, string>)
    expect(answer.headers.get('location')).toBe('/#estimate-failed')
    expect(await stored()).toEqual([])
  })

  it('keeps consent and suspicion from the form’s own hidden fields', async () => {
    const { postForm, stored } = await open(engine)
    await postForm({ ...lead, consent: '2026-11', reference: '' })
    await postForm({ ...lead, name: 'Robot', consent: '2026-11', reference: 'buy now' })
    const leads = (await stored()).map(({ name, consent, suspect }) => [name, consent, suspect])
    expect(leads).toContainEqual([lead.name, '2026-11', null])
    expect(leads).toContainEqual(['Robot', '2026-11', 'trap'])
  })

  it('formats the name as the form would have', async () => {
    const { postForm, stored } = await open(engine)
    await postForm({ ...lead, name: ' jane DOE' })
    expect(await stored()).toMatchObject([{ name: 'Jane Doe' }])
  })

  it('refuses a file where the name should be', async () => {
    const { request, stored } = await open(engine)
    const body = new FormData()
    for (const [name, value] of Object.entries(lead)) body.set(name, value)
    body.set('name', new Blob(['x']), 'x.txt')
    const answer = await request({ method: 'POST', headers: { origin: own }, body })
    expect(answer.headers.get('location')).toBe('/#estimate-name')
    expect(await stored()).toEqual([])
  })

  it('keeps where the visitor came from: as the page says, or by its address', async () => {
    const { postForm, stored } = await open(engine)
    const page = `${own}/?utm_source=google&utm_medium=cpc&gclid=abc&email=jane%40example.com`
    const headers = { origin: own, referer: page }
    await postForm({ ...lead, name: 'Scripted', source: 'referrer=www.google.com' }, headers)
    await postForm({ ...lead, name: 'Plain', source: '' }, headers)
    await postForm({ ...lead, name: 'Unknown' }, { origin: own, referer: `${own}/` })
    const sources = (await stored()).map(({ name, source }) => [name, source])
    expect(Object.fromEntries(sources)).toEqual({
      Scripted: 'referrer=www.google.com',
      Plain: 'utm_source=google&utm_medium=cpc',
      Unknown: null,
    })
  })

  it('is the same lead as an earlier try under the key it passes on, unless that was another', async () => {
    const { post, postForm, stored } = await open(engine)
    await post(lead, { 'idempotency-key': 'k1' })
    await postForm({ ...lead, idempotencyKey: 'k1' })
    expect(await stored()).toHaveLength(1)
    for (const name of ['Another', 'Another'])
      expect(
        (await postForm({ ...lead, name, idempotencyKey: 'k1' })).headers.get('location'),
      ).toBe('/#estimate-received')
    await postForm({ ...lead, name: 'Third', idempotencyKey: 'k3' })
    await post({ ...lead, name: 'Third' }, { 'idempotency-key': 'k3' })
    await postForm({ ...lead, name: 'Fourth', idempotencyKey: '\0' })
    expect((await stored()).map(({ name }) => name).sort()).toEqual(
      ['Another', 'Fourth', lead.name, 'Third'].sort(),
    )
  })

  it('stores one lead for a double press, across the turn of a minute too', async () => {
    const { postForm, stored, clock } = await open(engine)
    await Promise.all([postForm(), postForm()])
    clock.at += 45_000
    expect((await postForm()).headers.get('location')).toBe('/#estimate-received')
    expect(await stored()).toHaveLength(1)
    await postForm({ ...lead, name: 'Other' })
    clock.at += 120_000
    await postForm()
    expect(await stored()).toHaveLength(3)
  })
})
