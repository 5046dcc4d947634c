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

it.each([
  ['name', 100],
  ['address', 300],
])('takes a %s of up to %i characters', (field, max) => {
  expect(isLead({ [field]: 'x'.repeat(max) })).toBe(true)
  expect(isLead({ [field]: 'x'.repeat(max + 1) })).toBe(false)
})

it('takes an e-mail address of up to 254 characters and a phone number of up to 40', () => {
  const email = (length: number) => `${'x'.repeat(length - 10)}@e.example`
  expect(isLead({ email: email(254) })).toBe(true)
  expect(isLead({ email: email(255) })).toBe(false)
  expect(isLead({ phone: '5'.repeat(40) })).toBe(true)
  expect(isLead({ phone: '5'.repeat(41) })).toBe(false)
})

it.each(['a+b@example.co.uk', 'ü@bücher.example', 'x@y.museum'])('takes the e-mail %s', (email) => {
  expect(isLead({ email })).toBe(true)
})

it.each([
  'zoe',
  'zoe@',
  '@example.com',
  'zoe@example',
  'zoe@@example.com',
  'a b@example.com',
  'a@b..c',
])('refuses the e-mail %s', (email) => {
  expect(isLead({ email })).toBe(false)
})

it.each(['5551234', '+44 20 7946 0958', '٠١٢٣٤٥٦٧', '555.123.4567 ext 9'])(
  'takes the phone number %s',
  (phone) => {
    expect(isLead({ phone })).toBe(true)
  },
)

it('refuses a phone number of fewer than 7 digits', () => {
  expect(isLead({ phone: '555-123' })).toBe(false)
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
