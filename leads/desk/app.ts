import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { compress } from 'hono/compress'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { HTTPException } from 'hono/http-exception'
import { matchedRoutes } from 'hono/route'
import * as v from 'valibot'
import { computeNetwork } from '../client-address.ts'
import { formatAt } from '../clock.ts'
import { NotErased } from '../delivery/erase-everywhere.ts'
import { createRepeatLog } from '../log.ts'
import { listCrew } from '../store/people.ts'
import { endSessions, linkMs, sessionMs } from '../store/sign-in.ts'
import { withTimeout } from '../with-timeout.ts'
import { addAddRoute } from './add-route.ts'
import { addDeviceRoutes } from './device-routes.ts'
import { addEventRoutes } from './event-routes.ts'
import { addLeadRoutes } from './lead-routes.ts'
import {
  addPeopleRoutes,
  badEmail,
  cannotSendLink,
  explainNoLink,
  nameRule,
  nameSchema,
} from './people-routes.ts'
import { isListed, mayUse, routes } from './roles.ts'
import {
  type DeskApp,
  type DeskContext,
  draftPath,
  type PageElsewhere,
  readBody,
  refuse,
  type SignInLink,
} from './routes.ts'
import {
  chooseSecret,
  describeDevice,
  readLink,
  readSession,
  redeemCode,
  redeemLink,
  sendSignIn,
} from './sign-in.ts'
import { readToday } from './today.ts'

