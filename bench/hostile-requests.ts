import fc from 'fast-check'
import { makeAnswerToken } from '#leads/answer-link.ts'
import { createApp } from '#leads/http/app.ts'
import { serviceTypes } from '#leads/lead.ts'
import { createFaultLog } from '#leads/log.ts'
import { findLead, listLeads } from '#leads/store/reading.ts'
import { saveLead } from '#leads/store/save-lead.ts'
import type { Database } from '#leads/store/tables.ts'
import { createTestApp, testLead } from '#testing/app.ts'

/** Requests nobody's browser would send, and what must be true of every answer all the same. */

export const anonKey = 'the-key'
const own = 'https://roofing.example'
const elsewhere = 'https://cdn.example'
const path = '/functions/v1/submit-to-airtable'

// Any UTF-16 there is: halves of surrogate pairs, NUL, and all else that no keyboard has.
const anyText = (maxLength: number) =>
  fc
    .array(
      fc.oneof(
        fc.integer({ min: 0, max: 0xffff }),
        fc.integer({ min: 0xd800, max: 0xdfff }),
        fc.constantFrom(...'\0\r\n\t<>"\'\\&;%{}|=/@. 5').map((letter) => letter.charCodeAt(0)),
      ),
      { maxLength },
    )
    .map((units) => String.fromCharCode(...units))

const service = fc.oneof(fc.constantFrom(...Object.keys(serviceTypes), ''), anyText(20))
const field = (ordinary: string, maxLength: number) =>
  fc.oneof(fc.constant(ordinary), anyText(maxLength), fc.jsonValue())

const lead = fc.record(
  {
    name: field('Zoë', 120),
    email: field('zoe@example.com', 60),
    phone: field('(555) 123-4567', 50),
    address: field('1 Main St', 320),
    serviceType: service,
  },
  { requiredKeys: [] },
)

/** What the schema takes, with strange letters in it. */
const strangeLead = fc
  .record({ name: anyText(80), address: anyText(200), serviceType: fc.constantFrom('', 'other') })
  .map(({ name, address, serviceType }) => ({
    name: `Z${name}`,
    email: 'zoe@example.com',
    phone: '555 123 4567',
    address: `1${address}`,
    serviceType,
  }))

const poison = fc.constantFrom(
  '{"__proto__":{"polluted":true},"name":"x"}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"name":"a","name":"b","toString":1,"hasOwnProperty":2}',
  '{"name":{"__proto__":null},"email":[],"phone":{},"address":1e999}',
  '\uFEFF{"name":"x"}',
  'null',
  '-0',
  '"\\ud800"',
)
const deep = fc
  .tuple(fc.constantFrom('[', '{"a":', '[[', '{"name":['), fc.integer({ min: 1, max: 9_000 }))
  .map(([part, times]) => part.repeat(times).slice(0, 20_000))

const text = (value: unknown) => JSON.stringify(value) ?? ''
const bodyText = fc.oneof(
  { weight: 4, arbitrary: strangeLead.map(text) },
  { weight: 4, arbitrary: lead.map(text) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 8 }).map(text) },
  { weight: 1, arbitrary: poison },
  { weight: 1, arbitrary: deep },
  { weight: 1, arbitrary: fc.integer({ min: 16_000, max: 17_000 }).map((n) => 'x'.repeat(n)) },
  {
    weight: 2,
    arbitrary: lead.map((one) => {
      const fields = Object.entries(one)
      const written = fields.map(([name, value]) => [
        name,
        typeof value === 'string' ? value : text(value),
      ])
      return new URLSearchParams(written).toString()
    }),
  },
)
const body = fc.oneof(
  { weight: 6, arbitrary: bodyText.map((written) => new TextEncoder().encode(written)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 2_000 }) },
  // A whole body with bytes turned: broken UTF-8 in the middle of good JSON.
  {
    weight: 1,
    arbitrary: fc.tuple(bodyText, fc.nat(), fc.nat(255)).map(([written, at, byte]) => {
      const bytes = new TextEncoder().encode(written)
      if (bytes.length > 0) bytes[at % bytes.length] = byte
      return bytes
    }),
  },
)

// What HTTP lets through in a header's value: all of Latin-1 but control characters.
const headerValue = fc
  .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff })), {
    maxLength: 300,
  })
  .map((codes) => String.fromCharCode(...codes).trim())
const headerName = fc
  .array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789-_!#$%&*+.^|~'), {
    minLength: 1,
    maxLength: 30,
  })
  .map((letters) => letters.join(''))

