import { createHash, timingSafeEqual } from 'node:crypto'
import { type Context, Hono } from 'hono'
import { detailsHeader } from '../lead.ts'
import type { Env } from '../settings.ts'
import { type AcceptOptions, createAcceptLead } from './accept-lead.ts'
import { type AnswerOptions, answerLead } from './answer.ts'
import { createHealthCheck, type HealthOptions } from './health.ts'
import { findPage, isAllowed, type OriginSettings } from './origins.ts'
import { countProxies } from './proxy-question.ts'
import { readFormLead, readJsonLead } from './read-lead.ts'
import { refusals, refuse } from './refusals.ts'

export type AppOptions = AcceptOptions &
  HealthOptions &
  AnswerOptions &
  OriginSettings & {
    anonKeys: readonly string[]
    trustedProxies?: Env['trustedProxies']
    findClientAddress: (c: Context) => string
  }

// On Supabase the gateway keeps the first two steps of the path to itself.
const functionPaths = ['/functions/v1/submit-to-airtable', '/submit-to-airtable']
const underFunction = (name: string) => functionPaths.map((path) => `${path}/${name}`)

const formTypes = ['application/x-www-form-urlencoded', 'multipart/form-data']

const corsHeaders = {
  'Access-Control-Allow-Methods': 'POST, OPTIONS',
  // What supabase-js sends, now or in its newer versions, and two of our own.
  'Access-Control-Allow-Headers': `apikey, authorization, content-type, x-client-info, idempotency-key, ${detailsHeader}, x-retry-count, traceparent, tracestate, baggage`,
  // Without it the page cannot read how long a 429 asks it to wait.
  'Access-Control-Expose-Headers': 'Retry-After',
  'Access-Control-Max-Age': '7200',
}

export function createApp(options: AppOptions): Hono {
  const { now, log, faults, findClientAddress } = options
  const acceptLead = createAcceptLead(options)
  const checkHealth = createHealthCheck(options)
  const app = new Hono()

  for (const path of functionPaths)
    app.use(`${path}/*`, async (c, next) => {
      await next()
      c.header('Cache-Control', 'no-store')
      c.header('Vary', 'Origin')
      const origin = c.req.header('origin')
      if (!origin || !isAllowed(c, origin, options)) return
      c.header('Access-Control-Allow-Origin', origin)
      for (const [name, value] of Object.entries(corsHeaders)) c.header(name, value)
    })

  app.on('OPTIONS', functionPaths, (c) => c.body(null, 204, { Allow: 'POST, OPTIONS' }))

  app.on('POST', functionPaths, async (c) => {
    const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase() ?? ''
    if (formTypes.includes(type)) return takeForm(c)
    if (!hasKey(c)) {
      // Said once: it may be a stranger, or a page that was built with another key.
      faults.report('public key', {}, 'a lead came without this site’s public key: answered 401')
      return refuse(c, refusals.notOurs)
    }
    const sent = await readJsonLead(c, type)
    const refusal = 'status' in sent ? sent : await acceptLead(sent, findClientAddress(c))
    return refusal ? refuse(c, refusal) : c.json({ ok: true })
  })

  app.on('ALL', functionPaths, (c) => {
    c.header('Allow', 'POST, OPTIONS')
    return refuse(c, refusals.notPosted)
  })

  // Cron calls this every minute on Supabase. Anyone may: it only sends what is due anyway.
  app.on('POST', underFunction('deliver'), (c) => {
    if (!hasKey(c)) return refuse(c, refusals.notOurs)
    options.wake()
    return c.json({ ok: true }, 202)
  })

  app.on('GET', ['/healthz', ...underFunction('healthz')], async (c) => {
    const health = await checkHealth()
    if (!health) return refuse(c, refusals.unavailable)
    const seen = countProxies((name) => c.req.header(name), options.linkSecret, now())
    const proxies = { seen, trusted: options.trustedProxies ?? null }
    c.header('Cache-Control', 'no-store')
    return c.json(seen === undefined ? health : { ...health, proxies })
  })

  const answerPaths = ['/answer', ...underFunction('answer')].map((path) => `${path}/:token`)
  app.on(['GET', 'POST'], answerPaths, (c) => answerLead(c, options))
  app.on('ALL', answerPaths, (c) => c.body(null, 405, { Allow: 'GET, HEAD, POST' }))

  app.notFound((c) => refuse(c, refusals.notFound))

  app.onError((error, c) => {
    // The message may quote what a visitor typed, so the log gets the name and the place only.
    const place = error.stack?.split('\n').find((line) => line.trim().startsWith('at '))
    log.error({ error: error.name, place: place?.trim() }, 'a request failed unexpectedly')
    return refuse(c, refusals.internal)
  })

  /** The page without JavaScript: the answer is a redirect to a part of the page that CSS shows. */
  async function takeForm(c: Context): Promise<Response> {
    const page = findPage(c, options)
    // As the page has it: otherwise the browser changes processes, and 'back' may find empty fields.
    c.header('Cross-Origin-Opener-Policy', 'same-origin')
    const show = (part: string) => c.redirect(`${page ?? ''}/#estimate-${part}`, 303)
    if (page === undefined) {
      const { origin: seen = null, host = null } = c.req.header()
      faults.report('form origin', { seen, host }, 'a plain post is refused: set PUBLIC_URL')
      return show('failed')
    }
    const client = findClientAddress(c)
    const sent = await readFormLead(c, { client, now: now() })
    if (typeof sent === 'string') return show(sent)
    let refusal = await acceptLead({ ...sent, keys: [...sent.lastKeys, ...sent.keys] }, client)
    // The page passes on the key of its last try, which may have been about something else.
    if (refusal === refusals.keyReused) refusal = await acceptLead(sent, client)
    return show(refusal ? 'failed' : 'received')
  }

  function hasKey(c: Context): boolean {
    const bearer = c.req.header('authorization')?.match(/^bearer\s+(.+)$/i)?.[1]
    const given = digest(c.req.header('apikey') ?? bearer ?? '')
    // Compares all keys, each in constant time, so that the time tells nothing about them.
    return options.anonKeys.filter((key) => timingSafeEqual(digest(key), given)).length > 0
  }

  return app
}

const digest = (text: string) => createHash('sha256').update(text).digest()
