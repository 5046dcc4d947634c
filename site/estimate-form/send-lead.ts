import {
  createClient,
  FunctionsFetchError,
  FunctionsHttpError,
  FunctionsRelayError,
} from '@supabase/supabase-js'
import type { Lead } from '#leads/fields.ts'
import { detailsHeader, trapField } from '#leads/lead.ts'
import { unlessBlocked } from '../unless-blocked.ts'
import { isForeignResponse, untilOnline } from './connection.ts'

const url = import.meta.env.VITE_SUPABASE_URL || location.origin
const publicKey = import.meta.env.VITE_SUPABASE_ANON_KEY

const timeoutMs = 10_000
const retryDelayMs = 1_000
// Nobody watches a button for longer. The visitor may then try again, or call.
const longestDelayMs = 10_000

const storage = unlessBlocked(() => localStorage)
const supabase = createClient(url, publicKey, {
  auth: { ...(storage && { storage }), persistSession: true, autoRefreshToken: true },
})

/** Sends the form's lead to the function, with one retry if that can help. Throws unless it is stored. */
export async function sendLead(form: HTMLFormElement, lead: Lead) {
  const findError = async (data: FormData) => {
    const { error, response } = await supabase.functions.invoke('submit-to-airtable', {
      body: lead,
      headers: {
        'Idempotency-Key': String(data.get('idempotencyKey')),
        [detailsHeader]: formatDetails(data),
      },
      timeout: timeoutMs,
    })
    if (!error && response && isForeignResponse(response, url))
      return new FunctionsHttpError(response)
    return error
  }

  // The inline script adds the key and the details (save-draft.ts, native-form.ts).
  let data = new FormData(form)
  const first = await findError(data)
  if (!first) return
  const delayMs = findRetryDelay(first)
  if (delayMs === undefined) throw first
  await new Promise((resolve) => setTimeout(resolve, delayMs))
  await untilOnline()
  // The retry has the same key, so that a lead whose response was lost is not stored twice. If the key
  // belongs to another lead, because some autofill fires no input event, this event makes a new key.
  if (isKeyReused(first)) {
    form.dispatchEvent(new Event('input'))
    data = new FormData(form)
  }
  const second = await findError(data)
  if (second) throw second
}

const isKeyReused = (error: unknown) =>
  error instanceof FunctionsHttpError && error.context.status === 409

/** Returns how long to wait before the second try, or undefined if it would fail like the first. */
function findRetryDelay(error: unknown) {
  if (error instanceof FunctionsFetchError || error instanceof FunctionsRelayError)
    return retryDelayMs
  if (!(error instanceof FunctionsHttpError)) return undefined
  const { status, headers } = error.context as Response
  if (status !== 409 && status !== 429 && status < 500) return undefined
  const asked = Number(headers.get('Retry-After')) * 1000
  return Math.min(Math.max(asked || 0, retryDelayMs), longestDelayMs)
}

/** A filled trap is sent as one word: a header has a size limit, and the lead must get through. */
function formatDetails(data: FormData) {
  const details = new URLSearchParams({ [trapField]: data.get(trapField) ? 'filled' : '' })
  for (const name of ['consent', 'elapsedMs', 'source'])
    if (data.has(name)) details.set(name, String(data.get(name)))
  return details.toString()
}