const contentType = fc.oneof(
  { weight: 6, arbitrary: fc.constant('application/json') },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      'application/json; charset=utf-16',
      'APPLICATION/JSON ;;;',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'multipart/form-data; boundary=',
      'multipart/form-data; boundary="x"',
      'multipart/form-data; boundary=----x; boundary=y',
      'text/plain',
      '',
      ';',
      'application/json,application/json',
    ),
  },
  { weight: 1, arbitrary: headerValue },
)
const origin = fc.oneof(
  fc.constantFrom(own, elsewhere, 'null', 'https://evil.example', 'http://', `${own}.evil.example`),
  headerValue,
)
const headers = fc
  .record(
    {
      'content-type': contentType,
      apikey: fc.oneof({ weight: 9, arbitrary: fc.constant(anonKey) }, headerValue),
      authorization: fc.oneof(fc.constant(`Bearer ${anonKey}`), headerValue),
      'idempotency-key': fc.oneof(fc.uuid(), headerValue, fc.constant('again')),
      'x-lead-details': fc.oneof(
        fc.constantFrom(
          'consent=2026-11&elapsedMs=5000',
          'elapsedMs=-1',
          'source=utm_source%3D%2500%26referrer%3D%25ff%26click%3D__proto__',
          '%',
          '__proto__=1',
        ),
        headerValue,
      ),
      'content-length': fc.constantFrom('0', '-1', '99999999999999999999', 'NaN', '17000'),
      'x-forwarded-for': headerValue,
      host: fc.constantFrom('roofing.example', 'evil.example'),
      origin,
      referer: origin,
      'sec-fetch-site': fc.constantFrom('same-origin', 'cross-site', 'x'),
    },
    { requiredKeys: ['content-type', 'apikey'] },
  )
  .chain((known) =>
    fc
      .dictionary(headerName, headerValue, { maxKeys: 8 })
      .map((unknown): Record<string, string> => ({ ...unknown, ...known })),
  )

const anyPath = fc.oneof(
  { weight: 30, arbitrary: fc.constant(path) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '/submit-to-airtable',
      `${path}/deliver`,
      `${path}/healthz`,
      '/healthz',
      `${path}/`,
      `${path}/%00`,
      `${path}/answer/`,
      `${path}%2fanswer`,
      '/..%2f..%2fetc/passwd',
      '/%',
      '/%ff%fe',
      '//evil.example/',
    ),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.constantFrom('/answer/', `${path}/answer/`), anyText(60))
      .map(([start, token]) => start + encodeURIComponent(token.toWellFormed())),
  },
  {
    weight: 2,
    arbitrary: fc
      .base64String({ minLength: 64, maxLength: 64 })
      .map((token) => `/answer/${token.slice(0, 48).replace(/[+/=]/g, '_')}`),
  },
  { weight: 1, arbitrary: fc.webPath() },
)

export type HostileRequest = {
  path: string
  method: string
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer>
}

export const hostileRequest: fc.Arbitrary<HostileRequest> = fc.record({
  path: anyPath,
  method: fc.oneof(
    { weight: 9, arbitrary: fc.constant('POST') },
    fc.constantFrom('GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'),
  ),
  headers,
  body: body as fc.Arbitrary<Uint8Array<ArrayBuffer>>,
})

/** A request as one can read it: bodies are shown by their beginning. */
export const describeRequest = ({ body: bytes, ...request }: HostileRequest): string =>
  JSON.stringify({ ...request, body: Buffer.from(bytes).toString('latin1').slice(0, 500) })

/** Sends so many requests; the first that is answered wrongly comes back, made as small as it gets. */
export async function tryRequests(
  findFault: (request: HostileRequest) => Promise<string | undefined>,
  numRuns: number,
  seed: number,
): Promise<string | undefined> {
  let fault: string | undefined
  const property = fc.asyncProperty(hostileRequest, async (request) => {
    const found = await findFault(request)
    if (found) fault = `${found}\n${describeRequest(request)}`
    return found === undefined
  })
  const { failed, numRuns: runs } = await fc.check(property, { numRuns, seed })
  return failed ? `request ${runs} of seed ${seed}: ${fault}` : undefined
}

