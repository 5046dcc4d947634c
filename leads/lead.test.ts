import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { createSchema, formatName, formatPhone, leadSchema, readVisit } from './lead.ts'

const lead = {
  name: 'Zoe',
  email: 'zoe@example.com',
  phone: '(555) 123-4567',
  address: '1 Main St',
  serviceType: 'other',
}
const read = (changes: object) => v.safeParse(leadSchema, { ...lead, ...changes })
const isLead = (changes: object) => read(changes).success

it('accepts names in any script', () => {
  const names = ['Ζωή Παπαδοπούλου', '山田 太郎', 'מרים כהן', '👩‍👩‍👧 Ünal', "O'Brien-Smith, Jr."]
  for (const name of names) expect(read({ name }).output).toMatchObject({ name })
})

it('trims text and replaces characters that a database cannot store', () => {
  expect(read({ name: '  Zoe \n', address: '1\u0000Main\r\nSt \uD83D' }).output).toMatchObject({
    name: 'Zoe',
    address: '1 Main St \uFFFD',
  })
})

it('removes invisible characters and requires a visible one in each required field', () => {
  expect(read({ name: '\u202AJane\u200B Doe\u2060\u202C' }).output).toMatchObject({
    name: 'Jane Doe',
  })
  for (const name of ['\u200B', '\u200D\u200C', '\u3164', '\u2800', '\uFE0F\u034F'])
    expect([name, isLead({ name })]).toEqual([name, false])
})

const makeEmail = (length: number) => `${'x'.repeat(length - 10)}@e.example`
it.each([
  ['name', ['x'.repeat(100)], ['x'.repeat(101)]],
  ['address', ['x'.repeat(300)], ['x'.repeat(301)]],
  ['email', [makeEmail(254), 'a+b@example.co.uk', 'ü@bücher.example'], [makeEmail(255), 'zoe']],
  ['email', ['x@y.museum'], ['zoe@', '@example.com', 'zoe@example', 'zoe@@example.com']],
  ['email', [], ['a b@example.com', 'a@b..c']],
  ['phone', ['(555) 123-4567', '5551234567', '555.123/4567', '1-555-123-4567'], []],
  ['phone', ['tel: 555 123 4567', '８８８-888-８８８1', '888–888–8882'], ['٥٥٥١٢٣٤٥٦٧']],
  ['phone', ['555 123 4567x12', '5551234567, ext. 12', '555 123 4567 Extension: 7 (desk)'], []],
  ['phone', ['+44 20 7946 0958 #3', '(+44) 20 79460958', '+12345678'], ['+1234567']],
  ['phone', ['+123456789012345', '+55 55 5555-5555'], ['+1234567890123456', '+1 000 000 0000']],
  ['phone', [], ['5551234', '555-123-456', '25551234567', '5551234567 9', '0049 30 123456 78']],
  ['phone', [], ['0000000000', '1 (111) 111-1111', '1-555-555-5555', '5555555555 x12', 'call me']],
  ['phone', [`555 123 4567${' '.repeat(28)}`], ['5'.repeat(19), `555 123 4567${'.'.repeat(29)}`]],
  ['serviceType', ['', 'emergency'], ['gutters', 'toString']],
])('validates %s', (field, valid, invalid) => {
  for (const value of valid) expect([value, isLead({ [field]: value })]).toEqual([value, true])
  for (const value of invalid) expect([value, isLead({ [field]: value })]).toEqual([value, false])
})

it('accepts a lead without a service', () => {
  expect(read({ serviceType: undefined }).output).toMatchObject({ serviceType: '' })
})

describe('formatName', () => {
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

  it('keeps the length, so that the caret stays in place, and is idempotent', () => {
    for (const typed of ['İstanbul ßen', 'ŉ', 'ﬁona', 'ΐ ΣΑΣ', 'ab İİ cd', 'ΝΙΚΟΣ']) {
      expect(formatName(typed)).toHaveLength(typed.length)
      expect(formatName(formatName(typed))).toBe(formatName(typed))
    }
  })
})

it.each([
  ['', null, null],
  ['consent=2026-11&elapsedMs=45000', '2026-11', null],
  ['consent=2026-11&reference=http%3A%2F%2Fspam&elapsedMs=9000', '2026-11', 'trap'],
  ['consent=2026-11&elapsedMs=240', '2026-11', 'too-fast'],
  ['%%%&elapsedMs=-1&consent=%00%ff&=', '\uFFFD', null],
  [`consent=${'x'.repeat(5000)}`, 'x'.repeat(40), null],
])('accepts any visit data: %.60s', (visit, consent, suspect) => {
  expect(readVisit(new URLSearchParams(visit))).toMatchObject({ consent, suspect })
})

describe('the source of a lead', () => {
  const read = (source: string) => readVisit(new URLSearchParams({ source })).source

  it('includes only known parameters, shortened and cleaned', () => {
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

  it('is empty without parameters, and null if the page sent none', () => {
    expect(read('referrer=')).toBe('')
    expect(read('')).toBeNull()
    expect(readVisit(new URLSearchParams()).source).toBeNull()
  })

  it('includes no page URL and no email address', () => {
    expect(read('referrer=https://mail.example/inbox?user=jane&utm_source=list')).toBe(
      'utm_source=list',
    )
    for (const at of ['@', '%40', '%2540', '%252540'])
      expect(read(`utm_content=jane${at}example.com&utm_source=list`)).toBe('utm_source=list')
    expect(read('utm_campaign=40%25+off')).toBe('utm_campaign=40%25+off')
  })
})

it('keeps the line breaks of a multi-line field, and nothing else that is unsafe', () => {
  const schema = createSchema({ noun: 'notes', required: false, maxLength: 40, multiline: true })
  const typed = ' Two leaks. \r\n\r\n\n\nKitchen\u202E,\u2028\tattic\0 '
  expect(v.parse(schema, typed)).toBe('Two leaks.\n\nKitchen,\n attic')
  expect(v.parse(schema, ' \n\u200B\n ')).toBe('')
})

it.each(['555.123 4567', '+1 (555) 123-4567', '1-555-123-4567'])(
  'formats %j as (555) 123-4567',
  (typed) => {
    expect(formatPhone(typed)).toBe('(555) 123-4567')
  },
)

it('leaves incomplete and foreign numbers unchanged', () => {
  const incomplete = ['', '+1', '+1555123', '1555']
  const foreign = ['+44 20 7946 0958', '0049 30 123456', '٥٥٥١٢٣٤٥٦٧']
  const others = ['555 123 4567 ext. 8', '55512345678', 'call me']
  for (const typed of [...incomplete, ...foreign, ...others]) expect(formatPhone(typed)).toBe(typed)
})
