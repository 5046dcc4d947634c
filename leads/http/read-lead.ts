import type { Context } from 'hono'
import * as v from 'valibot'
import { fieldNames, type Lead, type LeadField, requiredFields } from '../fields.ts'
import { hash } from '../hash.ts'
import {
  formatName,
  leadSchema,
  readPhoneDigits,
  readSource,
  readVisit,
  type Visit,
  visitHeader,
} from '../lead.ts'
import { minuteMs } from '../time-units.ts'
import { explainIssue, type Refusal, refusals } from './refusals.ts'

export type SentLead = { lead: Lead; visit: Visit; keys: string[] }

const keyPattern = /^[\x21-\x7e]{1,255}$/

export const readType = (c: Context) =>
  c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''

export async function readJsonLead(c: Context): Promise<SentLead | Refusal> {
  if (readType(c) !== 'application/json') return refusals.wrongType
  const key = c.req.header('idempotency-key')
  if (key !== undefined && !keyPattern.test(key)) return refusals.badKey
  const body = await c.req.arrayBuffer().catch(() => undefined)
  if (!body) return refusals.cutOff
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return refusals.notJson
  }
  const parsed = v.safeParse(leadSchema, json, { abortEarly: true })
  if (!parsed.success) return explainIssue(parsed.issues[0])
  const visit = readVisit(new URLSearchParams(c.req.header(visitHeader)))
  return { lead: parsed.output, visit, keys: key === undefined ? [] : [`key:${key}`] }
}

/** Returns a natively posted lead, or the name of the message to show on the page. */
export async function readFormLead(
  c: Context,
  { client, now }: { client: string; now: number },
): Promise<(SentLead & { formKeys: string[] }) | 'incomplete' | 'failed' | LeadField> {
  const form = await c.req.formData().catch(() => undefined)
  if (!form) return 'failed'
  const values = Object.fromEntries(fieldNames.map((field) => [field, form.get(field) ?? '']))
  if (requiredFields.some((field) => String(values[field]).trim() === '')) return 'incomplete'
  // The page's script formats the name as the visitor types; a native post is unformatted.
  if (typeof values.name === 'string') values.name = formatName(values.name)
  const parsed = v.safeParse(leadSchema, values)
  if (!parsed.success) {
    const invalid = v.getDotPath(parsed.issues[0])
    return fieldNames.find((field) => field === invalid) ?? 'failed'
  }

  // Without JavaScript, the form has no idempotency key, so derive one from the content. The same content from the same
  // client in this minute or the last one is a double click, not a second lead.
  const minute = Math.floor(now / minuteMs)
  const content = `${client} ${hashLead(parsed.output)}`
  const keys = [minute, minute - 1].map((at) => `form:${hash(`${at} ${content}`)}`)
  const visit = readVisit(form)
  // Without JavaScript, the form has no source, so read it from the page's URL in the Referer header.
  visit.source ??= readSource(c.req.header('referer')?.split('?')[1]) || null
  const formKey = String(form.get('idempotencyKey') ?? '')
  const formKeys = keyPattern.test(formKey) ? [`key:${formKey}`] : []
  return { lead: parsed.output, visit, keys, formKeys }
}

// The page's script formats the name and the phone number as the visitor types, but native posts are unformatted. The
// email may be typed in any case.
const normalize: Partial<Record<LeadField, (text: string) => string>> = {
  name: formatName,
  email: (email) => email.toLowerCase(),
  phone: readPhoneDigits,
}

const sortedNames = fieldNames.toSorted()

/** Returns the same hash for native posts and JSON. Ignores empty fields and the order of fields. */
export const hashLead = (lead: Lead): string =>
  hash(
    JSON.stringify(
      sortedNames
        .filter((name) => lead[name] !== '')
        .map((name) => [name, normalize[name]?.(lead[name]) ?? lead[name]]),
    ),
  )
