import { useSyncExternalStore } from 'react'

/** Returns whether the browser has a network. `true` may be wrong; `false` rarely is. */
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

/** Resolves immediately if online, otherwise when the connection is back. */
export async function untilOnline() {
  if (navigator.onLine) return
  await new Promise((resolve) => addEventListener('online', resolve, { once: true }))
}

type ResponseInfo = Pick<Response, 'headers' | 'redirected' | 'url'>

/** Returns true for responses not from the backend, such as a Wi-Fi sign-in page or a host's fallback page. */
export function isForeignResponse({ headers, redirected, url }: ResponseInfo, backendUrl: string) {
  if (/html/i.test(headers.get('Content-Type') ?? '')) return true
  if (!redirected) return false
  const { host, pathname } = new URL(url)
  return host !== new URL(backendUrl).host || !pathname.endsWith('/submit-to-airtable')
}
