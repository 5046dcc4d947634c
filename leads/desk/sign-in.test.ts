import { describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { createTestDesk, deskUrl, findToken } from '#testing/desk.ts'
import { describeDevice, makeLink } from './sign-in.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const sam = 'sam.hill@example.com'

describe.each(engines)('signing in on %s', (engine) => {
  const open = async () => createTestDesk(await openTestDatabase(engine))
  const ask = (desk: Awaited<ReturnType<typeof open>>, email: string, client = '198.51.100.1') =>
    desk.call('POST', '/api/sign-in', { body: { email }, headers: { 'test-client': client } })

  it('emails a link that works once, only to people who may sign in', async () => {
    const desk = await open()
    const known = await ask(desk, ' Sam.Hill@Example.com ')
    const unknown = await ask(desk, 'stranger@example.com')
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
    expect(desk.mails.map(({ email }) => email)).toEqual([sam])
    const token = findToken(desk.mails[0]?.link ?? '')

    const headers = { 'user-agent': 'Mozilla/5.0 (Android 16) Chrome/150' }
    expect((await desk.redeemLink(token, { person: ' ' })).status).toBe(400)
    const entered = await desk.redeemLink(token, { person: 'Sam', headers })
    expect(entered.headers.get('set-cookie')).toMatch(
      /^__Host-desk=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    expect((await desk.redeemLink(token)).status).toBe(403)
    const cookie = entered.headers.get('set-cookie')?.split(';')[0]
    expect((await desk.call('GET', '/api/people', { cookie })).json.sessions).toMatchObject([
      { email: sam, person: 'Sam', device: 'Chrome on Android', isThis: true },
    ])
    expect(JSON.stringify(desk.log.entries)).not.toContain('example.com')
  })

  it('rejects forged, expired, and malformed links', async () => {
    const desk = await open()
    await ask(desk, sam)
    desk.clock.at += 15 * minuteMs
    const expired = findToken(desk.mails[0]?.link ?? '')
    for (const token of [expired, 'x'.repeat(43), '', "' or 1=1 --"])
      expect((await desk.redeemLink(token)).status).toBe(403)
    expect((await desk.redeemLink('x'.repeat(100_000))).status).toBe(400)
    for (const body of [undefined, [], { token: 7 }, 'x'])
      expect((await desk.call('POST', '/api/session', { body })).status).toBe(400)
  })

  it('limits requests per client, per network, and in total, even in parallel', async () => {
    const desk = await open()
    const askFrom = (client: (at: number) => string, times: number) =>
      Promise.all(Array.from({ length: times }, (_, at) => ask(desk, sam, client(at))))
    const answers = await askFrom(() => '198.51.100.1', 15)
    expect(new Set(answers.map(({ text }) => text))).toEqual(new Set(['{"ok":true}']))
    expect(desk.mails).toHaveLength(10)
    await askFrom((at) => `198.51.100.${at}`, 40)
    expect(desk.mails).toHaveLength(30)
    await askFrom((at) => `2001:db8:${at}:1::/64`, 400)
    expect(desk.mails).toHaveLength(300)
    desk.clock.at += 15 * minuteMs
    for (let at = 0; at < 11; at++) await ask(desk, sam)
    expect(desk.mails).toHaveLength(310)
    // The server's clock was wrong and is corrected.
    desk.clock.at -= 60 * minuteMs
    await ask(desk, sam)
    expect(desk.mails).toHaveLength(311)
  })

  it('does not let strangers use up the owner’s links, and stores nothing for unknown addresses', async () => {
    const db = await openTestDatabase(engine)
    const desk = createTestDesk(db)
    await ask(desk, sam)
    for (let at = 0; at < 9; at++) await ask(desk, sam, '192.0.2.1')
    for (let at = 0; at < 10; at++) await ask(desk, `nobody-${at}@example.com`, '192.0.2.2')
    await ask(desk, sam)
    const own = [desk.mails.at(0), desk.mails.at(-1)]
    const links = () => db.kysely.selectFrom('desk_links').selectAll().execute()
    expect(await links()).toHaveLength(11)
    for (const mail of own)
      expect((await desk.redeemLink(findToken(mail?.link ?? ''))).status).toBe(200)
    desk.clock.at += 15 * minuteMs
    await ask(desk, sam)
    expect(await links()).toHaveLength(1)
  })

  it('extends a session that is used, and ends it after 30 days without use', async () => {
    const desk = await open()
    const look = (cookie: string) => desk.call('GET', '/api/today', { cookie })
    const cookie = await desk.signIn()
    expect((await look(cookie)).headers.get('set-cookie')).toBeNull()
    for (let month = 0; month < 3; month++) {
      desk.clock.at += 29 * dayMs
      const { status, headers } = await look(cookie)
      expect(status).toBe(200)
      expect(headers.get('set-cookie')).toContain(`${cookie}; Max-Age=2592000;`)
    }
    desk.clock.at += 30 * dayMs
    expect((await look(cookie)).status).toBe(401)
  })

  it('ends sessions one by one or all at once', async () => {
    const desk = await open()
    const look = async (cookie: string) => (await desk.call('GET', '/api/today', { cookie })).status
    const [phone, laptop, stolen] = [await desk.signIn(), await desk.signIn(), await desk.signIn()]
    const { json } = await desk.call('GET', '/api/people', { cookie: laptop })
    const own = json.sessions.find(({ isThis }: { isThis: boolean }) => isThis)
    await desk.call('DELETE', `/api/sessions/${own.id}`, { cookie: phone })
    expect([await look(laptop), await look(phone)]).toEqual([401, 200])
    await desk.call('DELETE', '/api/sessions/all', { cookie: phone })
    expect([await look(phone), await look(stolen)]).toEqual([401, 401])
    const last = await desk.signIn()
    const left = await desk.call('DELETE', '/api/session', { cookie: last })
    expect(left.headers.get('set-cookie')).toMatch(/^__Host-desk=; Max-Age=0/)
    expect(await look(last)).toBe(401)
  })

  it('ends the sessions of addresses removed from the settings', async () => {
    const db = await openTestDatabase(engine)
    const desk = createTestDesk(db)
    const cookie = await desk.signIn()
    const look = async (at: ReturnType<typeof createTestDesk>) =>
      (await at.call('GET', '/api/today', { cookie })).status
    expect(await look(createTestDesk(db, { env: { DESK_EMAIL_TO: 'alex@example.com' } }))).toBe(401)
    expect(await look(desk)).toBe(200)
  })

  it('invalidates unused links with “Sign out everywhere”', async () => {
    const desk = createTestDesk(await openTestDatabase(engine))
    const cookie = await desk.signIn()
    await ask(desk, sam)
    await desk.call('DELETE', '/api/sessions/all', { cookie })
    expect((await desk.redeemLink(findToken(desk.mails[0]?.link ?? ''))).status).toBe(403)
  })

  it('stores only hashes', async () => {
    const db = await openTestDatabase(engine)
    const desk = createTestDesk(db)
    await ask(desk, sam)
    const cookie = await desk.signIn()
    const stored = JSON.stringify([
      await db.kysely.selectFrom('desk_links').selectAll().execute(),
      await db.kysely.selectFrom('desk_sessions').selectAll().execute(),
    ])
    expect(stored).not.toContain(findToken(desk.mails[0]?.link ?? ''))
    expect(stored).not.toContain(cookie.split('=')[1])
  })
})

it('responds before it looks up the address and sends the email', async () => {
  const later: (() => Promise<void>)[] = []
  const db = await openTestDatabase('sqlite')
  const desk = createTestDesk(db, { runLater: (work) => later.push(work) })
  await desk.call('POST', '/api/sign-in', { body: { email: sam } })
  expect(await db.kysely.selectFrom('desk_links').selectAll().execute()).toEqual([])
  for (const work of later) await work()
  expect(desk.mails).toHaveLength(1)
})

it('signs in two people under their own names with links from the server', async () => {
  const db = await openTestDatabase('sqlite')
  const desk = createTestDesk(db)
  for (const person of ['Sam', 'Dana']) {
    const link = await makeLink(db, { url: deskUrl, now: desk.clock.at })
    await desk.redeemLink(findToken(link), { person })
  }
  const { sessions } = (await desk.call('GET', '/api/people', { cookie: await desk.signIn() })).json
  expect(sessions.map(({ person }: { person: string }) => person).sort()).toEqual([
    'Dana',
    'Sam',
    'Sam Hill',
  ])
})

it('includes the port in the cookie name without TLS', async () => {
  const desk = createTestDesk(await openTestDatabase('sqlite'), {
    env: { DESK_URL: 'http://localhost:4321' },
  })
  expect(await desk.signIn()).toMatch(/^desk-4321=/)
})

it('explains how to sign in if the desk cannot send email', async () => {
  const desk = createTestDesk(await openTestDatabase('sqlite'), { sendLink: undefined })
  const { status, message } = await desk.call('POST', '/api/sign-in', { body: { email: sam } })
  expect([status, message]).toEqual([503, expect.stringContaining('npm run leads -- desk')])
})

it.each([
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_4) Version/18.4 Safari/604.1', 'Safari on iPhone'],
  ['Mozilla/5.0 (Windows NT 10.0) Chrome/150 Safari/537.36 Edg/150', 'Edge on Windows'],
  ['', 'A browser on an unknown device'],
])('describes a device by %j', (userAgent, device) => {
  expect(describeDevice(userAgent)).toBe(device)
})
