import {
  createClient,
  FunctionsFetchError,
  FunctionsHttpError,
  FunctionsRelayError,
} from '@supabase/supabase-js'
import type { Lead } from '#leads/fields.ts'
import { callByHeader, trapField, visitHeader } from '#leads/lead.ts'
import { unlessBlocked } from '../unless-blocked.ts'
import { isForeignResponse } from './connection.ts'

const url = import.meta.env.VITE_SUPABASE_URL || location.origin
const publicKey = import.meta.env.VITE_SUPABASE_ANON_KEY

const timeoutMs = 10_000
const retryDelayMs = 1_000
// Most visitors would not wait longer. After a failure, they can submit again or call.
const maxRetryDelayMs = 10_000

const storage = unlessBlocked(() => localStorage)
const supabase = createClient(url, publicKey, {
  auth: { ...(storage && { storage }), persistSession: true, autoRefreshToken: true },
})

/** Prefer the server's times, because the visitor's clock may be wrong, and the page's hours may be outdated. */
export type Received = { receivedAt: number; callBy?: number }

/**
 * Sends the lead to submit-to-airtable, and retries once if that can help. Returns undefined if the browser is
 * offline. Otherwise, throws an error if the server does not confirm that the lead is stored.
 */
export async function sendLead(form: HTMLFormElement, lead: Lead): Promise<Received | undefined> {
  let received: Received | undefined
  const send = async (data: FormData) => {
    const { error, response } = await supabase.functions.invoke('submit-to-airtable', {
      body: lead,
      headers: {
        'Idempotency-Key': String(data.get('idempotencyKey')),
        [visitHeader]: formatVisit(data),
      },
      timeout: timeoutMs,
    })
    if (!error && response && isForeignResponse(response, url))
      return new FunctionsHttpError(response)
    const readTime = (header: string) => Date.parse(response?.headers.get(header) ?? '')
    const callBy = readTime(callByHeader)
    received = { receivedAt: readTime('Date') || Date.now(), ...(callBy && { callBy }) }
    return error
  }

  // The inline script adds the key and the visit (save-draft.ts, native-form.ts).
  let data = new FormData(form)
  const firstError = await send(data)
  if (!firstError) return received
  if (isOffline(firstError)) return undefined
  const delayMs = computeRetryDelay(firstError)
  if (delayMs === undefined) throw firstError
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  // Retry with the same key, so that a lead is not stored twice if its response was lost. If the key belongs to a
  // different lead, because autofill fired no input event, fire one to create a new key.
  if (isKeyReused(firstError)) {
    form.dispatchEvent(new Event('input'))
    data = new FormData(form)
  }
  const secondError = await send(data)
  if (isOffline(secondError)) return undefined
  if (secondError) throw secondError
  return received
}

// navigator.onLine can be wrong, so require a failed request, too.
const isOffline = (error: unknown) => error instanceof FunctionsFetchError && !navigator.onLine

const isKeyReused = (error: unknown) =>
  error instanceof FunctionsHttpError && error.context.status === 409

/** Returns how long to wait before a retry, or undefined if a retry would also fail. */
function computeRetryDelay(error: unknown) {
  if (error instanceof FunctionsFetchError || error instanceof FunctionsRelayError)
    return retryDelayMs
  if (!(error instanceof FunctionsHttpError)) return undefined
  const { status, headers } = error.context as Response
  if (status !== 409 && status !== 429 && status < 500) return undefined
  const retryAfterMs = Number(headers.get('Retry-After')) * 1000
  return Math.min(Math.max(retryAfterMs || 0, retryDelayMs), maxRetryDelayMs)
}

/**
 * Formats the visit for its header. Replaces the honeypot's text with one word, because the server rejects headers that
 * are too large, and the lead must arrive.
 */
function formatVisit(data: FormData) {
  const visit = new URLSearchParams({ [trapField]: data.get(trapField) ? 'filled' : '' })
  for (const name of ['consent', 'elapsedMs', 'source'])
    if (data.has(name)) visit.set(name, String(data.get(name)))
  return visit.toString()
}
