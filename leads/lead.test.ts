import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { formatName, leadSchema, readDetails } from './lead.ts'

const lead = {
  name: 'Zoe',
  email: 'zoe@example.com',
  phone: '(555) 123-4567',
  address: '1 Main St',
  serviceType: 'other',
}
const read = (changes: object) => v.safeParse(leadSchema, { ...lead, ...changes })
const isLead = (changes: object) => read(changes).success

it.each(['Ζωή Παπαδοπούλου', '山田 太郎', 'מרים כהן', '👩‍👩‍👧 Ünal', "O'Brien-Smith, Jr."])(
  'leaves the name %s as it is',
  (name) => {
    expect(read({ name }).output).toMatchObject({ name })
  },
)

it('trims, and replaces what no database can hold', () => {
  expect(read({ name: '  Zoe \n', address: '1\u0000Main\r\nSt \uD83D' }).output).toMatchObject({
    name: 'Zoe',
    address: '1 Main St \uFFFD',
  })
})

const makeEmail = (length: number) => `${'x'.repeat(length - 10)}@e.example`

it.each([
  ['name', 'x'.repeat(100), true],
  ['name', 'x'.repeat(101), false],
  ['address', 'x'.repeat(300), true],
  ['address', 'x'.repeat(301), false],
  ['email', makeEmail(254), true],
  ['email', makeEmail(255), false],
  ...['a+b@example.co.uk', 'ü@bücher.example', 'x@y.museum'].map((one) => ['email', one, true]),
  ...[
    'zoe',
    'zoe@',
    '@example.com',
    'zoe@example',
    'zoe@@example.com',
    'a b@example.com',
    'a@b..c',
  ].map((one) => ['email', one, false]),
  ['phone', '5'.repeat(40), true],
  ['phone', '5'.repeat(41), false],
  ...['5551234', '+44 20 7946 0958', '٠١٢٣٤٥٦٧', '555.123.4567 ext 9'].map((one) => [
    'phone',
    one,
    true,
  ]),
  ['phone', '555-123', false],
] as [string, string, boolean][])('the %s %s is taken: %s', (field, value, isTaken) => {
  expect(isLead({ [field]: value })).toBe(isTaken)
})

it('needs no service, but refuses one it does not know', () => {
  expect(isLead({ serviceType: '' })).toBe(true)
  expect(read({ serviceType: undefined }).output).toMatchObject({ serviceType: '' })
  expect(isLead({ serviceType: 'gutters' })).toBe(false)
  expect(isLead({ serviceType: 'toString' })).toBe(false)
})

describe('the name as the form formats it', () => {
  it.each([
    ['jane doe', 'Jane Doe'],
    ['JANE DOE', 'Jane Doe'],
    ['mary-jane o’neil', 'Mary-jane O’neil'],
    ['  two  spaces ', '  Two  Spaces '],
    ['żółć ĄĘ', 'Żółć Ąę'],
    ['李小龍', '李小龍'],
    ['𐐨𐐩 x', '𐐀𐐩 X'],
    ['zoë 🏠', 'Zoë 🏠'],
    ['', ''],
  ])('turns %j into %j', (typed, expected) => {
    expect(formatName(typed)).toBe(expected)
  })

  it.each(['İstanbul', 'ßen', 'ŉ', 'ﬁona', 'ΐ ΣΑΣ', 'ab İİ cd'])(
    'keeps the length of %j, so the caret’s offset stays right',
    (typed) => {
      expect(formatName(typed)).toHaveLength(typed.length)
    },
  )

  it('changes nothing the second time', () => {
    for (const typed of ['JANE doe', 'İstanbul ßen', 'ΝΙΚΟΣ']) {
      expect(formatName(formatName(typed))).toBe(formatName(typed))
    }
  })
})

it.each([
  ['', null, null],
  ['consent=2026-11&elapsedMs=45000', '2026-11', null],
  ['consent=2026-11&reference=http%3A%2F%2Fspam&elapsedMs=9000', '2026-11', 'trap'],
  ['consent=2026-11&elapsedMs=240', '2026-11', 'haste'],
  ['%%%&elapsedMs=-1&consent=%00%ff&=', '\uFFFD', null],
  [`consent=${'x'.repeat(5000)}`, 'x'.repeat(40), null],
])('never refuses details: %.60s', (details, consent, suspect) => {
  expect(readDetails(new URLSearchParams(details))).toMatchObject({ consent, suspect })
})

describe('where the visitor came from', () => {
  const read = (source: string) => readDetails(new URLSearchParams({ source })).source

  it('is kept in the parts we know, each short and clean', () => {
    expect(
      read(
        'referrer=www.google.com&utm_source=google&utm_campaign=spring%00roofs&gclid=Abc&email=j%40x.example',
      ),
    ).toBe('utm_source=google&utm_campaign=spring+roofs&referrer=www.google.com')
    const long = read(`utm_term=${'\u{1F3E0}'.repeat(200)}&utm_content=${'x'.repeat(5000)}`)
    const parts = new URLSearchParams(long ?? '')
    expect(parts.get('utm_term')).toHaveLength(100)
    expect(parts.get('utm_content')).toBe('x'.repeat(100))
  })

  it('is nothing where the page knew of nothing, and unknown where nobody said', () => {
    expect(read('referrer=')).toBe('')
    expect(read('')).toBeNull()
    expect(readDetails(new URLSearchParams()).source).toBeNull()
  })

  it('holds no address of a page and no e-mail address', () => {
    expect(read('referrer=https://mail.example/inbox?user=jane&utm_source=list')).toBe(
      'utm_source=list',
    )
    for (const at of ['@', '%40', '%2540', '%252540'])
      expect(read(`utm_content=jane${at}example.com&utm_source=list`)).toBe('utm_source=list')
    expect(read('utm_campaign=40%25+off')).toBe('utm_campaign=40%25+off')
  })

  it.each(['%', '%ff%00', '&&&===', '\uD800', '__proto__=1&click=constructor'])(
    'never refuses: %j',
    (source) => {
      expect(read(source)).toEqual(expect.any(String))
    },
  )
})
