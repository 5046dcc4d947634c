type Answer = Pick<Response, 'headers' | 'redirected' | 'url'>

/** Whether somebody else answered in the backend's place: a hotel's sign-in page, a host's fallback. */
export function isFromElsewhere({ headers, redirected, url }: Answer, backendUrl: string) {
  if (/html/i.test(headers.get('Content-Type') ?? '')) return true
  if (!redirected) return false
  const { host, pathname } = new URL(url)
  return host !== new URL(backendUrl).host || !pathname.endsWith('/submit-to-airtable')
}
