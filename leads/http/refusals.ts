import type { Context } from 'hono'
import * as v from 'valibot'
import { leadSchema } from '../lead.ts'

export const maxBodyBytes = 16 * 1024

const comeBackSeconds = 5

type Status = 400 | 401 | 404 | 405 | 409 | 413 | 415 | 422 | 429 | 500 | 503

export type Refusal = {
  status: Status
  code: string
  message: string
  field?: string
  retryAfterSeconds?: number
}

const row = (status: Status, code: string, message: string): Refusal => ({ status, code, message })
const later = (status: Status, code: string, message: string): Refusal => ({
  ...row(status, code, message),
  retryAfterSeconds: comeBackSeconds,
})

export const refusals = {
  notJson: row(400, 'not_json', 'The body is not JSON.'),
  cutOff: row(400, 'cut_off', 'The body did not arrive whole.'),
  badKey: row(
    400,
    'bad_idempotency_key',
    'Idempotency-Key must be 1 to 255 visible ASCII characters.',
  ),
  notOurs: row(401, 'wrong_key', 'The apikey header does not hold this site’s public key.'),
  notFound: row(404, 'not_found', 'There is nothing here.'),
  notPosted: row(405, 'method_not_allowed', 'Send the lead with POST.'),
  keyReused: row(
    409,
    'idempotency_key_reused',
    'This Idempotency-Key came before with another lead.',
  ),
  tooLarge: row(413, 'too_large', `The body is over ${maxBodyBytes / 1024} KB.`),
  wrongType: row(415, 'unsupported_type', 'Send the lead as application/json.'),
  notObject: row(422, 'invalid_field', 'Send the lead as one JSON object.'),
  tooMany: later(
    429,
    'too_many_requests',
    'Too many requests from this address. Please wait a moment, or call us.',
  ),
  internal: row(500, 'internal', 'Something went wrong here.'),
  overloaded: later(
    503,
    'overloaded',
    'Too many requests at this moment. Please try again, or call us.',
  ),
  unavailable: later(
    503,
    'unavailable',
    'The request could not be stored. Please try again, or call us.',
  ),
}

export function refuse(c: Context, { status, retryAfterSeconds, ...error }: Refusal): Response {
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds))
  return c.json({ error }, status)
}

export function explainIssue(issue: v.InferIssue<typeof leadSchema>): Refusal {
  const field = v.getDotPath(issue)
  if (field === null) return refusals.notObject
  let { message } = issue
  if (issue.type === 'strict_object')
    message = Object.hasOwn(leadSchema.entries, field)
      ? `The field ${field} is missing.`
      : 'A lead has no such field.'
  return { ...row(422, 'invalid_field', message), field }
}
