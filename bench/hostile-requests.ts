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

const write = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const asJson = (value: unknown) => JSON.stringify(value) ?? ''
const asForm = (one: object) =>
  String(new URLSearchParams(Object.entries(one).map(([name, value]) => [name, write(value)])))

const bodyText = fc.oneof(
  often(4, strangeLead.map(asJson)),
  often(4, lead.map(asJson)),
  often(2, lead.map(asForm)),
  often(2, fc.jsonValue({ maxDepth: 8 }).map(asJson)),
  often(1, poison),
  often(1, deep),
  often(
    1,
    fc.integer({ min: 16_000, max: 17_000 }).map((n) => 'x'.repeat(n)),
  ),
)
const bodyBytes = bodyText.map((written) => new TextEncoder().encode(written))
// A whole body with a byte turned: broken UTF-8 in the middle of good JSON.
const brokenBody = fc.tuple(bodyBytes, fc.nat(), fc.nat(255)).map(([bytes, at, byte]) => {
  if (bytes.length > 0) bytes[at % bytes.length] = byte
  return bytes
})
const body = fc.oneof(
  often(6, bodyBytes),
  often(1, fc.uint8Array({ maxLength: 2_000 })),
  often(1, brokenBody),
)

// What HTTP lets through in a header's value: all of Latin-1 but control characters.
const headerValue = fc
  .array(fc.oneof(fc.integer({ min: 0x20, max: 0x7e }), fc.integer({ min: 0x80, max: 0xff })), {
    maxLength: 300,
  })
  .map((codes) => String.fromCharCode(...codes).trim())
const headerName = fc.string({
  unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789-_!#$%&*+.^|~'),
  minLength: 1,
  maxLength: 30,
})

const contentType = fc.oneof(
  often(6, fc.constant('application/json')),
  often(
    3,
    fc.constantFrom(
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
    ),
  ),
  often(1, headerValue),
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
    'content-type': contentType,
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
const headers = fc
  .tuple(fc.dictionary(headerName, headerValue, { maxKeys: 8 }), knownHeaders)
  .map(([unknown, known]): Record<string, string> => ({ ...unknown, ...known }))

const strangePath = fc.constantFrom(
  '/submit-to-airtable',
  ...['/deliver', '/healthz', '/', '/%00', '/answer/', '%2fanswer'].map((end) => path + end),
  '/healthz',
  '/..%2f..%2fetc/passwd',
  '/%',
  '/%ff%fe',
  '//evil.example/',
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
    often(1, fc.webPath()),
  ),
  method: fc.oneof(
    often(9, fc.constant('POST')),
    fc.constantFrom('GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'),
  ),
  headers,
  body: body as fc.Arbitrary<Uint8Array<ArrayBuffer>>,
})
