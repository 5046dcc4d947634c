import { createHash } from 'node:crypto'
import type { Context } from 'hono'
import * as v from 'valibot'
import {
  detailsHeader,
  formatName,
  type Lead,
  type LeadDetails,
  leadSchema,
  type RequiredField,
  readDetails,
  readSource,
  requiredFields,
} from '../lead.ts'
import { explainIssue, maxBodyBytes, type Refusal, refusals } from './refusals.ts'

export type SentLead = { lead: Lead; details: LeadDetails; keys: string[] }

const keyPattern = /^[\x21-\x7e]{1,255}$/

export async function readJsonLead(c: Context, type: string): Promise<SentLead | Refusal> {
  if (type !== 'application/json') return refusals.wrongType
  const key = c.req.header('idempotency-key')
  if (key !== undefined && !keyPattern.test(key)) return refusals.badKey
  const body = await readBody(c.req.raw)
  if ('status' in body) return body
  let json: unknown
  try {
    json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return refusals.notJson
  }
  const parsed = v.safeParse(leadSchema, json, { abortEarly: true })
  if (!parsed.success) return explainIssue(parsed.issues[0])
  const details = readDetails(new URLSearchParams(c.req.header(detailsHeader)))
  return { lead: parsed.output, details, keys: key === undefined ? [] : [`key:${key}`] }
}

/** A lead of the page without JavaScript, or the part of the page that says what is wrong with it. */
export async function readFormLead(
  c: Context,
  { client, now }: { client: string; now: number },
): Promise<(SentLead & { lastKeys: string[] }) | 'incomplete' | 'failed' | RequiredField> {
  const body = await readBody(c.req.raw)
  if ('status' in body) return 'failed'
  const headers = { 'content-type': c.req.header('content-type') ?? '' }
  const form = await new Response(body, { headers }).formData().catch(() => undefined)
  if (!form) return 'failed'
  const values = Object.fromEntries(
    Object.keys(leadSchema.entries).map((field) => [field, form.get(field) ?? '']),
  )
  if (requiredFields.some((field) => String(values[field]).trim() === '')) return 'incomplete'
  // As the form would have done.
  if (typeof values.name === 'string') values.name = formatName(values.name)
  const parsed = v.safeParse(leadSchema, values)
  if (!parsed.success) {
    const refused = v.getDotPath(parsed.issues[0])
    return requiredFields.find((field) => field === refused) ?? 'failed'
  }

  // A form cannot make a key, so its content is the key: the same content from the same client
  // within this minute or the last is a second press, not a second wish.
  const minute = Math.floor(now / 60_000)
  const content = `${client} ${hashLead(parsed.output)}`
  const keys = [minute, minute - 1].map((at) => `form:${hash(`${at} ${content}`)}`)
  const details = readDetails(form)
  // Without scripts nobody fills in the source, but the browser names the page, campaign and all.
  details.source ??= readSource(c.req.header('referer')?.split('?')[1]) || null
  const lastKey = String(form.get('idempotencyKey') ?? '')
  const lastKeys = keyPattern.test(lastKey) ? [`key:${lastKey}`] : []
  return { lead: parsed.output, details, keys, lastKeys }
}

/** The body, if it is within the limit, whatever Content-Length says or leaves out. */
async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer> | Refusal> {
  if (Number(request.headers.get('content-length')) > maxBodyBytes) return refusals.tooLarge
  const chunks: BlobPart[] = []
  let bytes = 0
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > maxBodyBytes) return refusals.tooLarge
      chunks.push(chunk)
    }
  } catch {
    return refusals.cutOff
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex')

export const hashLead = ({ name, email, phone, address, serviceType }: Lead) =>
  hash(JSON.stringify([name, email, phone, address, serviceType]))
