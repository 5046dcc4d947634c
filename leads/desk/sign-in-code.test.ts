import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { findToken, openTestDesk } from '#testing/desk.ts'
import type { Engine } from '../store/tables.ts'
import { dayMs, minuteMs } from '../time-units.ts'

const sam = 'sam.hill@example.com'
const stranger = 'stranger@example.com'

async function open(engine: Engine = 'sqlite') {
  const desk = await openTestDesk(engine)
  const { call, mails } = desk
  /** Asks for an email in a browser with these cookies. Returns the browser's secret. */
  const ask = async (email = sam, cookie?: string, from?: string) => {
    const sent = { body: { email }, cookie, headers: name(from) }
    const { headers } = await call('POST', '/api/sign-in', sent)
    return headers.get('set-cookie')?.split(';')[0] ?? ''
  }
  const enter = (code: string, secret: string, email = sam, from?: string) => {
    const body = { email, code, person: 'Sam' }
    return call('POST', '/api/code', { cookie: secret, body, headers: name(from) })
  }
  const name = (from?: string) => ({ ...(from && { 'test-client': from }) })
  const enterStatus = async (...sent: Parameters<typeof enter>) => (await enter(...sent)).status
  const readCode = (at = 0) => mails[at]?.code ?? ''
  const readToken = (at = 0) => findToken(mails[at]?.link ?? '')
  /** Returns a code that is in no email. */
  const guess = (code = readCode()) => `${(Number(code) + 1) % 1_000_000}`.padStart(6, '0')
  return { ...desk, ask, enter, enterStatus, readCode, readToken, guess }
}

it('emails a code that signs in once, only in the browser that asked for it', async () => {
  const { db, ask, enter, enterStatus, readCode, call, log } = await open()
  const asked = await call('POST', '/api/sign-in', { body: { email: sam } })
  expect(asked.headers.get('set-cookie')).toMatch(
    /^__Host-desk-code=[\w-]{43}; Max-Age=900; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
  )
  const phone = asked.headers.get('set-cookie')?.split(';')[0] ?? ''
  const other = await ask(stranger)
  expect(readCode()).toMatch(/^\d{6}$/)
  const links = await db.kysely.selectFrom('deskLinks').selectAll().execute()
  for (const secret of ['', other, '__Host-desk-code=x'])
    expect(await enterStatus(readCode(), secret)).toBe(403)
  expect(await enterStatus(readCode(), phone, stranger)).toBe(403)

  const spaced = readCode().replace(/^.../, '$& ')
  const { status, headers } = await enter(spaced, phone, ' Sam.Hill@Example.com ')
  expect(status).toBe(200)
  const cookie = headers.get('set-cookie')?.split(';')[0]
  expect((await call('GET', '/api/today', { cookie })).json.me).toMatchObject({
    email: sam,
    person: 'Sam',
  })
  expect(await enterStatus(readCode(), phone)).toBe(403)
  // Neither the database nor the log contains the code or the secret.
  const stored = JSON.stringify([links, log.entries])
  expect(stored).toContain(sam)
  for (const secret of [readCode(), phone.split('=')[1]]) expect(stored).not.toContain(secret)
})

it('lets the code and the link of one email use each other up', async () => {
  const { ask, enterStatus, redeemLink, readCode, readToken } = await open()
  const phone = await ask()
  expect((await redeemLink(readToken())).status).toBe(200)
  expect(await enterStatus(readCode(), phone)).toBe(403)
  // The code in the first of two emails still works, and does not use up the second email.
  await ask(sam, phone)
  await ask(sam, phone)
  expect(await enterStatus(readCode(1), phone)).toBe(200)
  expect((await redeemLink(readToken(1))).status).toBe(403)
  expect((await redeemLink(readToken(2))).status).toBe(200)
})

it('rejects expired and malformed codes', async () => {
  const { ask, enterStatus, enter, readCode, clock } = await open()
  const phone = await ask()
  clock.at += 15 * minuteMs - 1
  for (const code of ['', '12345', '1234567', '１２３４５６', "' or 1=1 --"])
    expect(await enterStatus(code, phone)).toBe(400)
  expect(await enterStatus('1'.repeat(21), phone)).toBe(400)
  const nobody = await enter(readCode(), phone, '')
  expect(nobody.status).toBe(403)
  clock.at += 1
  expect(await enterStatus(readCode(), phone)).toBe(403)
})

