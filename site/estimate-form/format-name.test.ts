import { describe, expect, test } from 'vitest'
import { formatName } from './format-name.ts'

describe('formatName', () => {
  test.each([
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

  test.each(['İstanbul', 'ßen', 'ŉ', 'ﬁona', 'ΐ ΣΑΣ', 'ab İİ cd'])(
    'keeps the length of %j, so the caret’s offset stays right',
    (typed) => {
      expect(formatName(typed)).toHaveLength(typed.length)
    },
  )

  test('changes nothing the second time', () => {
    for (const typed of ['JANE doe', 'İstanbul ßen', 'ΝΙΚΟΣ']) {
      expect(formatName(formatName(typed))).toBe(formatName(typed))
    }
  })
})
