import { describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { createTestDesk, findToken } from '#testing/desk.ts'
import { describeDevice } from './sign-in.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const sam = 'sam.hill@example.com'

describe.each(engines)('signing in on %s', (engine) => {
  const open = async () => createTestDesk(await openTestDatabase(engine))
  const ask = (desk: Awaited<ReturnType<typeof open>>, email: string, client = '198.51.100.1') =>
    desk.call('POST', '/api/sign-in', { body: { email }, headers: { 'test-client': client } })

  it('mails a link that opens the desk once, to whoever may have one', async () => {
    const desk = await open()
    const known = await ask(desk, ' Sam.Hill@Example.com ')
    const unknown = await ask(desk, 'stranger@example.com')
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
    expect(desk.mails.map(({ email }) => email)).toEqual([sam])
    const token = findToken(desk.mails[0]?.link ?? '')

    const entered = await desk.redeemLink(token, {
      'user-agent': 'Mozilla/5.0 (Android 16) Chrome/150',
    })
    expect(entered.json.me).toMatchObject({ email: sam, person: 'Sam Hill' })
    expect(entered.headers.get('set-cookie')).toMatch(
      /^__Host-desk=[\w-]{43}; Max-Age=2592000; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    )
    expect((await desk.redeemLink(token)).status).toBe(403)
    const cookie = entered.headers.get('set-cookie')?.split(';')[0]
    expect((await desk.call('GET', '/api/sessions', { cookie })).json.sessions).toMatchObject([
      { person: 'Sam Hill', device: 'Chrome on Android', isThis: true },
    ])
    expect(JSON.stringify(desk.log.entries)).not.toContain('example.com')
  })

  it('opens nothing for forged, expired and useless links', async () => {
    const desk = await open()
    await ask(desk, sam)
    desk.clock.at += 15 * minuteMs
    const expired = findToken(desk.mails[0]?.link ?? '')
    for (const token of [expired, 'x'.repeat(43), '', "' or 1=1 --"])
      expect((await desk.redeemLink(token)).status).toBe(403)
    expect((await desk.redeemLink('x'.repeat(100_000))).status).toBe(400)
    for (const body of [undefined, [], { token: 7 }, 'x'])
      expect((await desk.call('POST', '/api/session', { body })).status).toBe(403)
  })

  it('mails at most three links for an address, and asks of one client at most ten', async () => {
    const desk = await open()
    for (let at = 0; at < 6; at++) expect((await ask(desk, sam)).status).toBe(200)
    expect(desk.mails).toHaveLength(3)
    for (let at = 0; at < 10; at++) await ask(desk, `nobody-${at}@example.com`, '198.51.100.2')
    expect((await ask(desk, 'alex@example.com', '198.51.100.2')).status).toBe(200)
    expect(desk.mails).toHaveLength(3)
    await ask(desk, 'alex@example.com', '198.51.100.3')
    expect(desk.mails).toHaveLength(4)
    desk.clock.at += 15 * minuteMs
    await ask(desk, sam)
    expect(desk.mails).toHaveLength(5)
  })

  it('ends a session after 30 days, one by one or all at once', async () => {
    const desk = await open()
    const look = async (cookie: string) => (await desk.call('GET', '/api/today', { cookie })).status
    const old = await desk.signIn()
    desk.clock.at += 30 * dayMs
    expect(await look(old)).toBe(401)

    const [phone, laptop, stolen] = [await desk.signIn(), await desk.signIn(), await desk.signIn()]
    const { json } = await desk.call('GET', '/api/sessions', { cookie: laptop })
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

  it('lets out who may no longer enter, and no unused link survives signing out everywhere', async () => {
    const db = await openTestDatabase(engine)
    const desk = createTestDesk(db)
    const cookie = await desk.signIn()
    const look = async (at: ReturnType<typeof createTestDesk>) =>
      (await at.call('GET', '/api/today', { cookie })).status
    expect(await look(createTestDesk(db, { env: { DESK_EMAIL_TO: 'alex@example.com' } }))).toBe(401)
    expect(await look(desk)).toBe(200)
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

it('says what to do where no mail can be sent, whoever asks', async () => {
  const desk = createTestDesk(await openTestDatabase('sqlite'), { sendLink: undefined })
  const { status, message } = await desk.call('POST', '/api/sign-in', { body: { email: sam } })
  expect([status, message]).toEqual([503, expect.stringContaining('npm run leads -- desk')])
})

it.each([
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_4) Version/18.4 Safari/604.1', 'Safari on iPhone'],
  ['Mozilla/5.0 (Windows NT 10.0) Chrome/150 Safari/537.36 Edg/150', 'Edge on Windows'],
  ['', 'A browser on an unknown device'],
])('tells a device by %j', (userAgent, device) => {
  expect(describeDevice(userAgent)).toBe(device)
})
