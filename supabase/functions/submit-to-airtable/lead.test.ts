import * as v from 'valibot'
import { expect, it } from 'vitest'
import { leadSchema } from './lead.ts'

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
