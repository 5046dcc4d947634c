import { useSyncExternalStore } from 'react'

/** Notifies components of changes outside React. */
export function createSignal() {
  const listeners = new Set<() => void>()
  return {
    notify: () => {
      for (const listener of listeners) listener()
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** `readFirst` returns the value that the server rendered. */
export const useSignal = <Value>(
  signal: ReturnType<typeof createSignal>,
  read: () => Value,
  readFirst = read,
) => useSyncExternalStore(signal.subscribe, read, readFirst)
