import { useSyncExternalStore } from 'react'

/** Whether the browser has a network at all. It may be wrong about yes, hardly ever about no. */
export const useOnline = () =>
  useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  )

function subscribe(onChange: () => void) {
  addEventListener('online', onChange)
  addEventListener('offline', onChange)
  return () => {
    removeEventListener('online', onChange)
    removeEventListener('offline', onChange)
  }
}

/** Resolves at once while online, otherwise when the connection is back. */
export async function untilOnline() {
  if (navigator.onLine) return
  await new Promise((resolve) => addEventListener('online', resolve, { once: true }))
}
