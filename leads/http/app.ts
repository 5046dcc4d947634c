import { createHash, timingSafeEqual } from 'node:crypto'
import { type Context, Hono } from 'hono'
import * as v from 'valibot'
import { findNetwork } from '../client-address.ts'
import { kindOf } from '../delivery/receivers.ts'
import {
  detailsHeader,
  formatName,
  type Lead,
  type LeadDetails,
  type LeadField,
  leadSchema,
  type RequiredField,
  readDetails,
  readSource,
  requiredFields,
} from '../lead.ts'
import { type FaultLog, type Log, nameError } from '../log.ts'
import type { Env } from '../settings.ts'
import { giveUpAfter } from '../store/give-up-after.ts'
import { type Backlog, countWaiting } from '../store/reading.ts'
import { saveLead } from '../store/save-lead.ts'
import type { Database } from '../store/tables.ts'
import { proveWritable } from '../store/write-check.ts'
import { answerLead } from './answer.ts'
import { createLeadLine } from './lead-line.ts'
import { countProxies } from './proxy-question.ts'

export type AppOptions = Pick<
  Env,
  | 'linkSecret'
  | 'timeZone'
  | 'anonKeys'
  | 'publicUrl'
  | 'allowedOrigins'
  | 'rateLimitPerMinute'
  | 'notSetUp'
> & {
  trustedProxies?: Env['trustedProxies']
  db: Database
  /** Where a new lead goes, and when staff are first reminded of it. */
  planDelivery: (
    details: LeadDetails,
    now: number,
  ) => { channels: readonly string[]; escalateAt?: number | undefined }
  /** When to give up storing a lead, and tell. */
  longestSaveMs?: number
  /** What the owner should look at, given what waits. */
  findWarnings: (backlog: readonly Backlog[], now: number) => Promise<string[]>
  now: () => number
  log: Log
  faults: FaultLog
  /** Deliveries may be due. */
  wake: () => void
  findClientAddress: (c: Context) => string
}

// On Supabase the gateway keeps the first two steps of the path to itself.
const functionPaths = ['/functions/v1/submit-to-airtable', '/submit-to-airtable']
const underFunction = (name: string) => functionPaths.map((path) => `${path}/${name}`)

const maxBodyBytes = 16 * 1024
const keyPattern = /^[\x21-\x7e]{1,255}$/
const healthReuseMs = 1_000
const unavailableRetrySeconds = 5
// The form gives up after 10 s; a visitor is told before, and by us.
export const defaultSaveMs = 6_500

const corsHeaders = {
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  // What supabase-js sends, now or in its newer versions, and two of our own.
  'Access-Control-Allow-Headers': `apikey, authorization, content-type, x-client-info, idempotency-key, ${detailsHeader}, x-retry-count, traceparent, tracestate, baggage`,
  // Without it the page cannot read how long a 429 asks it to wait.
  'Access-Control-Expose-Headers': 'Retry-After',
  'Access-Control-Max-Age': '7200',
}

type Refusal = {
  status: 400 | 401 | 409 | 413 | 415 | 422 | 429 | 503
  code: string
  message: string
  field?: string
  retryAfterSeconds?: number
}

