import { describe, expect, test } from 'vitest'
import { makeSafe } from '#leads/safe-text.ts'
import { makeSafeJson } from './terminal.ts'

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
