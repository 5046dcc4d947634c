/** What keep-draft.ts keeps while the visitor types. */
export const draftKey = 'estimate-draft'
export const attemptKey = 'estimate-attempt'

const keptMs = 24 * 60 * 60_000

/** The last try to send: the same content again is the same lead, not a second one. */
type Attempt = { content: string; idempotencyKey: string; madeAt: number }

export function createAttempt(storage: Storage | undefined, now: () => number) {
  let attempt = readAttempt()

  function readAttempt(): Attempt | undefined {
    try {
      const kept: Attempt | null = JSON.parse(storage?.getItem(attemptKey) ?? 'null')
      if (kept && kept.madeAt <= now() && now() - kept.madeAt < keptMs) return kept
      storage?.removeItem(attemptKey)
    } catch {
      // Blocked, or not ours.
    }
    return undefined
  }

  return {
    /** The key for sending this content: the same for every try, also after a reload. */
    findIdempotencyKey(content: string) {
      if (attempt?.content !== content) {
        attempt = { content, idempotencyKey: makeKey(), madeAt: now() }
        try {
          storage?.setItem(attemptKey, JSON.stringify(attempt))
        } catch {
          // Full or blocked: it holds as long as the page.
        }
      }
      return attempt.idempotencyKey
    },

    /** After a success nothing of it stays on the device. */
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