export function createApp(options: AppOptions): Hono {
  const { db, now, log, faults, longestSaveMs = defaultSaveMs } = options
  const app = new Hono()

  app.use('*', async (c, next) => {
    await next()
    if (isFunctionPath(c.req.path)) {
      c.header('Cache-Control', 'no-store')
      c.header('Vary', 'Origin')
      const origin = c.req.header('origin')
      if (origin && isAllowed(origin, c)) {
        c.header('Access-Control-Allow-Origin', origin)
        for (const [name, value] of Object.entries(corsHeaders)) c.header(name, value)
      }
    }
  })

  app.on('OPTIONS', functionPaths, (c) => c.body(null, 204, { Allow: 'POST, OPTIONS' }))

  app.on('POST', functionPaths, async (c) => {
    const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (type === 'application/x-www-form-urlencoded' || type === 'multipart/form-data')
      return takeForm(c)
    const refusal = await takeJson(c, type)
    return refusal ? refuse(c, refusal) : c.json({ ok: true })
  })

  // Cron calls this every minute on Supabase. Anyone may: it only sends what is due anyway.
  app.on('POST', underFunction('deliver'), (c) => {
    if (!hasKey(c)) return refuse(c, wrongKey)
    options.wake()
    return c.json({ ok: true }, 202)
  })

  app.on('GET', ['/healthz', ...underFunction('healthz')], async (c) => {
    const health = await checkHealth()
    if (!health) return refuse(c, unavailable)
    const seen = countProxies((name) => c.req.header(name), options.linkSecret, now())
    const proxies = { seen, trusted: options.trustedProxies ?? null }
    const answer = seen === undefined ? health : { ...health, proxies }
    return c.json(answer, 200, { 'Cache-Control': 'no-store' })
  })

  const answerPaths = ['/answer', ...underFunction('answer')].map((path) => `${path}/:token`)
  app.on(['GET', 'POST'], answerPaths, (c) => answerLead(c, options))
  app.on('ALL', answerPaths, (c) => c.body(null, 405, { Allow: 'GET, HEAD, POST' }))

  app.on('ALL', functionPaths, (c) =>
    c.json({ error: { code: 'method_not_allowed', message: 'Send the lead with POST.' } }, 405, {
      Allow: 'POST, OPTIONS',
    }),
  )

  app.notFound((c) =>
    c.json({ error: { code: 'not_found', message: 'There is nothing here.' } }, 404),
  )

  app.onError((error, c) => {
    // The message may quote what a visitor typed, so the log gets the name and the place only.
    const place = error.stack?.split('\n').find((line) => line.trim().startsWith('at '))
    log.error({ error: error.name, place: place?.trim() }, 'a request failed unexpectedly')
    return c.json({ error: { code: 'internal', message: 'Something went wrong here.' } }, 500)
  })

  async function takeJson(c: Context, type: string | undefined): Promise<Refusal | undefined> {
    if (!hasKey(c)) {
      // Said once: it may be a stranger, or a page that was built with another key.
      faults.report('public key', {}, 'a lead came without this site’s public key: answered 401')
      return wrongKey
    }
    if (type !== 'application/json') return wrongType
    const key = c.req.header('idempotency-key')
    if (key !== undefined && !keyPattern.test(key)) return badIdempotencyKey
    const body = await readBody(c.req.raw)
    if (!(body instanceof Uint8Array)) return body
    let json: unknown
    try {
      json = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
    } catch {
      return notJson
    }
    const parsed = v.safeParse(leadSchema, json, { abortEarly: true })
    if (!parsed.success) return explainIssue(parsed.issues[0])
    const details = readDetails(new URLSearchParams(c.req.header(detailsHeader)))
    return save(c, parsed.output, details, key === undefined ? [] : [`key:${key}`])
  }

  /** The page without JavaScript: the answer is a redirect to a part of the page that CSS shows. */
  async function takeForm(c: Context): Promise<Response> {
    const from = findPageOrigin(c)
    const show = (part: 'received' | 'incomplete' | 'failed' | RequiredField) =>
      c.redirect(`${from.redirectTo}/#estimate-${part}`, 303)
    if (!from.allowed) {
      const { origin: seen = null, host = null } = c.req.header()
      faults.report('form origin', { seen, host }, 'a plain post is refused: set PUBLIC_URL')
      return show('failed')
    }
    const body = await readBody(c.req.raw)
    if (!(body instanceof Uint8Array)) return show('failed')
    let form: FormData
    try {
      const headers = { 'content-type': c.req.header('content-type') ?? '' }
      form = await new Response(body, { headers }).formData()
    } catch {
      return show('failed')
    }
    const fields = Object.keys(leadSchema.entries) as LeadField[]
    const values = Object.fromEntries(fields.map((field) => [field, form.get(field) ?? '']))
    if (requiredFields.some((field) => String(values[field]).trim() === ''))
      return show('incomplete')
    // As the form would have done.
    if (typeof values.name === 'string') values.name = formatName(values.name)
    const parsed = v.safeParse(leadSchema, values)
    if (!parsed.success) {
      const refused = v.getDotPath(parsed.issues[0])
      return show(requiredFields.find((field) => field === refused) ?? 'failed')
    }

    // A form cannot make a key, so its content is the key: the same content from the same client
    // within this minute or the last is a second press, not a second wish.
    const minute = Math.floor(now() / 60_000)
    const content = `${options.findClientAddress(c)} ${hashLead(parsed.output)}`
    const keys = [minute, minute - 1].map((at) => `form:${hash(`${at} ${content}`)}`)
    const details = readDetails(form)
    // Without scripts nobody fills in the source, but the browser names the page, campaign and all.
    details.source ??= readSource(c.req.header('referer')?.split('?')[1]) || null
    const store = (keys: string[]) => save(c, parsed.output, details, keys)
    // The page passes on the key of its last try, which may have been about something else.
    const lastKey = String(form.get('idempotencyKey') ?? '')
    let refusal = await store(keyPattern.test(lastKey) ? [`key:${lastKey}`, ...keys] : keys)
    if (refusal === keyReused) refusal = await store(keys)
    return show(refusal ? 'failed' : 'received')
  }

  const line = createLeadLine()

  async function save(
    c: Context,
    lead: Lead,
    details: LeadDetails,
    idempotencyKeys: readonly string[],
  ): Promise<Refusal | undefined> {
    const { rateLimitPerMinute: limitPerMinute } = options
    const receivedAt = now()
    const clientAddress = options.findClientAddress(c)
    const bodyHash = hashLead(lead)
    const plan = options.planDelivery(details, receivedAt)
    const newLead = { lead, details, bodyHash, clientAddress, idempotencyKeys, ...plan }
    const network = limitPerMinute > 0 ? findNetwork(clientAddress) : undefined
    let hasBegun = false
    const saved = await giveUpAfter(
      longestSaveMs,
      (isLate) =>
        line.save(network, async () => {
          if (isLate()) return undefined
          hasBegun = true
          return saveLead(db, newLead, { now: receivedAt, limitPerMinute })
        }),
      // Whoever never had a turn says nothing about the database.
    ).catch((error) => (hasBegun ? reportWriteFault(error) : 'overloaded'))
    if (!saved) return unavailable
    if (saved === 'line too long') return { ...tooMany, retryAfterSeconds: unavailableRetrySeconds }
    if (saved === 'overloaded') {
      faults.report('overload', {}, 'more leads at once than can be stored: some are answered 503')
      return overloaded
    }
    if (line.isEmpty()) faults.clear('overload', 'all leads are taken again')
    if (saved.outcome === 'conflict') return keyReused
    if (saved.outcome === 'limited') {
      const retryAfterSeconds = Math.max(1, Math.ceil(saved.retryAfterMs / 1000))
      return { ...tooMany, retryAfterSeconds }
    }
    faults.clear('database', 'leads can be stored again')
    if (saved.outcome === 'saved') {
      log.info({ leadId: saved.leadId }, 'lead stored')
      options.wake()
    }
    return undefined
  }

  // Each check is a durable write: whoever asks more often than this gets the answer just found.
  type Health = Awaited<ReturnType<typeof findHealth>>
  let lastCheck: { at: number; health: Promise<Health | undefined> } | undefined
  function checkHealth(): Promise<Health | undefined> {
    if (lastCheck && Math.abs(now() - lastCheck.at) < healthReuseMs) return lastCheck.health
    const health = giveUpAfter(longestSaveMs, findHealth).catch((error) => {
      reportWriteFault(error)
      return undefined
    })
    lastCheck = { at: now(), health }
    return health
  }

  async function findHealth() {
    await proveWritable(db)
    faults.clear('database', 'leads can be stored again')
    const backlog = await countWaiting(db)
    const oldestAt = Math.min(...backlog.map((channel) => channel.oldestAt))
    return {
      ok: true,
      database: db.engine,
      deliveries: {
        waiting: backlog.reduce((sum, channel) => sum + channel.waiting, 0),
        oldestWaitingSeconds: backlog.length > 0 ? Math.round((now() - oldestAt) / 1000) : null,
        byChannel: countByKind(backlog),
      },
      notSetUp: options.notSetUp,
      warnings: [
        ...options.notSetUp,
        ...(await options.findWarnings(backlog, now()).catch(() => [])),
      ],
    }
  }

  function countByKind(backlog: readonly Backlog[]): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const { channel, waiting } of backlog)
      counts[kindOf(channel)] = (counts[kindOf(channel)] ?? 0) + waiting
    return counts
  }

  function reportWriteFault(error: unknown): void {
    faults.report(
      'database',
      { error: nameError(error) },
      'no lead can be stored: the answer is 503',
    )
  }

  function hasKey(c: Context): boolean {
    const bearer = c.req.header('authorization')?.match(/^bearer\s+(.+)$/i)?.[1]
    const given = digest(c.req.header('apikey') ?? bearer ?? '')
    // Compares all keys, each in constant time, so that the time tells nothing about them.
    return options.anonKeys.filter((key) => timingSafeEqual(digest(key), given)).length > 0
  }

  function isOwn(origin: string, c: Context): boolean {
    if (!URL.canParse(origin)) return false
    // Only the host counts: behind a proxy that ends TLS, the scheme seen here is not the visitor's.
    return new URL(origin).host === c.req.header('host') || origin === ownOrigin
  }
  const ownOrigin = new URL(options.publicUrl).origin

  function isAllowed(origin: string, c: Context): boolean {
    return options.allowedOrigins.includes(origin) || isOwn(origin, c)
  }

  function findPageOrigin(c: Context): { allowed: boolean; redirectTo: string } {
    const referer = c.req.header('referer')
    let origin = c.req.header('origin')
    // Browsers send "null" where the page's referrer policy hides it; the two others may still tell.
    if (!origin || origin === 'null')
      origin = referer && URL.canParse(referer) ? new URL(referer).origin : undefined
    if (!origin)
      return { allowed: c.req.header('sec-fetch-site') === 'same-origin', redirectTo: '' }
    if (isOwn(origin, c)) {
      const here = new URL(origin).host === c.req.header('host')
      return { allowed: true, redirectTo: here ? '' : origin }
    }
    const allowed = options.allowedOrigins.includes(origin)
    return { allowed, redirectTo: allowed ? origin : '' }
  }

  return app
}

