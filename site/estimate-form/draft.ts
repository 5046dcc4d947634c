/**
 * What was typed, kept on this device only, so that a reload or a closed tab loses nothing. Gone
 * after a success, and after a day. Where the browser allows no storage, it lasts as long as the page.
 */
export const draftKey = 'estimate-draft'

const keptMs = 24 * 60 * 60_000

type Draft = {
  savedAt: number
  values: Record<string, string>
  /** The last try to send, and what it sent: the same again is the same lead, not a second one. */
  attempt?: { content: string; idempotencyKey: string }
}

export function createDraft(
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>,
  now: () => number,
) {
  let draft = read()

  function read(): Draft | undefined {
    try {
      const kept: Draft = JSON.parse(storage.getItem(draftKey) ?? 'null')
      if (kept && now() - kept.savedAt < keptMs && kept.savedAt <= now()) return kept
      storage.removeItem(draftKey)
    } catch {
      // Blocked, or not ours. There is no draft then.
    }
    return undefined
  }

  function write(changes: Partial<Draft>) {
    draft = { values: {}, ...draft, ...changes, savedAt: now() }
    try {
      storage.setItem(draftKey, JSON.stringify(draft))
    } catch {
      // Full or blocked: it stays in memory.
    }
  }

  return {
    values: () => draft?.values ?? {},
    save: (values: Record<string, string>) => write({ values }),

    /** The key for sending this content: the same for every try, also after a reload. */
    findIdempotencyKey(content: string) {
      if (draft?.attempt?.content !== content) {
        write({ attempt: { content, idempotencyKey: makeKey() } })
      }
      return draft?.attempt?.idempotencyKey ?? makeKey()
    },

    clear() {
      draft = undefined
      try {
        storage.removeItem(draftKey)
      } catch {
        // Nothing was kept either.
      }
    },
  }
}

// Not randomUUID, which browsers offer on secure pages only.
const makeKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
