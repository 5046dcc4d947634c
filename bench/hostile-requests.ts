import fc from 'fast-check'
import { fieldNames, type Lead } from '#leads/fields.ts'
import { otherOrigin, ownOrigin, testPath as path, testLead } from '#testing/app.ts'

/** A request that no browser would send. */
export type HostileRequest = {
  path: string
  method: string
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer>
}

const often = <Value>(weight: number, arbitrary: fc.Arbitrary<Value>) => ({ weight, arbitrary })
const letter = (min: number, max: number) =>
  fc.integer({ min, max }).map((code) => String.fromCharCode(code))

// Any UTF-16 code unit, including lone surrogates and NUL.
const anyLetter = fc.oneof(
  letter(0, 0xffff),
  letter(0xd800, 0xdfff),
  fc.constantFrom(...'\0\r\n\t<>"\'\\&;%{}|=/@. 5'),
)
const anyText = (maxLength: number) => fc.string({ unit: anyLetter, maxLength })

const ordinary: Partial<Record<keyof Lead, string>> = testLead
const anyField = (name: keyof Lead) =>
  fc.oneof(fc.constant(ordinary[name]), anyText(320), fc.jsonValue())
const lead = fc.record(Object.fromEntries(fieldNames.map((name) => [name, anyField(name)])), {
  requiredKeys: [],
})
/** A valid lead with unusual characters. */
const strangeLead = fc
  .tuple(anyText(80), anyText(200))
  .map(([name, address]) => ({ ...testLead, name: `Z${name}`, address: `1${address}` }))

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
// Changing one byte can break UTF-8 in the middle of valid JSON.
const brokenBody = fc.tuple(bodyBytes, fc.nat(), fc.nat(255)).map(([bytes, at, byte]) => {
  if (bytes.length > 0) bytes[at % bytes.length] = byte
  return bytes
})
const body = fc.oneof(often(6, bodyBytes), fc.uint8Array({ maxLength: 2_000 }), brokenBody)

// The characters that HTTP allows in a header's value, except tabs.
const headerLetter = fc.oneof(letter(0x20, 0x7e), letter(0x80, 0xff))
const headerValue = fc.string({ unit: headerLetter, maxLength: 300 }).map((value) => value.trim())

const strangeType = fc.constantFrom(
  'application/json; charset=utf-16',
  'APPLICATION/JSON ;;;',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'multipart/form-data; boundary="x"',
  '',
  ';',
)
const origin = fc.oneof(
  fc.constantFrom(ownOrigin, otherOrigin, `${ownOrigin}.evil.example`),
  fc.constantFrom('null', 'https://evil.example', 'http://'),
  headerValue,
)
const visit = fc.constantFrom(
  'consent=2026-11&elapsedMs=5000',
  'elapsedMs=-1',
  'source=utm_source%3D%2500%26referrer%3D%25ff%26click%3D__proto__',
  '%',
  '__proto__=1',
)
const headers = fc.record(
  {
    'content-type': fc.oneof(
      often(6, fc.constant('application/json')),
      often(3, strangeType),
      headerValue,
    ),
    apikey: fc.oneof(often(9, fc.constant('the-key')), headerValue),
    authorization: fc.oneof(fc.constant('Bearer the-key'), headerValue),
    'idempotency-key': fc.oneof(fc.uuid(), headerValue, fc.constant('again')),
    'x-lead-visit': fc.oneof(visit, headerValue),
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

export const hostileRequest: fc.Arbitrary<HostileRequest> = fc.record({
  path: fc.oneof(
    often(30, fc.constant(path)),
    often(3, strangePath),
    fc.constant(`${path}/deliver`),
    often(5, strangeAnswer),
    fc.webPath(),
  ),
  method: fc.oneof(
    often(9, fc.constant('POST')),
    fc.constantFrom('GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'),
  ),
  headers: headers as fc.Arbitrary<Record<string, string>>,
  body: body as fc.Arbitrary<Uint8Array<ArrayBuffer>>,
})