const isFunctionPath = (path: string) =>
  functionPaths.some((start) => path === start || path.startsWith(`${start}/`))

const wrongKey: Refusal = {
  status: 401,
  code: 'wrong_key',
  message: 'The apikey header does not hold this site’s public key.',
}
const wrongType: Refusal = {
  status: 415,
  code: 'unsupported_type',
  message: 'Send the lead as application/json.',
}
const notJson: Refusal = { status: 400, code: 'not_json', message: 'The body is not JSON.' }
const badIdempotencyKey: Refusal = {
  status: 400,
  code: 'bad_idempotency_key',
  message: 'Idempotency-Key must be 1 to 255 visible ASCII characters.',
}
const tooLarge: Refusal = {
  status: 413,
  code: 'too_large',
  message: `The body is over ${maxBodyBytes / 1024} KB.`,
}
const cutOff: Refusal = {
  status: 400,
  code: 'cut_off',
  message: 'The body did not arrive whole.',
}
const keyReused: Refusal = {
  status: 409,
  code: 'idempotency_key_reused',
  message: 'This Idempotency-Key came before with another lead.',
}
const tooMany: Refusal = {
  status: 429,
  code: 'too_many_requests',
  message: 'Too many requests from this address. Please wait a moment, or call us.',
}
const overloaded: Refusal = {
  status: 503,
  code: 'overloaded',
  message: 'Too many requests at this moment. Please try again, or call us.',
  retryAfterSeconds: unavailableRetrySeconds,
}
const unavailable: Refusal = {
  status: 503,
  code: 'unavailable',
  message: 'The request could not be stored. Please try again, or call us.',
  retryAfterSeconds: unavailableRetrySeconds,
}

