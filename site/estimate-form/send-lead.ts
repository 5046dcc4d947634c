import {
  createClient,
  FunctionsFetchError,
  FunctionsHttpError,
  FunctionsRelayError,
} from '@supabase/supabase-js'
import { detailsHeader, type Lead } from '#leads/lead.ts'
import { untilOnline } from './connection.ts'
import { isFromElsewhere } from './is-from-elsewhere.ts'
import { unlessBlocked } from './local-storage.ts'

const url = import.meta.env.VITE_SUPABASE_URL || location.origin
const publicKey = import.meta.env.VITE_SUPABASE_ANON_KEY

const timeoutMs = 10_000
const retryDelayMs = 1_000
// Longer than this nobody watches a button. The visitor is told, and may try again or call.
const longestDelayMs = 10_000

const storage = unlessBlocked(() => localStorage)
const supabase = createClient(url, publicKey, {
  auth: { ...(storage && { storage }), persistSession: true, autoRefreshToken: true },
})

/** Hands the lead to the function, at the second try if need be. Throws unless the function took it. */
export async function sendLead(lead: Lead, idempotencyKey: string, details: URLSearchParams) {
  const findError = async () => {
    const { error, response } = await supabase.functions.invoke('submit-to-airtable', {
      body: lead,
      // Both tries carry the same key, so a lead whose answer was lost is not stored twice.
      headers: { 'Idempotency-Key': idempotencyKey, [detailsHeader]: details.toString() },
      timeout: timeoutMs,
    })
    if (!error && response && isFromElsewhere(response, url))
      return new FunctionsHttpError(response)
    return error
  }

  const first = await findError()
  if (!first) return
  const delayMs = findRetryDelay(first)
  if (delayMs === undefined) throw first
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  await untilOnline()
  const second = await findError()
  if (second) throw second
}

/** How long to wait before the second try; undefined where a second try would be answered the same. */
function findRetryDelay(error: unknown) {
  if (error instanceof FunctionsFetchError || error instanceof FunctionsRelayError)
    return retryDelayMs
  if (!(error instanceof FunctionsHttpError)) return undefined
  const { status, headers } = error.context as Response
  if (status !== 429 && status < 500) return undefined
  const asked = Number(headers.get('Retry-After')) * 1000
  return Math.min(Math.max(asked || 0, retryDelayMs), longestDelayMs)
}
