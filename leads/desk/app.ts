import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { compress } from 'hono/compress'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import * as v from 'valibot'
import { AirtableUnavailable } from '../delivery/erase-everywhere.ts'
import { endSessions, listSessions, renamePerson, sessionMs } from '../store/desk-access.ts'
import { moveDevices } from '../store/push-devices.ts'
import { withTimeout } from '../with-timeout.ts'
import { createDeviceRoutes } from './device-routes.ts'
import { createLeadRoutes } from './lead-routes.ts'
import {
  type DeskContext,
  type DeskHooks,
  maxBodyBytes,
  type Route,
  readBody,
  refuse,
} from './routes.ts'
import { describeDevice, readSession, redeemLink, requestLink } from './sign-in.ts'
import { readToday } from './today.ts'

/** The desk's page and its JSON API. */
export function createDesk(
  context: DeskContext,
  hooks: DeskHooks,
): { app: Hono; routes: readonly Route[] } {
  const { db, now, log } = context
  const { url } = context.env.desk
  const isSecure = url.startsWith('https:')
  // Browsers accept __Host- only over TLS, which a laptop does not have.
  const cookieName = isSecure ? '__Host-desk' : 'desk'
  // `npm run leads -- desk` signs in under this name if no email address is set.
  const allowedEmails = [...context.env.desk.allowedEmails, 'owner']
  const app = new Hono()
  const findSession = async (c: Context) => {
    const session = await readSession(db, getCookie(c, cookieName), now())
    return session && allowedEmails.includes(session.email) ? session : undefined
  }

  const routes: Route[] = [
    {
      method: 'GET',
      path: '/',
      open: true,
      answer: async (c) => {
        const read = async () => {
          const session = await findSession(c)
          return session && readToday(session, context, hooks)
        }
        // While the database hangs, the page is sent without leads and reports the problem.
        const today = await withTimeout(pageTimeoutMs, read).catch(() => undefined)
        return hooks.sendPage(c, today)
      },
    },
    {
      method: 'POST',
      path: '/api/sign-in',
      open: true,
      answer: async (c) => {
        const { sendLink } = hooks
        if (!sendLink)
          return refuse(
            c,
            503,
            'This desk cannot send mail: SMTP_URL and ALERT_EMAIL_FROM are not set. On the machine it runs on, this prints a link: npm run leads -- desk',
          )
        const asked = await readBody(c, v.object({ email: v.pipe(v.string(), v.maxLength(254)) }))
        if (!asked) return refuse(c, 400, 'Enter an e-mail address.')
        const email = asked.email.trim().toLowerCase()
        const clientAddress = hooks.findClientAddress(c)
        const request = { ...context.env.desk, email, clientAddress, now: now() }
        const link = await requestLink(db, request)
        // Do not wait: how long the mail takes would reveal who may sign in.
        if (link)
          void sendLink(email, link).catch(() => {
            log.error({}, 'a link to the desk could not be sent: see SMTP_URL')
          })
        return c.json({ ok: true })
      },
    },
    {
      method: 'POST',
      path: '/api/session',
      open: true,
      answer: async (c) => {
        const asked = await readBody(c, v.object({ token: v.string() }))
        const device = describeDevice(c.req.header('user-agent') ?? '')
        const entered = await redeemLink(db, { token: asked?.token ?? '', device, now: now() })
        if (!entered)
          return refuse(c, 403, 'This link was used before or is older than 15 minutes.')
        const before = await readSession(db, getCookie(c, cookieName), now())
        if (before) {
          await moveDevices(db, before.id, entered.session.id)
          await endSessions(db, before.id, now())
        }
        setCookie(c, cookieName, entered.sessionToken, {
          path: '/',
          httpOnly: true,
          sameSite: 'Strict',
          secure: isSecure,
          maxAge: sessionMs / 1000,
        })
        log.info({ device }, 'somebody signed in to the desk')
        return c.json({ me: describeMe(entered.session) })
      },
    },
    {
      method: 'DELETE',
      path: '/api/session',
      answer: async (c, session) => {
        await endSessions(db, session.id, now())
        deleteCookie(c, cookieName, { path: '/', secure: isSecure })
        return c.json({ ok: true })
      },
    },
    {
      method: 'PUT',
      path: '/api/me',
      answer: async (c, session) => {
        const name = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(60))
        const asked = await readBody(c, v.object({ person: name }))
        if (!asked) return refuse(c, 400, 'Enter a name of up to 60 letters.')
        await renamePerson(db, session.id, asked.person)
        return c.json({ me: describeMe({ ...session, person: asked.person }) })
      },
    },
    {
      method: 'GET',
      path: '/api/sessions',
      answer: async (c, { id }) => {
        const sessions = await listSessions(db, now())
        return c.json({ sessions: sessions.map((one) => ({ ...one, isThis: one.id === id })) })
      },
    },
    {
      method: 'DELETE',
      path: '/api/sessions/:id',
      answer: async (c) => {
        await endSessions(db, c.req.param('id') ?? '', now())
        return c.json({ ok: true })
      },
    },
    ...createLeadRoutes(context, hooks),
    ...createDeviceRoutes(context),
  ]

  app.use('/', compress())
  app.use('/api/*', bodyLimit({ maxSize: maxBodyBytes, onError: (c) => refuse(c, 400, tooLong) }))
  app.use('/api/*', async (c, next) => {
    c.header('Cache-Control', 'no-store')
    c.header('X-Content-Type-Options', 'nosniff')
    // Another site can make the browser send the cookie, but not this header.
    if (c.req.method !== 'GET' && c.req.header('origin') !== new URL(url).origin)
      return refuse(c, 403, 'This request comes from another page.')
    await next()
  })
  for (const route of routes)
    app.on(route.method, route.path, async (c) => {
      if (route.open) return route.answer(c)
      const session = await findSession(c)
      return session ? route.answer(c, session) : refuse(c, 401, 'Please sign in.')
    })
  app.all('/api/*', (c) => refuse(c, 404, 'There is nothing here.'))
  app.onError((error, c) => {
    if (error instanceof AirtableUnavailable)
      return refuse(c, 409, error.message, 'airtable-unavailable')
    const place = error.stack?.split('\n').find((line) => line.trim().startsWith('at '))
    log.error({ error: error.name, place: place?.trim() }, 'the desk failed unexpectedly')
    return refuse(c, 503, 'The desk cannot reach its database. It tries again by itself.')
  })
  return { app, routes }
}

const tooLong = 'This is too long.'
const pageTimeoutMs = 1_500

const describeMe = ({ id, email, person }: { id: string; email: string; person: string }) => ({
  id,
  email,
  person,
})
