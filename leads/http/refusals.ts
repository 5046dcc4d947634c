import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import * as v from 'valibot'
import type { leadSchema } from '../lead.ts'

export const maxBodyBytes = 16 * 1024

export type Refusal = {
  status: ContentfulStatusCode
  code: string
  message: string
  field?: string
  retryAfterSeconds?: number
}

const refusal = (status: ContentfulStatusCode, code: string, message: string): Refusal => {
  return { status, code, message }
}
const retryable = (...refused: Parameters<typeof refusal>): Refusal => {
  return { ...refusal(...refused), retryAfterSeconds: 5 }
}

export const refusals = {
  notJson: refusal(400, 'not_json', 'The body is not JSON.'),
  cutOff: refusal(400, 'cut_off', 'The body was cut off.'),
  badKey: refusal(
    400,
    'bad_idempotency_key',
    'Idempotency-Key must be 1 to 255 visible ASCII characters.',
  ),
  wrongKey: refusal(401, 'wrong_key', 'The apikey header does not contain this site’s public key.'),
  notFound: refusal(404, 'not_found', 'Not found.'),
  methodNotAllowed: refusal(405, 'method_not_allowed', 'Send the lead with POST.'),
  keyReused: refusal(
    409,
    'idempotency_key_reused',
    'This Idempotency-Key was already used for another lead.',
  ),
  tooLarge: refusal(413, 'too_large', `The body is over ${maxBodyBytes / 1024} KB.`),
  wrongType: refusal(415, 'unsupported_type', 'Send the lead as application/json.'),
  notObject: refusal(422, 'invalid_field', 'Send the lead as one JSON object.'),
  tooMany: retryable(
    429,
    'too_many_requests',
    'Too many requests from your network. Please wait a moment, or call us.',
  ),
  internal: refusal(500, 'internal', 'Something went wrong. Please try again, or call us.'),
  overloaded: retryable(
    503,
    'overloaded',
    'Too many requests right now. Please try again, or call us.',
  ),
  unavailable: retryable(
    503,
    'unavailable',
    'We couldn’t save your request. Please try again, or call us.',
  ),
}

export function sendRefusal(
  c: Context,
  { status, retryAfterSeconds, ...error }: Refusal,
): Response {
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds))
  return c.json({ error }, status)
}

export function explainIssue(issue: v.InferIssue<typeof leadSchema>): Refusal {
  const field = v.getDotPath(issue)
  if (field === null) return refusals.notObject
  return { ...refusal(422, 'invalid_field', issue.message), field }
}
