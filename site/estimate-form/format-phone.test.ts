import { describe, expect, test } from 'vitest'
import { formatPhone } from './format-phone.ts'

describe('formatPhone', () => {
  test.each([
    ['5', '5'],
    ['555', '555'],
    ['5551', '(555) 1'],
    ['555123', '(555) 123'],
    ['5551234', '(555) 123-4'],
    ['5551234567', '(555) 123-4567'],
    ['555.123.4567', '(555) 123-4567'],
    ['555-123 4567', '(555) 123-4567'],
    ['(555) 123-4567', '(555) 123-4567'],
    ['+15551234567', '(555) 123-4567'],
    ['+1 (555) 123-4567', '(555) 123-4567'],
    ['1-555-123-4567', '(555) 123-4567'],
  ])('turns %j into %j', (typed, expected) => {
    expect(formatPhone(typed)).toBe(expected)
  })

  test('leaves out the area code that was not given', () => {
    expect(formatPhone('(555) 012-3', { isWhole: true })).toBe('555-0123')
    expect(formatPhone('5551234567', { isWhole: true })).toBe('(555) 123-4567')
  })

  test.each([
    '',
    '+1',
    '+1555123',
    '1555',
    '+44 20 7946 0958',
    '0049 30 123456',
    '555 123 4567 ext. 8',
    '55512345678',
    '٥٥٥١٢٣٤٥٦٧',
    'call me',
  ])('leaves %j as it is', (typed) => {
    expect(formatPhone(typed)).toBe(typed)
  })

  test('every beginning of a number grows into the same number', () => {
    let value = ''
    for (const digit of '5551234567') value = formatPhone(value + digit)
    expect(value).toBe('(555) 123-4567')
  })
})
