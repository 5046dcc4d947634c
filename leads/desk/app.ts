import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { compress } from 'hono/compress'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { HTTPException } from 'hono/http-exception'
import { matchedRoutes } from 'hono/route'
import * as v from 'valibot'
import { formatAt } from '../clock.ts'
import { AirtableUnavailable } from '../delivery/erase-everywhere.ts'
import { createRepeatLog } from '../log.ts'
import { endSessions, listCrew, maxUnusedLinks } from '../store/desk-access.ts'
import { sessionMs } from '../store/live-sessions.ts'
import { withTimeout } from '../with-timeout.ts'
import { addAddRoute } from './add-route.ts'
import { addDeviceRoutes } from './device-routes.ts'
import { addEventRoutes } from './event-routes.ts'
import { addLeadRoutes } from './lead-routes.ts'
import { addPageRoutes, draftPath, maxDraftBytes } from './page-routes.ts'
import {
  addPeopleRoutes,
  badEmail,
  cannotSendLink,
  nameRule,
  personSchema,
} from './people-routes.ts'
import { isListed, mayUse, routes } from './roles.ts'
import { type DeskApp, type DeskContext, type DeskHooks, readBody, refuse } from './routes.ts'
import { describeDevice, readLink, readSession, redeemLink, sendNewLink } from './sign-in.ts'
import { readToday } from './today.ts'

export function createDesk(context: DeskContext, hooks: DeskHooks): DeskApp {
  const { db, now, log } = context
  const warn = createRepeatLog(log, now)
  const { url } = context.env.desk
  const address = new URL(url)
  const isSecure = address.protocol === 'https:'
  // Browsers accept __Host- only over TLS. Cookies are shared by all ports of a host, so include the port
  // to separate two desks on one machine.
  const cookieName = isSecure ? '__Host-desk' : `desk-${address.port}`
  const { deskEmails, ownerEmails, timeZone } = context.env
  const app: DeskApp = new Hono()
  const setSessionCookie = (c: Context, token: string) =>
    setCookie(c, cookieName, token, {
      path: '/',
      httpOnly: true,
      sameSite: 'Strict',
      secure: isSecure,
      maxAge: sessionMs / 1000,
    })
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

  async function sendLinkTo(
    email: string,
    device: string,
    sendLink: NonNullable<DeskHooks['sendLink']>,
  ): Promise<void> {
    if (!deskEmails.includes(email) && !(await listCrew(db)).includes(email))
      return warn({ device }, 'rejected a sign-in by an unknown address')
    const requester = `Someone using ${device.replace(/^A/, 'a')}`
    const isSent = await sendNewLink(db, { url, email, requester, now: now() }, sendLink)
    if (!isSent)
      warn({ device }, `sent no sign-in link, because ${maxUnusedLinks} unused ones still work`)
  }

  function rejectLink(c: Context): Response {
    const device = readDevice(c)
    warn({ device }, 'rejected a sign-in link that is forged, used, or expired')
    return refuse(c, 403, badLink)
  }

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
    if (c.req.path.includes('\0')) return refuse(c, 400, 'Invalid address.')
    // Another site can make the browser send the cookie, but cannot forge this header.
    if (c.req.method !== 'GET' && c.req.header('origin') !== address.origin)
      return refuse(c, 403, 'This request came from another site.')
    await next()
  })
  app.use(async (c, next) => {
    // Middleware and static files are registered for all methods.
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
      return session && readToday(session, context, hooks)
    }
    // If the database hangs, send the page without leads; it shows the problem.
    const today = await withTimeout(pageTimeoutMs, read, context.timers).catch(() => undefined)
    return hooks.sendPage(c, today)
  })
  app.post('/api/sign-in', async (c) => {
    const { sendLink } = hooks
    if (!sendLink) return refuse(c, 503, cannotSendLink)
    const { email } = await readBody(c, requestSchema, badEmail)
    const device = readDevice(c)
    // The response time must not reveal who can sign in.
    hooks.runLater(() =>
      sendLinkTo(email, device, sendLink).catch(() => {
        log.error({}, 'cannot send a sign-in link; check SMTP_URL')
      }),
    )
    return c.json({ ok: true })
  })
  app.post('/api/link', async (c) => {
    const { token } = await readBody(c, v.object({ token: v.string() }), badLink)
    const link = await readLink(db, token, now())
    if (!link) return rejectLink(c)
    const requestedAt = formatAt(link.requestedAt, { now: now(), timeZone })
    return c.json({ requester: link.requester, requestedAt })
  })
  app.post('/api/session', async (c) => {
    const body = await readBody(c, v.object({ token: v.string(), person: personSchema }), nameRule)
    const device = readDevice(c)
    const earlierToken = getCookie(c, cookieName)
    const token = await redeemLink(db, { ...body, device, earlierToken, now: now() })
    if (!token) return rejectLink(c)
    setSessionCookie(c, token)
    log.info({ device }, 'signed in to the desk')
    return c.json({ ok: true })
  })
  app.delete('/api/session', async (c) => {
    await endSessions(db, c.var.session.id, now())
    deleteCookie(c, cookieName, { path: '/', secure: isSecure })
    return c.json({ ok: true })
  })
  addPeopleRoutes(app, context, hooks)
  addLeadRoutes(app, context, hooks)
  addAddRoute(app, context, hooks)
  addEventRoutes(app, context, hooks)
  addDeviceRoutes(app, context)
  addPageRoutes(app, context, hooks)
  app.onError((error, c) => {
    if (error instanceof HTTPException) return refuse(c, 400, error.message)
    if (error instanceof AirtableUnavailable)
      return refuse(c, 409, error.message, 'airtable-unavailable')
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
const ownersOnly = 'Only owners can do this. An owner can make you one under People.'
const unlisted = 'This address can’t be used, because leads/desk/roles.ts doesn’t list it.'
const tooLong = 'This is too long. Shorten it and try again.'
const badLink = 'This link was already used or is older than 15 minutes. Request a new one.'
const requestSchema = v.object({
  email: v.pipe(v.string(), v.maxLength(254), v.trim(), v.toLowerCase()),
})
const pageTimeoutMs = 1_500
// Names of this machine, for which browsers keep separate cookies.
const loopback = ['localhost', '127.0.0.1', '[::1]']
