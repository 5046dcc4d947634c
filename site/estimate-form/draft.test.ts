import { describe, expect, test } from 'vitest'
import { createDraft } from './draft.ts'

const dayMs = 24 * 60 * 60_000

function createStorage() {
  const items = new Map<string, string>()
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    size: () => items.size,
  }
}

describe('the draft', () => {
  test('is there again after a reload, for a day', () => {
    const storage = createStorage()
    createDraft(storage, () => 0).save({ name: 'Jane' })
    expect(createDraft(storage, () => dayMs - 1).values()).toEqual({ name: 'Jane' })
    expect(createDraft(storage, () => dayMs).values()).toEqual({})
    expect(storage.size()).toBe(0)
  })

  test('is gone once cleared', () => {
    const storage = createStorage()
    const draft = createDraft(storage, () => 0)
    draft.save({ name: 'Jane' })
    draft.clear()
    expect(draft.values()).toEqual({})
    expect(storage.size()).toBe(0)
  })

  test('gives the same content the same key, also after a reload, and other content another', () => {
    const storage = createStorage()
    const draft = createDraft(storage, () => 0)
    const key = draft.findIdempotencyKey('a')
    expect(key).toMatch(/^[0-9a-f]{32}$/)
    draft.save({ name: 'Jane' })
    expect(createDraft(storage, () => 1).findIdempotencyKey('a')).toBe(key)
    expect(draft.findIdempotencyKey('b')).not.toBe(key)
    draft.clear()
    expect(draft.findIdempotencyKey('a')).not.toBe(key)
  })

  test('works in memory where storage is blocked', () => {
    const blocked = () => {
      throw new Error('SecurityError')
    }
    const draft = createDraft({ getItem: blocked, setItem: blocked, removeItem: blocked }, () => 0)
    draft.save({ name: 'Jane' })
    expect(draft.values()).toEqual({ name: 'Jane' })
    expect(draft.findIdempotencyKey('a')).toBe(draft.findIdempotencyKey('a'))
    draft.clear()
    expect(draft.values()).toEqual({})
  })

  test.each(['{', '7', '"x"', '{"savedAt":"x"}', '{"savedAt":999999999999999}'])(
    'takes %j for no draft',
    (kept) => {
      const storage = createStorage()
      storage.setItem('estimate-draft', kept)
      expect(createDraft(storage, () => 1000).values()).toEqual({})
    },
  )
})