export function createDesk(context: DeskContext): DeskApp {
  const { db, now, log, url } = context
  const warn = createRepeatLog(log, now)
  const address = new URL(url)
  const isSecure = address.protocol === 'https:'
  // Browsers accept __Host- only over TLS. All ports on a host share cookies, so include the port to separate two desks
  // on one machine.
  const cookieName = isSecure ? '__Host-desk' : `desk-${address.port}`
  // The code from the email works only in the browser that has this cookie.
  const secretName = `${cookieName}-code`
  const { deskEmails, ownerEmails } = context.env
  const app: DeskApp = new Hono()
  const setSecretCookie = (c: Context, name: string, token: string, keptMs: number) =>
    setCookie(c, name, token, {
      path: '/',
      httpOnly: true,
      sameSite: 'Strict',
      secure: isSecure,
      maxAge: keptMs / 1000,
    })
  const setSessionCookie = (c: Context, token: string) =>
    setSecretCookie(c, cookieName, token, sessionMs)
  const findSession = async (c: Context, isAutomatic = false) => {
    const token = getCookie(c, cookieName)
    const session = await readSession(db, token, {
      deskEmails,
      ownerEmails,
      now: now(),
      isAutomatic,
    })
    if (token && session?.isExtended) setSessionCookie(c, token)
    return session
  }

  const readDevice = (c: Context) => describeDevice(c.req.header('user-agent') ?? '')

  /** Reads the crew list even for an email in .env, so that the response time does not show who is listed there. */
  const canSignIn = async (email: string) =>
    [...(await listCrew(db)), ...deskEmails].includes(email)

  const readBrowser = (c: Context, secret: string) => ({
    secret,
    network: computeNetwork(context.readClientAddress(c)),
  })

  async function sendLinkTo(
    email: string,
    { device, ...browser }: { device: string; secret: string; network: string },
    sendLink: NonNullable<DeskContext['sendLink']>,
  ): Promise<void> {
    if (!(await canSignIn(email)))
      return warn({ device }, 'rejected a sign-in by an unknown email address')
    const requester = `Someone using ${device.replace(/^A/, 'a')}`
    const isSent = await sendSignIn(db, { url, email, requester, ...browser, now: now() }, sendLink)
    if (!isSent) warn({ device }, 'sent no sign-in link, because too many unused ones still work')
  }

  function rejectLink(c: Context): Response {
    const device = readDevice(c)
    warn({ device }, 'rejected a sign-in link that is forged, used, or expired')
    return refuse(c, 403, badLink)
  }

  function enter(c: Context, token: string): Response {
    setSessionCookie(c, token)
    log.info({ device: readDevice(c) }, 'signed in to the desk')
    return c.json({ ok: true })
  }
  const readSessionStart = (c: Context, person: string) => ({
    person,
    device: readDevice(c),
    earlierToken: getCookie(c, cookieName),
    now: now(),
  })

  app.use(async (c, next) => {
    const requested = new URL(c.req.url)
    if (requested.host === address.host) return next()
    const isLocal = [requested, address].every(({ hostname }) => loopback.includes(hostname))
    if (isLocal && requested.port === address.port && c.req.method === 'GET')
      return c.redirect(`${address.origin}${requested.pathname}${requested.search}`)
    return c.text(`The desk is at ${url}. If this is wrong, change DESK_URL.\n`, 421)
  })
  app.use('/', compress())
  const limitBody = (maxSize: number) =>
    bodyLimit({ maxSize, onError: (c) => refuse(c, 400, tooLong) })
  const [limitDraft, limitOthers] = [limitBody(maxDraftBytes), limitBody(maxBodyBytes)]
  app.use('/api/*', (c, next) => (c.req.path === draftPath ? limitDraft : limitOthers)(c, next))
  app.use('/api/*', async (c, next) => {
    c.header('Cache-Control', 'no-store')
    c.header('X-Content-Type-Options', 'nosniff')
    // PostgreSQL cannot store NUL.
    if (c.req.path.includes('\0')) return refuse(c, 400, 'Invalid URL.')
    // Another site could make the browser send the cookie, but it cannot forge this header.
    if (c.req.method !== 'GET' && c.req.header('origin') !== address.origin)
      return refuse(c, 403, 'This request came from another site.')
    await next()
  })
  app.use(async (c, next) => {
    // Skip middleware and static files, which are registered for all methods.
    const matched = matchedRoutes(c).find(({ method }) => method !== 'ALL')
    if (!matched) return c.req.path.startsWith('/api/') ? refuse(c, 404, 'Not found.') : next()
    const route = `${matched.method} ${matched.path}`
    if (!isListed(route)) return refuse(c, 403, unlisted)
    if (routes[route] === 'everyone') return next()
    // The service worker's reports do not extend the session, because the service worker sends
    // them even if nobody is using the desk.
    const session = await findSession(c, route === 'POST /api/notifications')
    if (!session) return refuse(c, 401, 'Please sign in.')
    if (!mayUse(session.role, route)) return refuse(c, 403, ownersOnly)
    c.set('session', session)
    return next()
  })
  app.get('/', async (c) => {
    const read = async () => {
      const session = await findSession(c)
      return session && readToday(session, context)
    }
    // If the database hangs, send the page without leads; the desk then shows the problem.
    const today = await withTimeout(pageTimeoutMs, read, context.timers).catch(() => undefined)
    return context.sendPage(c, today)
  })
  app.post('/api/sign-in', async (c) => {
    const { sendLink } = context
    if (!sendLink) return refuse(c, 503, cannotSendLink)
    const { email } = await readBody(c, requestSchema, badEmail)
    const secret = chooseSecret(getCookie(c, secretName))
    setSecretCookie(c, secretName, secret, linkMs)
    const browser = { device: readDevice(c), ...readBrowser(c, secret) }
    // The response time must not reveal who can sign in.
    context.runLater(() =>
      sendLinkTo(email, browser, sendLink).catch(() => {
        log.error({}, 'cannot send a sign-in link; check SMTP_URL')
      }),
    )
    const fault = await context.findMailFault()
    return fault === undefined ? c.json({ ok: true }) : refuse(c, 503, explainNoLink(fault))
  })
  app.post('/api/link', async (c) => {
    const { token } = await readBody(c, v.object({ token: v.string() }), badLink)
    const link = await readLink(db, token, now())
    if (!link) return rejectLink(c)
    const requestedAt = formatAt(link.requestedAt, {
      now: now(),
      timeZone: context.hours().timeZone,
    })
    return c.json({ ...link, requestedAt } satisfies SignInLink)
  })
  app.post('/api/session', async (c) => {
    const body = await readBody(c, v.object({ token: v.string(), person: nameSchema }), nameRule)
    const token = await redeemLink(db, body.token, readSessionStart(c, body.person))
    return token ? enter(c, token) : rejectLink(c)
  })
  app.post('/api/code', async (c) => {
    const { email, code, person } = await readBody(c, codeSchema, nameRule)
    if (!/^\d{6}$/.test(code)) return refuse(c, 400, 'Enter the six digits from the email.')
    const browser = readBrowser(c, getCookie(c, secretName) ?? '')
    const sent = { email, code, ...browser, canSignIn: await canSignIn(email) }
    const token = await redeemCode(db, sent, readSessionStart(c, person))
    if (token) return enter(c, token)
    warn({ device: readDevice(c) }, 'rejected a sign-in code')
    return refuse(c, 403, badCode)
  })
  app.delete('/api/session', async (c) => {
    await endSessions(db, c.var.session.id)
    deleteCookie(c, cookieName, { path: '/', secure: isSecure })
    return c.json({ ok: true })
  })
  addPeopleRoutes(app, context)
  addLeadRoutes(app, context)
  addAddRoute(app, context)
  addEventRoutes(app, context)
  addDeviceRoutes(app, context)
  if (context.addPageRoutes) context.addPageRoutes(app, context)
  else app.get('/api/page', (c) => c.json(elsewhere satisfies PageElsewhere))
  app.onError((error, c) => {
    if (error instanceof HTTPException) return refuse(c, 400, error.message)
    if (error instanceof NotErased) return refuse(c, 409, error.message, 'not-erased')
    const place = error.stack?.split('\n').find((line) => line.trim().startsWith('at '))
    log.error({ error: error.name, place: place?.trim() }, 'the desk failed unexpectedly')
    return refuse(
      c,
      503,
      'The desk can’t load or save anything right now. Please try again in a minute.',
    )
  })
  return app
}

const maxBodyBytes = 4_096
// Longer than the longest valid page, so that the server accepts a draft with a text that is too long, and the form can
// point that text out.
const maxDraftBytes = 512_000
const elsewhere = {
  isHere: false,
  message:
    'This site’s page is built from a file, so you can’t change it here. Ask the person who set up this site to change it.',
} as const
const ownersOnly = 'Only owners can do this. Ask an owner to make you an owner under People.'
const unlisted = 'This URL can’t be used, because leads/desk/roles.ts doesn’t list it.'
const tooLong = 'This is too long. Shorten it and try again.'
const badLink = 'This link was already used or has expired. Request a new one.'
const badCode = 'This code is wrong or has expired.'
const requestSchema = v.object({
  email: v.pipe(v.string(), v.maxLength(254), v.trim(), v.toLowerCase()),
})
const codeSchema = v.object({
  ...requestSchema.entries,
  code: v.pipe(
    v.string(),
    v.maxLength(20),
    v.transform((code) => code.replace(/[\s-]/g, '')),
  ),
  person: nameSchema,
})
const pageTimeoutMs = 1_500
// Names of this machine, for which browsers keep separate cookies.
const loopback = ['localhost', '127.0.0.1', '[::1]']
