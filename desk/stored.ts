import { unlessBlocked } from '#site/unless-blocked.ts'

/** A value in the browser's storage. If storage is full or blocked, the desk works without it. */
export const createStored = <Value>(key: string) => ({
  read: (): Value | undefined =>
    unlessBlocked(() => JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined),
  write: (value: Value) => unlessBlocked(() => localStorage.setItem(key, JSON.stringify(value))),
  clear: () => unlessBlocked(() => localStorage.removeItem(key)),
})
