import { expect, it } from 'vitest'
import { engines } from '#testing/database.ts'
import { findToken, openTestDesk } from '#testing/desk.ts'
import { makePhone } from '#testing/saved-leads.ts'
import { listCrew } from '../store/desk-access.ts'
import { saveDevice } from '../store/push-devices.ts'

async function open(...options: Parameters<typeof openTestDesk>) {
  const desk = await openTestDesk(...options)
  const { call, cookie, get, post } = desk
  const add = (email: string) => post('/api/crew', { email })
  const remove = (email: string) =>
    call('DELETE', `/api/crew/${encodeURIComponent(email)}`, { cookie })
  return { ...desk, add, remove, list: () => get('/api/people') }
}
const fromSettings = [
  { email: 'sam.hill@example.com', canRemove: false },
  { email: 'alex@example.com', canRemove: false },
]

it.each(engines)(
  'a crew member can sign in once added, and loses access and notifications once removed, on %s',
  async (engine) => {
    const { db, call, get, redeemLink, mails, add, remove, list } = await open(engine)
    const ask = () => call('POST', '/api/sign-in', { body: { email: 'dana+roof@example.com' } })
    await ask()
    expect(mails).toEqual([])
    for (const email of [' Dana+Roof@Example.com ', 'dana+roof@example.com', 'alex@example.com'])
      expect((await add(email)).status).toBe(200)
    const dana = { email: 'dana+roof@example.com', canRemove: true }
    expect((await list()).crew).toEqual([...fromSettings, dana])
    // An address from the settings must lose access when it is removed there.
    expect(await listCrew(db)).toEqual([dana.email])

    await ask()
    const entered = await redeemLink(findToken(mails[0]?.link ?? ''), { person: 'Dana' })
    const cookie = entered.headers.get('set-cookie')?.split(';')[0]
    const { sessions } = await get('/api/people', cookie)
    const { id: sessionId } = sessions.find(({ isThis }: { isThis: boolean }) => isThis)
    await saveDevice(db, makePhone({ sessionId }))
    await ask()

    expect((await remove('dana+roof@example.com')).status).toBe(200)
    expect((await call('GET', '/api/today', { cookie })).status).toBe(401)
    expect((await redeemLink(findToken(mails[1]?.link ?? ''))).status).toBe(403)
    expect(await db.kysely.selectFrom('push_devices').selectAll().execute()).toEqual([])
    expect((await list()).crew).toEqual(fromSettings)
    await ask()
    expect(mails).toHaveLength(2)
  },
)

it('allows removing a person who never signed in, but not an address from the settings', async () => {
  const { add, remove, list } = await open()
  await add('dana@example.com')
  expect((await remove('dana@example.com')).status).toBe(200)
  expect((await remove('alex@example.com')).status).toBe(409)
  expect((await list()).crew).toEqual(fromSettings)
})

it('accepts only email addresses, and at most 100', async () => {
  const { db, add } = await open()
  for (const email of ['', 'dana', 'a@b@c', 'a b@example.com', `${'x'.repeat(250)}@example.com`])
    expect((await add(email)).status).toBe(400)
  const emails = Array.from({ length: 100 }, (_, at) => ({ email: `crew-${at}@example.com` }))
  await db.kysely.insertInto('desk_crew').values(emails).execute()
  expect((await add('dana@example.com')).status).toBe(409)
})

it('accepts no new members if the desk cannot send email', async () => {
  const { add } = await open('sqlite', { sendLink: undefined })
  const { status, message } = await add('dana@example.com')
  expect([status, message]).toEqual([
    409,
    expect.stringContaining('Without email, crew members can’t sign in.'),
  ])
})
