import { unlessBlocked } from './local-storage.ts'

/** What keep-draft.ts keeps while the visitor types. */
export const draftKey = 'estimate-draft'
export const attemptKey = 'estimate-attempt'

const keptMs = 24 * 60 * 60_000

/** The last try to send: the same content again is the same lead, not a second one. */
type Attempt = { content: string; idempotencyKey: string; madeAt: number }

export function createAttempt(storage: Storage | undefined, now: () => number) {
  let attempt = readAttempt()

  function readAttempt() {
    const kept: Attempt | undefined = unlessBlocked(() =>
      JSON.parse(storage?.getItem(attemptKey) ?? 'null'),
    )
    if (kept && kept.madeAt <= now() && now() - kept.madeAt < keptMs) return kept
    unlessBlocked(() => storage?.removeItem(attemptKey))
  }

  return {
    /** The key for sending this content: the same for every try, also after a reload. */
    findIdempotencyKey(content: string) {
      if (attempt?.content === content) return attempt.idempotencyKey
      const made = { content, idempotencyKey: makeKey(), madeAt: now() }
      attempt = made
      unlessBlocked(() => storage?.setItem(attemptKey, JSON.stringify(made)))
      return made.idempotencyKey
    },

    /** After a success nothing of it stays on the device. */
    clear() {
      attempt = undefined
      for (const key of [draftKey, attemptKey]) unlessBlocked(() => storage?.removeItem(key))
    },
  }
}

// Not randomUUID, which browsers offer on secure pages only.
const makeKey = () =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
