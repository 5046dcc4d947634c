import { describe, expect, test } from 'vitest'
import { createAttempt, draftKey } from './attempt.ts'

const dayMs = 24 * 60 * 60_000

function createStorage(kept: Record<string, string> = {}) {
  const items = new Map(Object.entries(kept))
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    size: () => items.size,
  } as unknown as Storage & { size(): number }
}

describe('the draft', () => {
  test('gives the same content the same key for a day, also after a reload, up to a success', () => {
    const storage = createStorage()
    const attempt = createAttempt(storage, () => 0)
    const key = attempt.findIdempotencyKey('a')
    expect(key).toMatch(/^[0-9a-f]{32}$/)
    expect(createAttempt(storage, () => dayMs - 1).findIdempotencyKey('a')).toBe(key)
    expect(createAttempt(storage, () => dayMs).findIdempotencyKey('a')).not.toBe(key)
    const other = attempt.findIdempotencyKey('b')
    expect(other).not.toBe(key)
    attempt.clear()
    expect(attempt.findIdempotencyKey('b')).not.toBe(other)
  })

  test('leaves nothing behind once cleared', () => {
    const storage = createStorage({ [draftKey]: '{}' })
    const attempt = createAttempt(storage, () => 0)
    attempt.findIdempotencyKey('a')
    attempt.clear()
    expect(storage.size()).toBe(0)
  })

  test('keeps its key in memory where storage is blocked or missing', () => {
    const blocked = () => {
      throw new Error('SecurityError')
    }
    const broken = { getItem: blocked, setItem: blocked, removeItem: blocked } as unknown as Storage
    for (const storage of [broken, undefined]) {
      const attempt = createAttempt(storage, () => 0)
      expect(attempt.findIdempotencyKey('a')).toBe(attempt.findIdempotencyKey('a'))
      attempt.clear()
    }
  })

  test.each(['{', '7', '"x"', '{"madeAt":"x"}', '{"madeAt":999999999999999}'])(
    'takes %j for no earlier try',
    (kept) => {
      const attempt = createAttempt(createStorage({ 'estimate-attempt': kept }), () => 1000)
      expect(attempt.findIdempotencyKey('a')).toMatch(/^[0-9a-f]{32}$/)
    },
  )
})
