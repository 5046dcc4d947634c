/*
 * What was typed, and under which key it was sent, kept on this device only, so that a reload or a
 * closed tab neither loses a lead nor doubles it. Gone after a success, and after a day.
 */
export const draftKey = 'estimate-draft'
const attemptKey = 'estimate-attempt'

const keptMs = 24 * 60 * 60_000

type Kept = { savedAt: number }
type Draft = Kept & { values: Record<string, string> }
/** The last try to send: the same content again is the same lead, not a second one. */
type Attempt = Kept & { content: string; idempotencyKey: string }

export function createDraft(storage: Storage | undefined, now: () => number) {
  let attempt = read<Attempt>(attemptKey)

  function read<Item extends Kept>(key: string): Item | undefined {
    try {
      const kept: Item | null = JSON.parse(storage?.getItem(key) ?? 'null')
      if (kept && kept.savedAt <= now() && now() - kept.savedAt < keptMs) return kept
      storage?.removeItem(key)
    } catch {
      // Blocked, or not ours.
    }
    return undefined
  }

  return {
    values: () => read<Draft>(draftKey)?.values ?? {},

    /** The key for sending this content: the same for every try, also after a reload. */
    findIdempotencyKey(content: string) {
      if (attempt?.content !== content) {
        attempt = { content, idempotencyKey: makeKey(), savedAt: now() }
        try {
          storage?.setItem(attemptKey, JSON.stringify(attempt))
        } catch {
          // Full or blocked: it holds as long as the page.
        }
      }
      return attempt.idempotencyKey
    },

    clear() {
      attempt = undefined
      try {
        storage?.removeItem(draftKey)
        storage?.removeItem(attemptKey)
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
