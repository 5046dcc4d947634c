export class SignedOut extends Error {}
type Refusal = { message: string; code?: string; field?: string }
/** An error response with a message, which the desk shows. */
export class Refused extends Error {
  readonly status: number
  readonly code: string | undefined
  /** The field that the error is about. */
  readonly field: string | undefined
  constructor(status: number, { message, code, field }: Refusal) {
    super(message)
    this.status = status
    this.code = code
    this.field = field
  }
}

/** True if the server refused the request, so a retry would not help. */
export const isRefused = (error: unknown): boolean =>
  error instanceof SignedOut || (error instanceof Refused && error.status < 500)

export const retryMs = 3_000

const defaultTimeoutMs = 10_000
const cache = new Map<string, { etag: string; data: unknown }>()

/** Calls the desk's API. A GET request sends the previous response's ETag and reuses that response if it is current. */
export async function request<Data>(
  method: string,
  path: string,
  {
    body,
    signal,
    timeoutMs = defaultTimeoutMs,
    needsData = method === 'GET',
    keepalive = false,
  }: {
    body?: object
    signal?: AbortSignal
    timeoutMs?: number
    needsData?: boolean
    /** The browser sends the request even if the page is closed. */
    keepalive?: boolean
  } = {},
): Promise<Data> {
  const cached = method === 'GET' ? cache.get(path) : undefined
  const timeout = AbortSignal.timeout(timeoutMs)
  let response: Response
  try {
    response = await fetch(path, {
      method,
      // Keep personal data off the device's disk.
      cache: 'no-store',
      keepalive,
      headers: {
        ...(cached && { 'If-None-Match': cached.etag }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      signal: signal ? AbortSignal.any([timeout, signal]) : timeout,
    })
  } catch {
    throw new Error('No connection.')
  }
  const date = response.headers.get('date')
  // The header is rounded down to a whole second, so add half a second, the average error.
  if (date) setClock(Date.parse(date) + 500, Date.now())
  if (response.status === 304 && cached) return cached.data as Data
  if (response.status === 401) {
    cache.clear()
    throw new SignedOut('Please sign in.')
  }
  const isFile = response.headers.get('content-type')?.startsWith('text/csv')
  const data = await (isFile ? response.blob() : response.json()).catch(() => undefined)
  if (!response.ok) {
    const refusal = (data as { error?: Refusal } | undefined)?.error
    throw refusal
      ? new Refused(response.status, refusal)
      : new Error(`Something went wrong (status ${response.status}). Try again.`)
  }
  // If the caller needs no data, ignore an interrupted response, because the server has made the change.
  if (needsData && !data) throw new Error('The connection was interrupted. Try again.')
  const etag = response.headers.get('etag')
  if (method === 'GET' && etag) cache.set(path, { etag, data })
  return data as Data
}

let skewMs = 0
let openedAt = Number.POSITIVE_INFINITY

/** The server's time when the page opened. */
export const readOpenedAt = () => openedAt
export const setOpenedAt = (at: number) => {
  openedAt = at
}

/** The server's time, because this device's clock may be wrong. */
export const readClock = () => Date.now() + skewMs

/** The arguments are the readings of both clocks at the same moment. */
export function setClock(serverTime: number, deviceTime: number) {
  const differenceMs = serverTime - deviceTime
  skewMs = Math.abs(differenceMs) > 3_000 ? differenceMs : 0
}
