import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { compress } from 'hono/compress'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import * as v from 'valibot'
import type { Log } from '../log.ts'
import { endSessions, listSessions, renamePerson, sessionMs } from '../store/desk-access.ts'
import { giveUpAfter } from '../store/give-up-after.ts'
import { moveDevices } from '../store/push-devices.ts'
import type { Database } from '../store/tables.ts'
import { UserError } from '../user-error.ts'
import { createDeviceRoutes, type DeviceRouteOptions } from './device-routes.ts'
import { createLeadRoutes, type LeadRouteOptions } from './lead-routes.ts'
import { maxBodyBytes, type Route, readBody, refuse } from './routes.ts'
import { describeDevice, enter, readSession, requestLink } from './sign-in.ts'
import { readToday, type Today } from './today.ts'

export type DeskOptions = LeadRouteOptions &
  DeviceRouteOptions & {
    db: Database
    /** The desk's own address, without a slash at the end. */
    url: string
    /** In lower case. */
    mayEnter: readonly string[]
    /** None where no mail server is set up. */
    sendLink: ((email: string, link: string) => Promise<void>) | undefined
    findClientAddress: (c: Context) => string
    /** The desk's page, with today in it for who is signed in. */
    sendPage: (c: Context, today: Today | undefined) => Response
    now: () => number
    log: Log
  }

/** The desk's page and its JSON interface. */
export function createDesk(options: DeskOptions): { app: Hono; routes: readonly Route[] } {
  const { db, url, now, log } = options
  const isSecure = url.startsWith('https:')
  // Browsers take __Host- only over TLS; on a laptop there is none.
  const cookieName = isSecure ? '__Host-desk' : 'desk'
  // Whoever has the machine comes by this name where no address is set up.
  const mayEnter = [...options.mayEnter, 'owner']
  const app = new Hono()
  const findSession = async (c: Context) => {
    const session = await readSession(db, getCookie(c, cookieName), now())
    return session && mayEnter.includes(session.email) ? session : undefined
  }

  const routes: Route[] = [
    {
      method: 'GET',
      path: '/',
      open: true,
      answer: async (c) => {
        const read = async () => {
          const session = await findSession(c)
          return session && readToday(session, options)
        }
        // Without the database the page comes without leads, and says why.
        const today = await giveUpAfter(pagePatienceMs, read).catch(() => undefined)
        return options.sendPage(c, today)
      },
    },
    {
      method: 'POST',
      path: '/api/sign-in',
      open: true,
      answer: async (c) => {
        const { sendLink } = options
        if (!sendLink)
          return refuse(
            c,
            503,
            'This desk cannot send mail: SMTP_URL and ALERT_EMAIL_FROM are not set. On the machine it runs on, this prints a link: npm run leads -- desk',
          )
        const asked = await readBody(c, v.object({ email: v.pipe(v.string(), v.maxLength(254)) }))
        if (!asked) return refuse(c, 400, 'Enter an e-mail address.')
        const email = asked.email.trim().toLowerCase()
        const clientAddress = options.findClientAddress(c)
        const request = { ...options, email, clientAddress, now: now() }
        const link = await requestLink(db, request)
        // Not waited for: how long a mail takes would tell who may sign in.
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
        const entered = await enter(db, { token: asked?.token ?? '', device, now: now() })
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
    ...createLeadRoutes(options),
    ...createDeviceRoutes(options),
  ]

  app.use('/', compress())
  app.use('/api/*', bodyLimit({ maxSize: maxBodyBytes, onError: (c) => refuse(c, 400, tooLong) }))
  app.use('/api/*', async (c, next) => {
    c.header('Cache-Control', 'no-store')
    c.header('X-Content-Type-Options', 'nosniff')
    // A form or a script of another site can send the cookie's browser here, but not say this.
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
    if (error instanceof UserError) return refuse(c, 409, error.message)
    const place = error.stack?.split('\n').find((line) => line.trim().startsWith('at '))
    log.error({ error: error.name, place: place?.trim() }, 'the desk failed unexpectedly')
    return refuse(c, 503, 'The desk cannot reach its database. It tries again by itself.')
  })
  return { app, routes }
}

const tooLong = 'This is too long.'
const pagePatienceMs = 1_500

const describeMe = ({ id, email, person }: { id: string; email: string; person: string }) => ({
  id,
  email,
  person,
})
