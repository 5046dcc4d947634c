const retryMs = 15_000

/** Resolves when the browser reports a connection, or after 15 s, because it may not report one. */
export const untilOnline = () =>
  new Promise((resolve) => {
    addEventListener('online', resolve, { once: true })
    setTimeout(resolve, retryMs)
  })

type ResponseInfo = Pick<Response, 'headers' | 'redirected' | 'url'>

/** Returns true if the response is not from the backend, such as a Wi-Fi sign-in page or a host's fallback page. */
export function isForeignResponse({ headers, redirected, url }: ResponseInfo, backendUrl: string) {
  if (/html/i.test(headers.get('Content-Type') ?? '')) return true
  if (!redirected) return false
  const { host, pathname } = new URL(url)
  return host !== new URL(backendUrl).host || !pathname.endsWith('/submit-to-airtable')
}