/** The function on a database, and one question: what is wrong with its answer to this request? */
export function createHostileTarget(db: Database) {
  const errors: string[] = []
  const log = {
    info: () => {},
    warn: () => {},
    error: (fields: { fault?: string }, message: string) => {
      // These two say that someone is refused, which is as it should be.
      if (fields.fault === 'public key' || fields.fault === 'form origin') return
      errors.push(`${message} ${JSON.stringify(fields)}`)
    },
  }
  let at = Date.parse('2026-11-15T12:00:00Z')
  const app = createApp({
    db,
    planDelivery: () => ({ channels: ['airtable', 'email', 'webhook'], escalateAt: at }),
    findWarnings: async () => [],
    linkSecret: 'a secret for tests',
    timeZone: 'America/Chicago',
    anonKeys: [anonKey],
    publicUrl: own,
    allowedOrigins: [elsewhere],
    rateLimitPerMinute: 0,
    notSetUp: [],
    now: () => at++,
    log,
    faults: createFaultLog(log),
    wake: () => {},
    findClientAddress: (c) => c.req.header('x-forwarded-for') ?? '203.0.113.7',
  })
  const prototypeNames = Object.getOwnPropertyNames(Object.prototype).join()
  const statuses = new Map<number, number>()

  /** Undefined when nothing is. */
  async function findFault(request: HostileRequest): Promise<string | undefined> {
    const hasBody = !['GET', 'HEAD'].includes(request.method)
    const response = await app.request(`http://roofing.example${request.path}`, {
      method: request.method,
      headers: request.headers,
      ...(hasBody && { body: request.body }),
    })
    const answer = await response.text()
    const { status } = response
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (status >= 500) return `answered ${status}: ${answer} ${errors.splice(0).join()}`
    const [error] = errors.splice(0)
    if (error) return `logged: ${error}`
    if (/node_modules|\.ts:\d|\bat \w+ \(/.test(answer)) return `shows its insides: ${answer}`
    if (Object.getOwnPropertyNames(Object.prototype).join() !== prototypeNames)
      return 'changed Object.prototype'
    const opened = response.headers.get('access-control-allow-origin')
    if (opened && ![own, elsewhere].includes(opened) && !isSameHost(opened, request))
      return `opened to ${opened}`
    const location = response.headers.get('location')
    if (location && !/^(https:\/\/(roofing|cdn)\.example)?\/#estimate-\w+$/.test(location))
      return `leads to ${location}`
    if (
      status >= 400 &&
      request.method !== 'HEAD' &&
      response.headers.get('content-type')?.includes('json')
    ) {
      const { error: refusal } = JSON.parse(answer)
      if (typeof refusal?.code !== 'string' || typeof refusal.message !== 'string')
        return `refuses without a reason: ${answer}`
    }
    if (answer === '{"ok":true}' && status === 200) return findStoredFault()
    return undefined
  }

  async function findStoredFault(): Promise<string | undefined> {
    const [stored] = await listLeads(db, { limit: 1 })
    if (!stored) return 'said yes and stored nothing'
    const { name, email, phone, address } = stored
    for (const value of [name, email, phone, address])
      if (!value || value !== value.trim() || /[\p{Cc}\p{Cs}]/u.test(value))
        return `stored ${JSON.stringify(value)}`
    const isTooLong = name.length > 100 || email.length > 254 || phone.length > 40
    return isTooLong || address.length > 300 ? 'stored more than allowed' : undefined
  }

  return { findFault, statuses }
}

// The page's own host, whichever the request names, may call: the browser sets both.
const isSameHost = (origin: string, { headers: { host } }: HostileRequest) =>
  new URL(origin).host === (host ?? 'roofing.example')

const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/=.%\0é']

/** A real link with letters turned, taken out and put in: none may show or change the lead. */
export async function tryAnswerLinks(
  db: Database,
  numRuns: number,
  seed: number,
): Promise<string | undefined> {
  const secret = 'a secret for tests'
  const { app, clock } = createTestApp(db, { linkSecret: secret })
  const saved = await saveLead(
    db,
    {
      lead: { ...testLead, serviceType: '' },
      details: { suspect: null, consent: null, source: null },
      bodyHash: '',
      clientAddress: '',
      idempotencyKeys: [],
      channels: [],
    },
    { now: clock.at, limitPerMinute: 0 },
  )
  if (!('leadId' in saved)) return 'the lead is not stored'
  const { leadId } = saved
  const token = makeAnswerToken(leadId, secret, clock.at)
  const change = fc.tuple(fc.nat(token.length), fc.nat(1), fc.constantFrom('', ...letters))
  const link = fc.record({
    changes: fc.array(change, { minLength: 1, maxLength: 4 }),
    method: fc.constantFrom('GET', 'HEAD', 'POST'),
    underFunction: fc.boolean(),
  })
  const ask = (start: string, tried: string, method: string) =>
    app.request(`${start}/answer/${encodeURIComponent(tried)}`, { method })

  let fault: string | undefined
  const property = fc.asyncProperty(link, async ({ changes, method, underFunction }) => {
    const tried = changes.reduce(
      (text, [at, removed, letter]) => text.slice(0, at) + letter + text.slice(at + removed),
      token,
    )
    if (tried === token) return true
    const response = await ask(underFunction ? path : '', tried, method)
    const answer = await response.text()
    const isShown = answer.includes(testLead.name) || answer.includes(testLead.phone)
    const isChanged = (await findLead(db, leadId))?.answeredAt !== null
    if (isShown || isChanged || ![404, 405, 410].includes(response.status))
      fault = `${method} ${tried}: ${response.status}${isShown ? ', shown' : ''}${isChanged ? ', answered' : ''}`
    return fault === undefined
  })
  const { failed } = await fc.check(property, { numRuns, seed })
  if (failed) return `answer links, seed ${seed}: ${fault}`
  // And the real one works, or the others would prove nothing.
  const { status } = await ask('', token, 'POST')
  const isAnswered = (await findLead(db, leadId))?.answeredAt === clock.at
  return status === 200 && isAnswered ? undefined : `the real link: ${status}`
}
