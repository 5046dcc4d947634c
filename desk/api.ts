export class SignedOut extends Error {}
/** What the desk says to the person at it. */
export class Refused extends Error {}

const known = new Map<string, { etag: string; data: unknown }>()

/** Asks the desk's server; what has not changed since is not sent again. */
export async function ask<Data>(method: string, path: string, body?: object): Promise<Data> {
  const before = method === 'GET' ? known.get(path) : undefined
  let response: Response
  try {
    response = await fetch(path, {
      method,
      headers: {
        ...(before && { 'If-None-Match': before.etag }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(10_000),
    })
  } catch {
    throw new Error('No connection.')
  }
  if (response.status === 304 && before) return before.data as Data
  if (response.status === 401) {
    known.clear()
    throw new SignedOut()
  }
  const data = await response.json().catch(() => undefined)
  if (!response.ok) {
    const said = (data as { error?: { message?: string } } | undefined)?.error?.message
    throw said ? new Refused(said) : new Error(`The desk answered ${response.status}.`)
  }
  const etag = response.headers.get('etag')
  if (method === 'GET' && etag) known.set(path, { etag, data })
  return data as Data
}
