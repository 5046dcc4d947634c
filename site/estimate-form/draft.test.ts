import { describe, expect, test } from 'vitest'
import { createDraft, draftKey } from './draft.ts'

const dayMs = 24 * 60 * 60_000

function createStorage(draft?: object | string) {
  const items = new Map<string, string>()
  if (draft) items.set(draftKey, typeof draft === 'string' ? draft : JSON.stringify(draft))
  return {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    size: () => items.size,
  } as unknown as Storage & { size(): number }
}

describe('the draft', () => {
  test('is there again after a reload, for a day', () => {
    const storage = createStorage({ savedAt: 0, values: { name: 'Jane' } })
    expect(createDraft(storage, () => dayMs - 1).values()).toEqual({ name: 'Jane' })
    expect(createDraft(storage, () => dayMs).values()).toEqual({})
    expect(storage.size()).toBe(0)
  })

  test('is gone once cleared', () => {
    const storage = createStorage({ savedAt: 0, values: { name: 'Jane' } })
    const draft = createDraft(storage, () => 0)
    draft.findIdempotencyKey('a')
    draft.clear()
    expect(draft.values()).toEqual({})
    expect(storage.size()).toBe(0)
  })

  test('gives the same content the same key, also after a reload, and other content another', () => {
    const storage = createStorage()
    const draft = createDraft(storage, () => 0)
    const key = draft.findIdempotencyKey('a')
    expect(key).toMatch(/^[0-9a-f]{32}$/)
    expect(createDraft(storage, () => 1).findIdempotencyKey('a')).toBe(key)
    expect(draft.findIdempotencyKey('b')).not.toBe(key)
    draft.clear()
    expect(draft.findIdempotencyKey('a')).not.toBe(key)
  })

  test('keeps its key in memory where storage is blocked or missing', () => {
    const blocked = () => {
      throw new Error('SecurityError')
    }
    const broken = { getItem: blocked, setItem: blocked, removeItem: blocked } as unknown as Storage
    for (const storage of [broken, undefined]) {
      const draft = createDraft(storage, () => 0)
      expect(draft.values()).toEqual({})
      expect(draft.findIdempotencyKey('a')).toBe(draft.findIdempotencyKey('a'))
      draft.clear()
    }
  })

  test.each(['{', '7', '"x"', '{"savedAt":"x"}', '{"savedAt":999999999999999}'])(
    'takes %j for no draft',
    (kept) => {
      expect(createDraft(createStorage(kept), () => 1000).values()).toEqual({})
    },
  )
})
