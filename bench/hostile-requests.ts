import fc from 'fast-check'
import { serviceTypes } from '#leads/lead.ts'
import { functionPath as path } from './visitors.ts'

/** Requests nobody's browser would send. */

export const anonKey = 'the-key'
export const own = 'https://roofing.example'
export const elsewhere = 'https://cdn.example'

export type HostileRequest = {
  path: string
  method: string
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer>
}

const often = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>) => ({ weight, arbitrary })
const letter = (min: number, max: number) =>
  fc.integer({ min, max }).map((code) => String.fromCharCode(code))

// Any UTF-16 there is: halves of surrogate pairs, NUL, and all else that no keyboard has.
const anyLetter = fc.oneof(
  letter(0, 0xffff),
  letter(0xd800, 0xdfff),
  fc.constantFrom(...'\0\r\n\t<>"\'\\&;%{}|=/@. 5'),
)
const anyText = (maxLength: number) => fc.string({ unit: anyLetter, maxLength })

const field = (ordinary: string, maxLength: number) =>
  fc.oneof(fc.constant(ordinary), anyText(maxLength), fc.jsonValue())

const lead = fc.record(
  {
    name: field('Zoë', 120),
    email: field('zoe@example.com', 60),
    phone: field('(555) 123-4567', 50),
    address: field('1 Main St', 320),
    serviceType: fc.oneof(fc.constantFrom(...Object.keys(serviceTypes), ''), anyText(20)),
  },
  { requiredKeys: [] },
)
/** What the schema takes, with strange letters in it. */
const strangeLead = fc.record({
  name: anyText(80).map((text) => `Z${text}`),
  email: fc.constant('zoe@example.com'),
  phone: fc.constant('555 123 4567'),
  address: anyText(200).map((text) => `1${text}`),
  serviceType: fc.constantFrom('', 'other'),
})

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
const long = fc.integer({ min: 16_000, max: 17_000 }).map((n) => 'x'.repeat(n))

const write = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const asJson = (value: unknown) => JSON.stringify(value) ?? ''
const asForm = (one: object) =>
  String(new URLSearchParams(Object.entries(one).map(([name, value]) => [name, write(value)])))

const bodyBytes = fc
  .oneof(
    often(4, strangeLead.map(asJson)),
    often(4, lead.map(asJson)),
    often(2, lead.map(asForm)),
    often(2, fc.jsonValue({ maxDepth: 8 }).map(asJson)),
    poison,
    deep,
    long,
  )
  .map((written) => new TextEncoder().encode(written))
// A whole body with a byte turned: broken UTF-8 in the middle of good JSON.
const brokenBody = fc.tuple(bodyBytes, fc.nat(), fc.nat(255)).map(([bytes, at, byte]) => {
  if (bytes.length > 0) bytes[at % bytes.length] = byte
  return bytes
})
const body = fc.oneof(often(6, bodyBytes), fc.uint8Array({ maxLength: 2_000 }), brokenBody)

// What HTTP lets through in a header's value: all of Latin-1 but control characters.
const headerLetter = fc.oneof(letter(0x20, 0x7e), letter(0x80, 0xff))
const headerValue = fc.string({ unit: headerLetter, maxLength: 300 }).map((value) => value.trim())
const headerName = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789-_!#$%&*+.^|~'),
  minLength: 1,
  maxLength: 30,
})

const strangeType = fc.constantFrom(
  'application/json; charset=utf-16',
  'APPLICATION/JSON ;;;',
  'application/json,application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary=',
  'multipart/form-data; boundary="x"',
  'multipart/form-data; boundary=----x; boundary=y',
  'text/plain',
  '',
  ';',
)
const origin = fc.oneof(
  fc.constantFrom(own, elsewhere, 'null', 'https://evil.example', 'http://', `${own}.evil.example`),
  headerValue,
)
const details = fc.constantFrom(
  'consent=2026-11&elapsedMs=5000',
  'elapsedMs=-1',
  'source=utm_source%3D%2500%26referrer%3D%25ff%26click%3D__proto__',
  '%',
  '__proto__=1',
)
const knownHeaders = fc.record(
  {
    'content-type': fc.oneof(
      often(6, fc.constant('application/json')),
      often(3, strangeType),
      headerValue,
    ),
    apikey: fc.oneof(often(9, fc.constant(anonKey)), headerValue),
    authorization: fc.oneof(fc.constant(`Bearer ${anonKey}`), headerValue),
    'idempotency-key': fc.oneof(fc.uuid(), headerValue, fc.constant('again')),
    'x-lead-details': fc.oneof(details, headerValue),
    'content-length': fc.constantFrom('0', '-1', '99999999999999999999', 'NaN', '17000'),
    'x-forwarded-for': headerValue,
    host: fc.constantFrom('roofing.example', 'evil.example'),
    origin,
    referer: origin,
    'sec-fetch-site': fc.constantFrom('same-origin', 'cross-site', 'x'),
  },
  { requiredKeys: ['content-type', 'apikey'] },
)

const strangePath = fc.constantFrom(
  '/submit-to-airtable',
  ...['/deliver', '/healthz', '/', '/%00', '/answer/', '%2fanswer'].map((end) => path + end),
  ...['/healthz', '/..%2f..%2fetc/passwd', '/%', '/%ff%fe', '//evil.example/'],
)
const strangeAnswer = fc
  .tuple(fc.constantFrom('/answer/', `${path}/answer/`), anyText(60))
  .map(([start, token]) => start + encodeURIComponent(token.toWellFormed()))
const guessedAnswer = fc
  .base64String({ minLength: 64, maxLength: 64 })
  .map((token) => `/answer/${token.slice(0, 48).replace(/[+/=]/g, '_')}`)

export const hostileRequest: fc.Arbitrary<HostileRequest> = fc.record({
  path: fc.oneof(
    often(30, fc.constant(path)),
    often(3, strangePath),
    often(3, strangeAnswer),
    often(2, guessedAnswer),
    fc.webPath(),
  ),
  method: fc.oneof(
    often(9, fc.constant('POST')),
    fc.constantFrom('GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'),
  ),
  headers: fc
    .tuple(fc.dictionary(headerName, headerValue, { maxKeys: 8 }), knownHeaders)
    .map(([unknown, known]): Record<string, string> => ({ ...unknown, ...known })),
  body: body as fc.Arbitrary<Uint8Array<ArrayBuffer>>,
})
