import * as v from 'valibot'
import type { ChannelSettings } from '../../settings.ts'
import { minuteMs } from '../../time-units.ts'
import type { Timers } from '../../timers.ts'
import { explainBrokenCall, findRetryAfter, readRetryAfterMs } from '../service-call.ts'
import { type ColumnName, choiceColumns, columnNames } from './columns.ts'

export type AirtableSettings = NonNullable<ChannelSettings['airtable']>

export type AirtableDeps = {
  fetch: typeof fetch
  pause: (ms: number) => Promise<void>
  timers: Timers
  /** Aborts the calls, such as when the lease is lost or the caller's time limit is over. */
  signal?: AbortSignal
  requestTimeoutMs?: number
}

// Airtable allows 5 requests per second per base; use 4, so that the owner's other tools still work.
const betweenRequestsMs = 250
// Limit the time of a whole batch, because later batches wait for it.
const wholeBatchTimeoutMs = 45_000
// Airtable locks the base for 30 s after a 429. Requests during the lock extend it.
const lockOutMs = 32_000
// Airtable rejects every request until the owner upgrades or a new month starts.
const quotaWaitMs = 15 * minuteMs

export type Ok<Body = unknown> = { kind: 'ok'; body: Body }
/** 422: Airtable works but rejects the request. `columns` are our columns that may be the cause. */
export type RefusedRequest = { kind: 'refused'; type: string; columns: readonly ColumnName[] }
/** Any other failure, such as an outage or a wrong token. Further requests would probably fail, too. */
export type Failure = { kind: 'failed'; error: string; status?: number; retryAfterMs?: number }
export type Reply<Body = unknown> = Ok<Body> | RefusedRequest | Failure

export type AirtableRequest = (method: string, path: string, body?: object) => Promise<Reply>

export function connect(
  { token, apiUrl }: AirtableSettings,
  { fetch, pause, timers, signal, requestTimeoutMs = 20_000 }: AirtableDeps,
): AirtableRequest {
  const endings = [timers.timeout(wholeBatchTimeoutMs), ...(signal ? [signal] : [])]

  return async (method, path, body) => {
    await pause(betweenRequestsMs)
    try {
      const response = await fetch(`${apiUrl}/v0/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
        redirect: 'manual',
        signal: AbortSignal.any([...endings, timers.timeout(requestTimeoutMs)]),
      })
      return readReply(response, await response.text())
    } catch (error) {
      return { kind: 'failed', error: explainBrokenCall('Airtable', error) }
    }
  }
}

export const runSetup = 'Run: npm run leads -- setup-airtable'
export const tokenPage = 'https://airtable.com/create/tokens'

/**
 * Put the cause in a separate sentence: keepForOwner removes sentences that mention a setting, so the owner sees only
 * the cause.
 */
const accessProblems: Record<number, { cause: string; fix: string }> = {
  401: {
    cause: 'Airtable denied the site access',
    fix: `Create a token at ${tokenPage} and set AIRTABLE_TOKEN.`,
  },
  403: {
    cause: 'Airtable denied the site access to the base, or the table was moved or deleted',
    fix: `Check at ${tokenPage} that AIRTABLE_TOKEN has the scopes data.records:read and data.records:write and access to the base. Check AIRTABLE_BASE_ID and AIRTABLE_TABLE.`,
  },
  404: {
    cause: 'Airtable didn’t find the base or table',
    fix: 'Check AIRTABLE_BASE_ID and AIRTABLE_TABLE.',
  },
}

export function readReply(response: Response, text: string): Reply {
  const { ok, status, headers } = response
  const body = parseJson(text)
  const fail = (error: string, retryAfterMs?: number): Failure => ({
    kind: 'failed',
    status,
    error,
    ...(retryAfterMs && { retryAfterMs }),
  })
  if (ok)
    return body === undefined
      ? fail(`Airtable returned ${status} without JSON.`)
      : { kind: 'ok', body }

  const { type, columns } = readError(body)
  if (status === 422) return { kind: 'refused', type, columns }
  if (status === 429 && type === 'PUBLIC_API_BILLING_LIMIT_EXCEEDED')
    return fail(
      'The Airtable plan’s API calls for this month are used up. Leads are saved and will be sent next month, or as soon as the plan is upgraded.',
      quotaWaitMs,
    )
  if (status === 429)
    return fail(
      'Airtable is limiting requests (429).',
      Math.max(lockOutMs, readRetryAfterMs(headers)),
    )
  const code = type ? `${status} ${type}` : `${status}`
  const { cause = 'Airtable returned an error', fix = '' } = accessProblems[status] ?? {}
  return fail(`${cause} (${code}). ${fix}`.trimEnd(), findRetryAfter(response).retryAfterMs)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const errorSchema = v.object({
  error: v.union([
    v.object({ type: v.string(), message: v.optional(v.string(), '') }),
    v.pipe(
      v.string(),
      v.transform((type) => ({ type, message: '' })),
    ),
  ]),
})

export const unknownChoice = 'INVALID_MULTIPLE_CHOICE_OPTIONS'

// Keep only the error type and the name of our column, because Airtable's messages can contain what
// the visitor typed.
function readError(body: unknown): Omit<RefusedRequest, 'kind'> {
  const parsed = v.safeParse(errorSchema, body)
  const { type, message } = parsed.success ? parsed.output.error : { type: '', message: '' }
  if (!/^[A-Z_]{3,60}$/.test(type)) return { type: '', columns: [] }
  // This message contains the value of the cell, not its column.
  if (type === unknownChoice) return { type, columns: choiceColumns }
  const quoted = message.match(/"([^"]+)"/)?.[1]
  return { type, columns: columnNames.filter((name) => name === quoted) }
}