it.each(engines)('accepts ten wrong codes a day, then only the link, on %s', async (engine) => {
  const { db, ask, enter, enterStatus, readCode, readToken, guess, redeemLink, clock } =
    await open(engine)
  const phone = await ask()
  // A correct code does not count toward the limit.
  expect(await enterStatus(readCode(), phone)).toBe(200)
  const again = await ask()
  const wrong = await Promise.all(
    Array.from({ length: 10 }, () => enter(guess(readCode(1)), again)),
  )
  const late = await enter(readCode(1), again)
  expect(new Set([...wrong, late].map(({ status, text }) => status + text)).size).toBe(1)
  for (let tries = 0; tries < 100; tries++) await enter(guess(readCode(1)), again)
  expect(await enterStatus(readCode(1), again)).toBe(403)
  expect((await redeemLink(readToken(1))).status).toBe(200)

  // Other addresses can still use a code, and so can this address on the next day (UTC).
  await ask('alex@example.com', again)
  expect(await enterStatus(readCode(2), again, 'alex@example.com')).toBe(200)
  clock.at += dayMs
  const tomorrow = await ask()
  expect(await enterStatus(readCode(3), tomorrow)).toBe(200)
  const rows = await db.kysely.selectFrom('confirmationLimits').selectAll().execute()
  expect(rows.map(({ used }) => used).sort()).toEqual([0, 0, 112])
})

it('compares no eleventh code, even if many are tried at the same time', async () => {
  const { ask, enterStatus, readCode, guess } = await open('postgres')
  const phone = await ask()
  const codes = [...Array.from({ length: 50 }, () => guess()), readCode()]
  const statuses = await Promise.all(codes.map((code) => enterStatus(code, phone)))
  expect(new Set(statuses)).toEqual(new Set([403]))
})

it('does not show whether an address can sign in', async () => {
  const { db, ask, enter, call, readCode, guess, log } = await open()
  const tryAll = async (email: string) => {
    const cookie = await ask(email)
    const asked = await call('POST', '/api/sign-in', { body: { email }, cookie })
    const entered = []
    for (let tries = 0; tries < 12; tries++) entered.push(await enter(guess(), cookie, email))
    return [asked, ...entered].map(({ status, text }) => [status, text])
  }
  expect(await tryAll(stranger)).toEqual(await tryAll(sam))
  // Unknown email addresses share one row so that they cannot fill the database.
  for (let other = 0; other < 20; other++) await enter(readCode(), '', `${other}@example.com`)
  const rows = await db.kysely.selectFrom('confirmationLimits').selectAll().execute()
  expect(rows).toHaveLength(2)
  expect(JSON.stringify([rows, log.entries])).not.toContain('example.com')
})

it.each([sam, 'dana@example.com', stranger])(
  'takes the same steps for a code of %s',
  async (email) => {
    const statements: string[] = []
    const db = await openTestDatabase('sqlite')
    const kysely = db.kysely.withPlugin({
      transformQuery: ({ node }) => {
        statements.push(node.kind)
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const { post } = await openTestDesk({ ...db, kysely })
    await post('/api/crew', { email: 'dana@example.com' })
    statements.length = 0
    await post('/api/code', { email, code: '123456', person: 'Sam' })
    expect(statements).toEqual(['SelectQueryNode', 'InsertQueryNode', 'DeleteQueryNode'])
  },
)

it.each(engines)('limits the emails to an address per network, on %s', async (engine) => {
  const { ask, enterStatus, readCode, mails } = await open(engine)
  for (let times = 0; times < 5; times++) await ask(sam, undefined, '198.51.100.1')
  expect(mails).toHaveLength(3)
  const phone = await ask()
  expect(await enterStatus(readCode(3), phone)).toBe(200)
  // All networks together are limited, too.
  for (let at = 0; at < 9; at++) await ask(sam, undefined, `192.0.${at}.1`)
  expect(mails).toHaveLength(10)
})

it.each(engines)('uses up no code or link if no session is stored, on %s', async (engine) => {
  const { db, ask, enterStatus, readCode, readToken, redeemLink } = await open(engine)
  const phone = await ask()
  await ask()
  await sql`alter table desk_sessions rename to gone`.execute(db.kysely)
  expect(await enterStatus(readCode(), phone)).toBe(503)
  expect((await redeemLink(readToken(1))).status).toBe(503)
  await sql`alter table gone rename to desk_sessions`.execute(db.kysely)
  expect(await enterStatus(readCode(), phone)).toBe(200)
  expect((await redeemLink(readToken(1))).status).toBe(200)
})

it('ends a sign-in while the person is being removed', async () => {
  const { db, ask, call, post, cookie, enter, mails } = await open('postgres')
  const dana = 'dana@example.com'
  for (let times = 0; times < 5; times++) {
    await post('/api/crew', { email: dana })
    const phone = await ask(dana)
    const code = mails.at(-1)?.code ?? ''
    await Promise.all([enter(code, phone, dana), call('DELETE', `/api/crew/${dana}`, { cookie })])
  }
  const sessions = await db.kysely.selectFrom('deskSessions').select('email').execute()
  expect(sessions).toEqual([{ email: sam }])
})

it('rejects the code of a person who was removed', async () => {
  const { ask, call, post, cookie, enterStatus, readCode } = await open()
  const dana = 'dana@example.com'
  await post('/api/crew', { email: dana })
  const phone = await ask(dana)
  await call('DELETE', `/api/crew/${dana}`, { cookie })
  expect(await enterStatus(readCode(), phone, dana)).toBe(403)
  // Adding the person again does not make the code work again.
  await post('/api/crew', { email: dana })
  expect(await enterStatus(readCode(), phone, dana)).toBe(403)
})