function refuse(c: Context, { status, retryAfterSeconds, ...error }: Refusal): Response {
  if (retryAfterSeconds !== undefined) c.header('Retry-After', String(retryAfterSeconds))
  return c.json({ error }, status)
}

function explainIssue(issue: v.InferIssue<typeof leadSchema>): Refusal {
  const refusal = { status: 422, code: 'invalid_field' } as const
  const field = v.getDotPath(issue)
  if (field === null) return { ...refusal, message: 'Send the lead as one JSON object.' }
  if (issue.type !== 'strict_object') return { ...refusal, field, message: issue.message }
  const known = Object.keys(leadSchema.entries).includes(field)
  const message = known ? `The field ${field} is missing.` : 'A lead has no such field.'
  return { ...refusal, field, message }
}

/** The body, if it is within the limit, whatever Content-Length says or leaves out. */
async function readBody(request: Request): Promise<Uint8Array<ArrayBuffer> | Refusal> {
  if (Number(request.headers.get('content-length')) > maxBodyBytes) return tooLarge
  const chunks: BlobPart[] = []
  let bytes = 0
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength
      if (bytes > maxBodyBytes) return tooLarge
      chunks.push(chunk)
    }
  } catch {
    return cutOff
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer())
}

const digest = (text: string) => createHash('sha256').update(text).digest()
const hash = (text: string) => digest(text).toString('hex')
const hashLead = ({ name, email, phone, address, serviceType }: Lead) =>
  hash(JSON.stringify([name, email, phone, address, serviceType]))
