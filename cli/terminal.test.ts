import { describe, expect, test } from 'vitest'
import { makeSafe } from '#leads/safe-text.ts'
import { makeSafeJson } from './terminal.ts'

describe('text from a lead on a terminal', () => {
  test('has no escape sequences, line breaks, or direction marks', () => {
    expect(makeSafe('a\x1b[2Jb\r\nc\x9b31md\u202Ee\u2066f\u2028g\u200Bh\x7f')).toBe(
      'a [2Jb c 31mdef gh ',
    )
  })

  test('keeps emoji, accents, and other scripts', () => {
    const name = 'Zoë 李 👩‍👩‍👧 می‌خواهم'
    expect(makeSafe(name)).toBe(name)
  })

  test('escapes control characters in JSON without changing its meaning', () => {
    const text = 'a\x1b\x9b\u2028\u202Eb'
    const json = makeSafeJson({ text })
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the text must not contain these.
    expect(json).not.toMatch(/[\x1b\x80-\x9f\u2028\u202E]/)
    expect(JSON.parse(json)).toEqual({ text })
  })
})
