import { useSyncExternalStore } from 'react'

/** Tells whoever listens that something outside of React has changed. */
export function createSignal() {
  const listeners = new Set<() => void>()
  return {
    tell: () => {
      for (const listener of listeners) listener()
    },
    listen: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** What `read` says, also on the server, read again at each signal. */
export const useSignal = <Value>(signal: ReturnType<typeof createSignal>, read: () => Value) =>
  useSyncExternalStore(signal.listen, read, read)
