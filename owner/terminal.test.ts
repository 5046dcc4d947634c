import { describe, expect, test } from 'vitest'
import { makeSafe } from '#leads/safe-text.ts'
import { fitText, formatTable, makeSafeJson, measureText } from './terminal.ts'

describe('a lead’s words on a terminal', () => {
  test('carry no escape sequences, line breaks or direction marks', () => {
    expect(makeSafe('a\x1b[2Jb\r\nc\x9b31md\u202Ee\u2066f\u2028g\u200Bh\x7f')).toBe(
      'a [2Jb c 31mdef gh ',
    )
  })

  test('keep emoji, accents and other scripts', () => {
    const name = 'Zoë 李 👩‍👩‍👧 می‌خواهم'
    expect(makeSafe(name)).toBe(name)
  })

  test('are escaped in JSON beyond what JSON itself escapes, and mean the same', () => {
    const text = 'a\x1b\x9b\u2028\u202Eb'
    const json = makeSafeJson({ text })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there.
    expect(json).not.toMatch(/[\x1b\x80-\x9f\u2028\u202E]/)
    expect(JSON.parse(json)).toEqual({ text })
  })
})

describe('widths', () => {
  test.each([
    ['abc', 3],
    ['Zoë', 3],
    ['Zoe\u0308', 3],
    ['李小龙', 6],
    ['カタカナ', 8],
    ['김', 2],
    ['🏠', 2],
    ['👩‍👩‍👧', 2],
    ['☎️', 2],
    ['ＡＢ', 4],
    ['', 0],
  ])('%s takes %i columns', (text, columns) => {
    expect(measureText(text)).toBe(columns)
  })

  test('cutting never splits a character and always fills the width', () => {
    for (const text of ['李小龙李小龙', 'a李b李c李', 'short', '👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧'])
      for (const width of [1, 2, 3, 4, 5, 6, 7])
        expect(measureText(fitText(text, width))).toBe(width)
    expect(fitText('李小龙', 4)).toBe('李… ')
  })

  test('a table keeps within the terminal, the widest column giving way', () => {
    const table = formatTable(
      [
        { title: 'ID', minWidth: 2 },
        { title: 'Name', minWidth: 6 },
      ],
      [
        ['1', 'x'.repeat(200)],
        ['22', '李'.repeat(50)],
      ],
      40,
    )
    const lines = table.trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    expect(Math.max(...lines.map(measureText))).toBeLessThanOrEqual(40)
    expect(lines[1]).toBe(`1   ${'x'.repeat(35)}…`)
  })
})
