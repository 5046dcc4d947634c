import type { Context } from '#leads/context.ts'
import { createDesk } from '#leads/desk/app.ts'
import type { DeskContext, Invitation } from '#leads/desk/routes.ts'
import { type SignInEmail, sendSignIn } from '#leads/desk/sign-in.ts'
import type { EventKind } from '#leads/history.ts'
import { listDevices } from '#leads/store/push-devices.ts'
import type { Database, Engine } from '#leads/store/tables.ts'
import { openTestDatabase } from './database.ts'
import { type ContextOptions, createTestContext } from './delivery.ts'
import { makeSettings } from './settings.ts'

export const deskUrl = 'https://desk.example'

type Call = {
  cookie?: string | undefined
  body?: unknown
  headers?: Record<string, string>
  /** Replaces the desk's URL. */
  url?: string
}

const variables = {
  DESK_URL: deskUrl,
  DESK_EMAIL_TO: 'sam.hill@example.com,alex@example.com',
}

type Options = Partial<Omit<DeskContext, keyof Context>> &
  Pick<ContextOptions, 'fetch' | 'hours'> & { env?: Record<string, string> }

/** Opens a desk, by default on an empty database. Sam Hill is signed in. */
export async function openTestDesk(on: Engine | Database = 'sqlite', options?: Options) {
  const db = typeof on === 'string' ? await openTestDatabase(on) : on
  const desk = createTestDesk(db, options)
  const cookie = await desk.signIn()
  const get = async (path: string, as = cookie) =>
    (await desk.call('GET', path, { cookie: as })).json
  const post = (path: string, body?: object, as = cookie) =>
    desk.call('POST', path, { cookie: as, body })
  /** Presses a button on a page that shows the current state, unless `version` is given. */
  const press = async (id: string, kind: EventKind, more: object = {}, as = cookie) => {
    const { lead } = await get(`/api/leads/${id}`)
    const body = { id: crypto.randomUUID(), kind, version: lead?.version, ...more }
    return post(`/api/leads/${id}/events`, body, as)
  }
  return { ...desk, db, cookie, get, post, press }
}

/** Creates a desk on a test database, with an adjustable clock and a mailbox. */
export function createTestDesk(db: Database, { env, fetch, hours, ...changes }: Options = {}) {
  const settings = makeSettings({ ...variables, ...env })
  const { context, clock, log } = createTestContext(db, settings, { fetch, hours })
  const mails: ({ email: string } & SignInEmail)[] = []
  const invitations: ({ email: string } & Invitation)[] = []
  const wakes: number[] = []
  const later: Promise<void>[] = []
  // The context reads devices once per turn of the event loop, but a test may send several requests in one turn.
  const readDevices = () => listDevices(db, { ...settings, now: clock.at })
  const ownUrl = settings.desk?.url ?? deskUrl
  const app = createDesk({
    ...context,
    readDevices,
    url: ownUrl,
    listWarnings: async () => [],
    sendLink: async (email, content) => {
      mails.push({ email, ...content })
    },
    findMailFault: async () => undefined,
    readClientAddress: (c) => c.req.header('test-client') ?? '203.0.113.7',
    sendInvitation: async (email, content) => {
      invitations.push({ email, ...content })
    },
    runLater: (work) => void later.push(work()),
    wake: () => wakes.push(clock.at),
    sendPage: (c, today) => c.text(JSON.stringify(today ?? {})),
    ...changes,
  })
  const call = async (method: string, path: string, { cookie, body, headers, url }: Call = {}) => {
    const response = await app.request((url ?? ownUrl) + path, {
      method,
      headers: {
        ...(method !== 'GET' && { origin: ownUrl }),
        ...(cookie && { cookie }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    await Promise.all(later)
    const text = await response.text()
    const json = text.startsWith('{') ? JSON.parse(text) : undefined
    const { status, headers: answered } = response
    return { status, headers: answered, text, json, message: json?.error?.message }
  }
  const redeemLink = (
    token: string,
    { person = 'Sam Hill', ...rest }: Omit<Call, 'body'> & { person?: string } = {},
  ) => call('POST', '/api/session', { body: { token, person }, ...rest })
  /** Signs in as this person. Returns the cookie. */
  const signIn = async (email = 'sam.hill@example.com', cookie?: string) => {
    let link = ''
    await sendSignIn(
      db,
      { url: deskUrl, email, requester: '', secret: '', network: '', now: clock.at },
      async (_, sent) => {
        link = sent.link
      },
    )
    const person = email === 'alex@example.com' ? 'Alex' : 'Sam Hill'
    const entered = await redeemLink(findToken(link), { person, cookie })
    return entered.headers.get('set-cookie')?.split(';')[0] ?? ''
  }
  return { app, settings, call, redeemLink, signIn, clock, mails, invitations, wakes, log }
}

export const findToken = (link: string) => link.split('#enter=')[1] ?? ''
