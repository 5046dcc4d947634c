import { useSyncExternalStore } from 'react'

/** Whether the browser has a network. `true` may be wrong; `false` hardly ever is. */
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

type Answer = Pick<Response, 'headers' | 'redirected' | 'url'>

/** Whether something other than the backend answered: a hotel's sign-in page, a host's fallback page. */
export function isForeignResponse({ headers, redirected, url }: Answer, backendUrl: string) {
  if (/html/i.test(headers.get('Content-Type') ?? '')) return true
  if (!redirected) return false
  const { host, pathname } = new URL(url)
  return host !== new URL(backendUrl).host || !pathname.endsWith('/submit-to-airtable')
}
