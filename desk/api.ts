export class SignedOut extends Error {}
/** What the desk's server says to the person at it. */
export class Refused extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

const usualPatienceMs = 10_000
const known = new Map<string, { etag: string; data: unknown }>()

/** Asks the desk's server; what has not changed since is not sent again. */
export async function ask<Data>(
  method: string,
  path: string,
  {
    body,
    signal,
    patienceMs = usualPatienceMs,
    reads = method === 'GET',
  }: { body?: object; signal?: AbortSignal; patienceMs?: number; reads?: boolean } = {},
): Promise<Data> {
  const before = method === 'GET' ? known.get(path) : undefined
  const tooLong = AbortSignal.timeout(patienceMs)
  let response: Response
  try {
    response = await fetch(path, {
      method,
      // Other people's names do not belong on the phone's disk.
      cache: 'no-store',
      headers: {
        ...(before && { 'If-None-Match': before.etag }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([tooLong, signal]) : tooLong,
    })
  } catch {
    throw new Error('No connection.')
  }
  const date = response.headers.get('date')
  // The header has whole seconds.
  if (date) setClock(Date.parse(date) + 500, Date.now())
  if (response.status === 304 && before) return before.data as Data
  if (response.status === 401) {
    known.clear()
    throw new SignedOut('Please sign in.')
  }
  const isFile = response.headers.get('content-type')?.startsWith('text/csv')
  const data = await (isFile ? response.blob() : response.json()).catch(() => undefined)
  if (!response.ok) {
    const said = (data as { error?: { message?: string } } | undefined)?.error?.message
    throw said
      ? new Refused(response.status, said)
      : new Error(`The desk answered ${response.status}.`)
  }
  // What somebody did is done, even if the words about it broke off.
  if (reads && !data) throw new Error('The answer broke off. Try again.')
  const etag = response.headers.get('etag')
  if (method === 'GET' && etag) known.set(path, { etag, data })
  return data as Data
}

let skewMs = 0

/** The server's time: a laptop whose clock is wrong counts down all the same. */
export const readClock = () => Date.now() + skewMs

/** What it was there when it was `here` here. */
export function setClock(there: number, here: number) {
  const offMs = there - here
  skewMs = Math.abs(offMs) > 3_000 ? offMs : 0
}
