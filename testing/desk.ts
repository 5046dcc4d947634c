import { createDesk, type DeskOptions } from '#leads/desk/app.ts'
import { makeLink } from '#leads/desk/sign-in.ts'
import type { Database } from '#leads/store/tables.ts'
import { createTestLog } from './log.ts'
import { testTime } from './saved-leads.ts'

export const deskUrl = 'https://desk.example'

type Call = { cookie?: string | undefined; body?: unknown; headers?: Record<string, string> }

/** The desk on a test's database, with a clock to move and a mailbox to look into. */
export function createTestDesk(db: Database, changes: Partial<DeskOptions> = {}) {
  const log = createTestLog()
  const clock = { at: testTime }
  const mails: { email: string; link: string }[] = []
  const wakes: number[] = []
  const { app, routes } = createDesk({
    db,
    url: deskUrl,
    mayEnter: ['sam.hill@example.com', 'alex@example.com'],
    timeZone: 'America/Chicago',
    findReceivers: async () => new Map(),
    fetch,
    push: { deskUrl, subject: 'mailto:site@example.com', services: [] },
    escalateAfterMinutes: [4, 8],
    findWarnings: async () => [],
    sendLink: async (email, link) => {
      mails.push({ email, link })
    },
    erase: async () => 'Erased.',
    wake: () => wakes.push(clock.at),
    sendPage: (c, today) => c.text(JSON.stringify(today ?? {})),
    findClientAddress: (c) => c.req.header('test-client') ?? '203.0.113.7',
    now: () => clock.at,
    log,
    ...changes,
  })
  const call = async (method: string, path: string, { cookie, body, headers }: Call = {}) => {
    const response = await app.request(path, {
      method,
      headers: {
        ...(method !== 'GET' && { origin: deskUrl }),
        ...(cookie && { cookie }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = text.startsWith('{') ? JSON.parse(text) : undefined
    const { status, headers: answered } = response
    return { status, headers: answered, text, json, said: json?.error?.message }
  }
  const enter = (token: string, headers?: Record<string, string>, cookie?: string) =>
    call('POST', '/api/session', { body: { token }, cookie, ...(headers && { headers }) })
  /** Signs in as this person. Returns the cookie. */
  const signIn = async (email = 'sam.hill@example.com', cookie?: string) => {
    const link = await makeLink(db, { url: deskUrl, mayEnter: [email], now: clock.at })
    const entered = await enter(findToken(link), undefined, cookie)
    return entered.headers.get('set-cookie')?.split(';')[0] ?? ''
  }
  return { app, routes, call, enter, signIn, clock, mails, wakes, log }
}

export const findToken = (link: string) => link.split('#enter=')[1] ?? ''
