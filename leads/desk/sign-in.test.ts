import { expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { createTestDesk, deskUrl, findToken, openTestDesk } from '#testing/desk.ts'
import type { Engine } from '../store/tables.ts'
import { dayMs, minuteMs } from '../time-units.ts'
import { describeDevice, makeLink } from './sign-in.ts'

const sam = 'sam.hill@example.com'

async function open(engine: Engine = 'sqlite') {
  const db = await openTestDatabase(engine)
  const desk = createTestDesk(db)
  const ask = (email: string) => desk.call('POST', '/api/sign-in', { body: { email } })
  const look = (cookie: string) => desk.call('GET', '/api/today', { cookie })
  const readToken = (at = 0) => findToken(desk.mails.at(at)?.link ?? '')
  return { ...desk, db, ask, look, readToken }
}

it('emails a link that works once, only to people who may sign in', async () => {
  const { db, call, redeemLink, mails, log, ask, readToken } = await open()
  const known = await ask(' Sam.Hill@Example.com ')
  const unknown = await ask('stranger@example.com')
  expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
  expect(mails.map(({ email }) => email)).toEqual([sam])
  const token = readToken()
  const links = await db.kysely.selectFrom('deskLinks').selectAll().execute()

  const headers = { 'user-agent': 'Mozilla/5.0 (Android 16) Chrome/150' }
  expect((await redeemLink(token, { person: ' ' })).status).toBe(400)
  const entered = await redeemLink(token, { person: 'Sam', headers })
  expect(entered.headers.get('set-cookie')).toMatch(
    /^__Host-desk=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  )
  expect((await redeemLink(token)).status).toBe(403)
  const [cookie = ''] = entered.headers.get('set-cookie')?.split(';') ?? []
  expect((await call('GET', '/api/people', { cookie })).json.sessions).toMatchObject([
    { email: sam, person: 'Sam', device: 'Chrome on Android', isThis: true },
  ])
  expect(JSON.stringify(log.entries)).not.toContain('example.com')
  // The database stores only hashes of tokens.
  const sessions = await db.kysely.selectFrom('deskSessions').selectAll().execute()
  const stored = JSON.stringify([links, sessions])
  expect(stored).toContain(sam)
  for (const secret of [token, cookie.split('=')[1]]) expect(stored).not.toContain(secret)
})

it('rejects forged, expired, and malformed links', async () => {
  const { call, redeemLink, clock, ask, readToken } = await open()
  await ask(sam)
  clock.at += 15 * minuteMs
  for (const token of [readToken(), 'x'.repeat(43), '', "' or 1=1 --"])
    expect((await redeemLink(token)).status).toBe(403)
  expect((await redeemLink('x'.repeat(100_000))).status).toBe(400)
  for (const body of [undefined, [], { token: 7 }, 'x'])
    expect((await call('POST', '/api/session', { body })).status).toBe(400)
})

it.each(engines)('sends at most three unused links to an address, on %s', async (engine) => {
  const { db, redeemLink, clock, mails, log, ask, readToken } = await open(engine)
  const listLinks = () => db.kysely.selectFrom('deskLinks').selectAll().execute()
  const answers = await Promise.all(Array.from({ length: 8 }, () => ask(sam)))
  for (let at = 0; at < 8; at++) answers.push(await ask(`nobody-${at}@example.com`))
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
  expect(mails).toHaveLength(3)
  expect(await listLinks()).toHaveLength(3)
  expect(log.entries.map(({ message }) => message)).toContain(
    'sent no sign-in link, because too many unused ones still work',
  )
  // Other addresses still get links, and using a link makes room for another.
  await ask('alex@example.com')
  for (const at of [0, 1, 2]) expect((await redeemLink(readToken(at))).status).toBe(200)
  await ask(sam)
  expect(mails.map(({ email }) => email).slice(3)).toEqual(['alex@example.com', sam])
  clock.at += 15 * minuteMs
  await ask(sam)
  expect(await listLinks()).toHaveLength(1)
})

it('does not count a link whose email could not be sent', async () => {
  let isDown = true
  const sent: string[] = []
  const sendLink = async (email: string) => {
    if (isDown) throw new Error('connection refused')
    sent.push(email)
  }
  const { post, log } = await openTestDesk('sqlite', { sendLink })
  const ask = () => post('/api/sign-in', { email: sam })
  for (let at = 0; at < 4; at++) await ask()
  expect(log.entries.filter(({ level }) => level === 'error')).toHaveLength(4)
  isDown = false
  await ask()
  expect(sent).toEqual([sam])
})

it('shows which browser requested a link, and when, without using it up', async () => {
  const { db, call, redeemLink, clock, readToken } = await open()
  const headers = { 'user-agent': 'Mozilla/5.0 (iPhone) Version/18.4 Safari/604.1' }
  await call('POST', '/api/sign-in', { body: { email: sam }, headers })
  clock.at += 5 * minuteMs
  const look = (token: string) => call('POST', '/api/link', { body: { token } })
  const requester = 'Someone using Safari on iPhone'
  const shown = { requester, requestedAt: 'at 6:00 AM CST', isInvitation: false }
  for (let times = 0; times < 2; times++) expect((await look(readToken())).json).toEqual(shown)
  const link = await makeLink(db, { url: deskUrl, now: clock.at })
  expect((await look(findToken(link))).json.requester).toBe('Someone with access to the server')
  expect((await redeemLink(readToken())).status).toBe(200)
  for (const token of [readToken(), 'x'.repeat(43), ''])
    expect((await look(token)).status).toBe(403)
  clock.at += 15 * minuteMs
  expect((await look(findToken(link))).status).toBe(403)
})

it('logs failed sign-ins at most once a minute, without the address or the link', async () => {
  const { redeemLink, call, log, ask, clock } = await open()
  const token = 'x'.repeat(43)
  const device = 'A browser on an unknown device'
  const unknown = 'rejected a sign-in by an unknown email address'
  const rejected = 'rejected a sign-in link that is forged, used, or expired'
  const fail = async () => {
    await ask('stranger@example.com')
    await redeemLink(token)
    await call('POST', '/api/link', { body: { token } })
  }
  for (let times = 0; times < 3; times++) await fail()
  expect(log.entries).toEqual([
    { level: 'warn', fields: { device }, message: unknown },
    { level: 'warn', fields: { device }, message: rejected },
  ])
  clock.at += minuteMs
  await fail()
  expect(log.entries.slice(2)).toEqual([
    { level: 'warn', fields: { device, more: 2 }, message: unknown },
    { level: 'warn', fields: { device, more: 5 }, message: rejected },
  ])
})

it('extends a session that is used, and ends it after 30 days without use', async () => {
  const { call, signIn, clock, look } = await open()
  const cookie = await signIn()
  expect((await look(cookie)).headers.get('set-cookie')).toBeNull()
  for (let month = 0; month < 3; month++) {
    clock.at += 29 * dayMs
    // The service worker's reports do not extend the session.
    const reported = await call('POST', '/api/notifications', { cookie, body: {} })
    expect([reported.status, reported.headers.get('set-cookie')]).toEqual([400, null])
    const { status, headers } = await look(cookie)
    expect(status).toBe(200)
    expect(headers.get('set-cookie')).toContain(`${cookie}; Max-Age=2592000;`)
  }
  clock.at += 30 * dayMs
  expect((await look(cookie)).status).toBe(401)
})

it('ends one session, or all sessions and unused links', async () => {
  const { call, signIn, redeemLink, look, ask, readToken } = await open()
  const listStatuses = (...cookies: string[]) =>
    Promise.all(cookies.map(async (cookie) => (await look(cookie)).status))
  const [phone, laptop, stolen] = [await signIn(), await signIn(), await signIn()]
  const { json } = await call('GET', '/api/people', { cookie: laptop })
  const own = json.sessions.find(({ isThis }: { isThis: boolean }) => isThis)
  await call('DELETE', `/api/sessions/${own.id}`, { cookie: phone })
  expect(await listStatuses(laptop, phone)).toEqual([401, 200])
  await ask(sam)
  await call('DELETE', '/api/sessions', { cookie: phone })
  expect(await listStatuses(phone, stolen)).toEqual([401, 401])
  expect((await redeemLink(readToken())).status).toBe(403)
  const last = await signIn()
  const left = await call('DELETE', '/api/session', { cookie: last })
  expect(left.headers.get('set-cookie')).toMatch(/^__Host-desk=; Max-Age=0/)
  expect(await listStatuses(last)).toEqual([401])
})

it('responds before it looks up the address and sends the email', async () => {
  const later: (() => Promise<void>)[] = []
  const runLater = (work: () => Promise<void>) => later.push(work)
  const { db, post, mails } = await openTestDesk('sqlite', { runLater })
  await post('/api/sign-in', { email: sam })
  expect(await db.kysely.selectFrom('deskLinks').selectAll().execute()).toEqual([])
  for (const work of later) await work()
  expect(mails).toHaveLength(1)
})

it('includes the port in the cookie name without TLS', async () => {
  const env = { DESK_URL: 'http://localhost:4321' }
  expect((await openTestDesk('sqlite', { env })).cookie).toMatch(/^desk-4321=/)
})

it.each([
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_4) Version/18.4 Safari/604.1', 'Safari on iPhone'],
  ['Mozilla/5.0 (Windows NT 10.0) Chrome/150 Safari/537.36 Edg/150', 'Edge on Windows'],
  ['', 'A browser on an unknown device'],
])('describes a device by %j', (userAgent, device) => {
  expect(describeDevice(userAgent)).toBe(device)
})
