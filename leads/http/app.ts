import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { callByHeader, visitHeader } from '../lead.ts'
import type { Env } from '../settings.ts'
import { minuteMs } from '../time-units.ts'
import { createAcceptLead } from './accept-lead.ts'
import { answerLead } from './answer.ts'
import type { AppContext } from './app-context.ts'
import { createHealthCheck } from './health.ts'
import { readFormLead, readJsonLead, readType } from './read-lead.ts'
import { maxBodyBytes, refusals, sendRefusal } from './refusals.ts'

type OriginSettings = Pick<Env, 'publicUrl' | 'allowedOrigins'>

// Supabase's gateway strips /functions/v1 from the path.
const functionPaths = ['/functions/v1/submit-to-airtable', '/submit-to-airtable']
const underFunction = (name: string) => functionPaths.map((path) => `${path}/${name}`)

const isForm = (c: Context) =>
  ['application/x-www-form-urlencoded', 'multipart/form-data'].includes(readType(c))

const allowCors = cors({
  origin: (origin) => origin,
  allowMethods: ['POST', 'OPTIONS'],
  // All headers of supabase-js, including newer versions, plus two custom headers.
  allowHeaders: [
    ...['apikey', 'authorization', 'content-type', 'x-client-info', 'idempotency-key'],
    ...[visitHeader, 'x-retry-count', 'traceparent', 'tracestate', 'baggage'],
  ],
  // Lets the page read Retry-After after a 429, and the server's clock and the promised time after a success.
  exposeHeaders: ['Retry-After', 'Date', callByHeader],
  maxAge: 7200,
})

