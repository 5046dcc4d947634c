import { expect, test } from 'vitest'
import { formatPhone } from './format-fields.ts'

test('formats a phone number while it is typed', () => {
  const shapes = ['5', '55', '555', '555-1', '555-12', '555-123', '555-1234', '(555) 123-45']
  let value = ''
  const seen = Array.from('55512345', (digit) => {
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
])('formats %j as (555) 123-4567', (typed) => {
  expect(formatPhone(typed)).toBe('(555) 123-4567')
})

test('leaves incomplete and foreign numbers unchanged', () => {
  const incomplete = ['', '+1', '+1555123', '1555']
  const foreign = ['+44 20 7946 0958', '0049 30 123456', '٥٥٥١٢٣٤٥٦٧']
  const others = ['555 123 4567 ext. 8', '55512345678', 'call me']
  for (const typed of [...incomplete, ...foreign, ...others]) expect(formatPhone(typed)).toBe(typed)
})
