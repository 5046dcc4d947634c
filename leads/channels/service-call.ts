import type { Failure } from './channel.ts'

// Cap Retry-After at 5 minutes, because we promise a call within 10.
const longestHoldMs = 5 * 60_000

/** How long a service asks us to wait: in seconds, or until a date by its own clock. */
export function readRetryAfterMs(headers: Headers): number {
  const retryAfter = headers.get('retry-after') ?? ''
  const ms = /^\d+$/.test(retryAfter)
    ? Number(retryAfter) * 1000
    : Date.parse(retryAfter) - Date.parse(headers.get('date') ?? '')
  return Math.min(longestHoldMs, Math.max(0, ms || 0))
}

/** Services send Retry-After with 429 and 503. */
export function readHold({ status, headers }: Response): { holdMs?: number } {
  const holdMs = status === 429 || status === 503 ? readRetryAfterMs(headers) : 0
  return holdMs > 0 ? { holdMs } : {}
}

/** Error messages may contain an address, so only the code is kept. */
export function explainBrokenCall(who: string, error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } }
  if (name === 'TimeoutError' || name === 'AbortError') return `${who} did not answer in time.`
  const code = typeof cause?.code === 'string' ? ` (${cause.code})` : ''
  return `${who} could not be reached, or its answer was cut off${code}.`
}

/** Sends one message. Follows no redirect, which could carry a lead to an address nobody configured. */
export async function post(
  who: string,
  url: string,
  request: { headers?: Record<string, string>; body: BodyInit },
  { fetch, signal, timeoutMs = 15_000 }: PostOptions,
): Promise<Response | Failure> {
  try {
    return await fetch(url, {
      ...request,
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    })
  } catch (error) {
    return { ok: false, error: explainBrokenCall(who, error) }
  }
}

type PostOptions = { fetch: typeof fetch; signal: AbortSignal; timeoutMs?: number }

// These reject one lead's content; any other status would also meet the next lead.
export const isLeadRefused = (status: number): boolean => [400, 409, 413, 422].includes(status)
