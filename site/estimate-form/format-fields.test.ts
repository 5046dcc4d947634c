import { expect, test } from 'vitest'
import { formatPhone } from './format-fields.ts'

test('a number takes shape as it is typed', () => {
  const shapes = ['5', '55', '555', '(555) 1', '(555) 12', '(555) 123', '(555) 123-4']
  let value = ''
  const seen = Array.from('5551234', (digit) => {
    value = formatPhone(value + digit)
    return value
  })
  expect(seen).toEqual(shapes)
})

test.each([
  '5551234567',
  '555.123.4567',
  '555-123 4567',
  '(555) 123-4567',
  '+15551234567',
  '+1 (555) 123-4567',
  '1-555-123-4567',
])('turns %j into (555) 123-4567', (typed) => {
  expect(formatPhone(typed)).toBe('(555) 123-4567')
})

test('leaves out the area code that was not given', () => {
  expect(formatPhone('(555) 012-3', { isWhole: true })).toBe('555-0123')
  expect(formatPhone('5551234567', { isWhole: true })).toBe('(555) 123-4567')
})

test('leaves beginnings and other numbers as they are', () => {
  const beginnings = ['', '+1', '+1555123', '1555']
  const foreign = ['+44 20 7946 0958', '0049 30 123456', '٥٥٥١٢٣٤٥٦٧']
  const others = ['555 123 4567 ext. 8', '55512345678', 'call me']
  for (const typed of [...beginnings, ...foreign, ...others]) expect(formatPhone(typed)).toBe(typed)
})
