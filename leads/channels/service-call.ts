import { minuteMs } from '../time-units.ts'
import type { Timers } from '../timers.ts'
import type { FailedResult } from './channel-type.ts'

// Cap Retry-After at 5 minutes, because homeowners expect a call within minutes.
const longestRetryAfterMs = 5 * minuteMs

/** Reads Retry-After, which is a number of seconds or a date according to the service's clock. */
export function readRetryAfterMs(headers: Headers): number {
  const retryAfter = headers.get('retry-after') ?? ''
  const ms = /^\d+$/.test(retryAfter)
    ? Number(retryAfter) * 1000
    : Date.parse(retryAfter) - Date.parse(headers.get('date') ?? '')
  return Math.min(longestRetryAfterMs, Math.max(0, ms || 0))
}

/** Services send Retry-After with 429 and 503. */
export function findRetryAfter({ status, headers }: Response): { retryAfterMs?: number } {
  const retryAfterMs = status === 429 || status === 503 ? readRetryAfterMs(headers) : 0
  return retryAfterMs > 0 ? { retryAfterMs } : {}
}

/** Keeps only the code, because error messages may contain a URL. */
export function explainBrokenCall(who: string, error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: unknown } }
  if (name === 'TimeoutError' || name === 'AbortError') return `${who} didn’t respond in time.`
  const code = typeof cause?.code === 'string' ? ` (${cause.code})` : ''
  return `${who} couldn’t be reached, or the connection was lost${code}.`
}

/** Does not follow redirects, which could send a lead to a URL that is not in the settings. */
export async function post(
  who: string,
  url: string,
  request: { headers?: Record<string, string>; body: BodyInit },
  { fetch, timers, signal, timeoutMs = 15_000 }: PostOptions,
): Promise<Response | FailedResult> {
  try {
    return await fetch(url, {
      ...request,
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([signal, timers.timeout(timeoutMs)]),
    })
  } catch (error) {
    return { ok: false, error: explainBrokenCall(who, error) }
  }
}

type PostOptions = {
  fetch: typeof fetch
  timers: Timers
  signal: AbortSignal
  timeoutMs?: number
}

// These statuses concern one lead; all others would affect the next lead, too.
export const isLeadRefused = (status: number): boolean => [400, 409, 413, 422].includes(status)