export function createApp(context: AppContext): Hono {
  const { env, now, log, faults } = context
  const acceptLead = createAcceptLead(context)
  const readClient = (c: Context) => ({
    address: context.readClientAddress(c),
    mayShareAddress: context.mayShareAddress(c),
  })
  const checkHealth = createHealthCheck(context)
  const app = new Hono()

  for (const path of functionPaths)
    app.use(`${path}/*`, (c, next) => {
      c.header('Cache-Control', 'no-store')
      const origin = c.req.header('origin')
      if (origin && isAllowedOrigin(c, origin, env)) return allowCors(c, next)
      c.header('Vary', 'Origin')
      return next()
    })

  app.on('OPTIONS', functionPaths, (c) => c.body(null, 204, { Allow: 'POST, OPTIONS' }))

  const limitBody = bodyLimit({
    maxSize: maxBodyBytes,
    onError: (c) => (isForm(c) ? showOutcome(c, 'failed') : sendRefusal(c, refusals.tooLarge)),
  })
  app.on('POST', functionPaths, (c, next) =>
    // bodyLimit throws when a chunked body ends early.
    limitBody(c, next).catch(() => sendRefusal(c, refusals.cutOff)),
  )

  app.on('POST', functionPaths, async (c) => {
    if (isForm(c)) return handleForm(c)
    if (!hasKey(c)) {
      // Log this once: if the page was built with a different key, every lead fails.
      faults.report('public key', {}, 'rejected a lead without this site’s public key (401)')
      return sendRefusal(c, refusals.wrongKey)
    }
    const sent = await readJsonLead(c)
    const result = 'status' in sent ? sent : await acceptLead(sent, readClient(c))
    if ('status' in result) return sendRefusal(c, result)
    c.header(callByHeader, new Date(result.callBy).toISOString())
    return c.json({ ok: true })
  })

  app.on('ALL', functionPaths, (c) => {
    // Visitors may reload or reopen this URL after a failed native post. On Supabase, the page has another origin.
    if (c.req.method === 'GET' && c.req.header('accept')?.includes('text/html')) {
      const origin = env.allowedOrigins[0] ?? env.publicUrl
      return c.redirect(c.req.path === functionPaths[0] ? '/' : `${origin}/`, 303)
    }
    c.header('Allow', 'POST, OPTIONS')
    return sendRefusal(c, refusals.methodNotAllowed)
  })

  // A cron job on Supabase calls this every minute. Anyone with the public key may call it, because it only sends
  // deliveries that are due anyway.
  app.on('POST', underFunction('deliver'), (c) => {
    if (!hasKey(c)) return sendRefusal(c, refusals.wrongKey)
    context.wake()
    return c.json({ ok: true }, 202)
  })

  app.on('GET', ['/healthz', ...underFunction('healthz')], async (c) => {
    const health = await checkHealth()
    c.header('Cache-Control', 'no-store')
    return c.json(health, health.ok ? 200 : 503)
  })

  const answerPaths = ['/answer', ...underFunction('answer')].map((path) => `${path}/:token`)
  app.on(['GET', 'POST'], answerPaths, (c) => answerLead(c, context))
  app.on('ALL', answerPaths, (c) => c.body(null, 405, { Allow: 'GET, HEAD, POST' }))

  app.notFound((c) => sendRefusal(c, refusals.notFound))

  app.onError((error, c) => {
    // The message may contain personal data, so log only the name and location of the error.
    const place = error.stack?.split('\n').find((line) => line.trim().startsWith('at '))
    log.error({ error: error.name, place: place?.trim() }, 'a request failed unexpectedly')
    return sendRefusal(c, refusals.internal)
  })

  /** Redirects a native post back to the page. The URL's fragment tells the page which outcome to show. */
  function showOutcome(c: Context, outcome: string): Response {
    // Must match the page's header. Otherwise, the browser switches processes, and Back may show empty fields.
    c.header('Cross-Origin-Opener-Policy', 'same-origin')
    return c.redirect(`${readPageOrigin(c, env) ?? ''}/#estimate-${outcome}`, 303)
  }

  async function handleForm(c: Context): Promise<Response> {
    if (readPageOrigin(c, env) === undefined) {
      const { origin: seen = null, host = null } = c.req.header()
      faults.report(
        'form origin',
        { seen, host },
        'rejected a form post from another origin: check PUBLIC_URL and ALLOWED_ORIGINS',
      )
      return showOutcome(c, 'failed')
    }
    const client = readClient(c)
    const sent = await readFormLead(c, { client: client.address, now: now() })
    if (typeof sent === 'string') return showOutcome(c, sent)
    let result = await acceptLead({ ...sent, keys: [...sent.formKeys, ...sent.keys] }, client)
    // Some autofill tools change fields without an input event, so the key may belong to a different lead.
    if (result === refusals.keyReused) result = await acceptLead(sent, client)
    if ('status' in result) return showOutcome(c, 'failed')
    const promiseStartAt = result.callBy - context.hours().promiseMinutes * minuteMs
    return showOutcome(c, promiseStartAt > now() ? 'received-closed' : 'received')
  }

  function hasKey(c: Context): boolean {
    const bearer = c.req.header('authorization')?.match(/^bearer\s+(.+)$/i)?.[1]
    return env.anonKeys.includes(c.req.header('apikey') ?? bearer ?? '')
  }

  return app
}

/** Returns true if pages from this origin may call the function. */
const isAllowedOrigin = (c: Context, origin: string, settings: OriginSettings): boolean =>
  isOwnHost(c, origin) ||
  origin === new URL(settings.publicUrl).origin ||
  settings.allowedOrigins.includes(origin)

// Compare only the host, because behind a proxy that terminates TLS, the server sees http instead of https.
const isOwnHost = (c: Context, origin: string): boolean =>
  URL.canParse(origin) && new URL(origin).host === c.req.header('host')

/**
 * Returns the origin of the page that posted a form, for the redirect back: '' for our own page,
 * undefined for an origin that is not allowed.
 */
function readPageOrigin(c: Context, settings: OriginSettings): string | undefined {
  const { origin: sent, referer = '', 'sec-fetch-site': site } = c.req.header()
  // Browsers send "null" when the page's referrer policy hides the origin.
  const ofReferer = URL.canParse(referer) ? new URL(referer).origin : ''
  const origin = sent && sent !== 'null' ? sent : ofReferer
  if (origin === '') return site === 'same-origin' ? '' : undefined
  if (isOwnHost(c, origin)) return ''
  return isAllowedOrigin(c, origin, settings) ? origin : undefined
}
