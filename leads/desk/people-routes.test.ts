import { expect, it } from 'vitest'
import { engines } from '#testing/database.ts'
import { deskUrl, findToken, openTestDesk } from '#testing/desk.ts'
import { makePhone, storeLead } from '#testing/saved-leads.ts'
import { listCrew } from '../store/people.ts'
import { saveDevice } from '../store/push-devices.ts'
import { dayMs } from '../time-units.ts'
import type { People } from './people-routes.ts'
import { makeLink } from './sign-in.ts'

async function open(...options: Parameters<typeof openTestDesk>) {
  const desk = await openTestDesk(...options)
  const { call, cookie, get, post } = desk
  const add = (email: string) => post('/api/crew', { email })
  const remove = (email: string) =>
    call('DELETE', `/api/crew/${encodeURIComponent(email)}`, { cookie })
  return { ...desk, add, remove, list: () => get('/api/people') }
}
const fixed = { role: 'owner', canRemove: false, canChangeRole: false }
const fromSettings = [
  { email: 'sam.hill@example.com', ...fixed },
  { email: 'alex@example.com', ...fixed },
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
    const email = 'dana+roof@example.com'
    const dana = { email, role: 'crew', canRemove: true, canChangeRole: true }
    expect((await list()).people).toEqual([...fromSettings, dana])
    // Email addresses in the settings are not stored, so they lose access when they are removed there.
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
    expect(await db.kysely.selectFrom('pushDevices').selectAll().execute()).toEqual([])
    expect((await list()).people).toEqual(fromSettings)
    await ask()
    expect(mails).toHaveLength(2)
  },
)

it('accepts only email addresses, and at most 100', async () => {
  const { db, add } = await open()
  const long = `${'x'.repeat(250)}@example.com`
  for (const email of ['', 'dana', 'bob@gmial', 'a@b@c.de', 'a b@example.com', 'a@b.', long])
    expect((await add(email)).status).toBe(400)
  const emails = Array.from({ length: 100 }, (_, at) => ({ email: `crew-${at}@example.com` }))
  await db.kysely.insertInto('deskCrew').values(emails).execute()
  expect((await add('dana@example.com')).status).toBe(409)
})

it('sends an invitation, once, or tells the owner what to tell the new person', async () => {
  const { add, invitations, list } = await open()
  const added = await add('dana@example.com')
  expect(added.json.message).toBe('Added. We sent an invitation to dana@example.com.')
  expect((await add('dana@example.com')).json.message).toBe('dana@example.com can already sign in.')
  expect(invitations).toMatchObject([{ email: 'dana@example.com', inviter: 'Sam Hill' }])
  expect((await list()).sendsInvitations).toBe(true)

  const refusing = await open('sqlite', { sendInvitation: () => Promise.reject(new Error('550')) })
  const silent = await open('sqlite', { sendInvitation: undefined })
  for (const [desk, next] of [
    [refusing, 'tell dana@example.com to sign in at https://desk.example.'],
    [silent, 'Once one is set up, dana@example.com can sign in at https://desk.example.'],
  ] as const) {
    const { status, json } = await desk.add('dana@example.com')
    expect([status, json.message]).toEqual([200, expect.stringContaining(next)])
    expect((await desk.list()).people).toHaveLength(3)
  }
  expect((await silent.list()).sendsInvitations).toBe(false)
})

it('sends at most 20 invitations a day, including to people who were removed', async () => {
  const { add, remove, invitations } = await open()
  for (let sent = 0; sent < 20; sent++) {
    await add('dana@example.com')
    await remove('dana@example.com')
  }
  const { status, json } = await add('dana@example.com')
  expect(invitations).toHaveLength(20)
  expect([status, json.message]).toEqual([
    200,
    `Added, but without an invitation, because the desk sends at most 20 a day. Tell dana@example.com to sign in at ${deskUrl}.`,
  ])
})

it('lets an invitation sign in once, within 7 days, and not after the person was removed', async () => {
  const { add, remove, invitations, redeemLink, get, post, mails, clock } = await open()
  const dana = 'dana@example.com'
  const readToken = () => findToken(invitations.at(-1)?.link ?? '')
  const look = () => post('/api/link', { token: readToken() })
  const enter = async () => (await redeemLink(readToken(), { person: 'Dana' })).status
  await add(dana)
  clock.at += 7 * dayMs - 1
  expect((await look()).json).toMatchObject({ requester: 'Sam Hill', isInvitation: true })
  const { status, headers } = await redeemLink(readToken(), { person: 'Dana' })
  expect(status).toBe(200)
  const cookie = headers.get('set-cookie')?.split(';')[0]
  expect((await get('/api/today', cookie)).me).toMatchObject({ email: dana, role: 'crew' })
  expect(await enter()).toBe(403)

  await remove(dana)
  await add(dana)
  // The invitation does not count as one of the three unused links.
  for (let sent = 0; sent < 3; sent++) await post('/api/sign-in', { email: dana })
  expect(mails).toHaveLength(3)
  await remove(dana)
  expect([(await look()).status, await enter()]).toEqual([403, 403])
  const removed = readToken()
  await add(dana)
  expect((await redeemLink(removed)).status).toBe(403)
  clock.at += 7 * dayMs
  expect([(await look()).status, await enter()]).toEqual([403, 403])
})

it.each(engines)('logs who did what, and keeps the last 200, on %s', async (engine) => {
  const { db, clock, add, remove, list, post, call, cookie, log, wakes } = await open(engine)
  const id = await storeLead(db)
  log.entries.length = 0
  const email = 'dana@example.com'
  const owner = `/api/owners/${email}`
  for (const act of [
    () => add(email),
    () => add(email),
    () => call('PUT', owner, { cookie }),
    () => call('DELETE', owner, { cookie }),
    () => remove(email),
    () => post('/api/spreadsheet', {}),
    () => call('DELETE', `/api/leads/${id}`, { cookie, body: { name: 'Jane Doe' } }),
  ]) {
    clock.at += 1_000
    expect((await act()).status).toBe(200)
  }
  // Wake the delivery worker, so that the new owner gets the digest even if we open before the next poll.
  expect(wakes).toContain(clock.at - 4_000)
  const by = { person: 'Sam Hill', email: 'sam.hill@example.com' }
  expect(log.entries.map(({ message, fields }) => [message, fields])).toEqual([
    ['added a person', { by, email }],
    ['made a person an owner', { by, email }],
    ['made an owner a crew member', { by, email }],
    ['removed a person', { by, email }],
    ['exported leads', { by }],
    ['erased a lead', { by, leadId: id }],
  ])
  const readLog = async () => {
    const { people, others }: People['log'] = (await list()).log
    return [people, others].map((entries) => entries.map(({ id: _, ...entry }) => entry))
  }
  const [people, others] = await readLog()
  expect(others).toEqual([
    { ...by, at: clock.at, action: 'erased a lead', about: null },
    { ...by, at: clock.at - 1_000, action: 'exported leads', about: null },
  ])
  expect(people).toEqual([
    { ...by, at: clock.at - 2_000, action: 'removed a person', about: email },
    { ...by, at: clock.at - 3_000, action: 'made an owner a crew member', about: email },
    { ...by, at: clock.at - 4_000, action: 'made a person an owner', about: email },
    { ...by, at: clock.at - 6_000, action: 'added a person', about: email },
  ])

  const newer = { ...by, at: clock.at + 1_000, action: 'exported leads', about: null }
  const entries = Array.from({ length: 200 }, (_, at) => ({ ...newer, id: `${at}` }))
  await db.kysely.insertInto('deskLog').values(entries).execute()
  clock.at += 2_000
  await post('/api/spreadsheet', {})
  // Newer exports push out older exports, but not changes to people.
  expect(await readLog()).toEqual([
    people,
    Array(20).fill(expect.objectContaining({ action: 'exported leads' })),
  ])
  const kept = await db.kysely.selectFrom('deskLog').select('action').execute()
  expect(kept).toHaveLength(200 + 4)
})

it('removes and changes a person however the address is written', async () => {
  const { db, call, cookie, add, remove, list } = await open()
  const change = (method: string, email: string) =>
    call(method, `/api/owners/${encodeURIComponent(email)}`, { cookie })
  const readRole = async () => (await list()).people[2]?.role
  await add('crew@example.com')
  await change('PUT', 'Crew@Example.com')
  expect(await readRole()).toBe('owner')
  await change('DELETE', 'CREW@example.com')
  expect(await readRole()).toBe('crew')
  expect((await remove('ALEX@example.com')).status).toBe(409)
  await remove('CREW@example.com')
  expect(await listCrew(db)).toEqual([])
})

it('removes control and direction characters from names', async () => {
  const { call, cookie, get } = await open()
  const rename = (person: string) => call('PUT', '/api/me', { cookie, body: { person } })
  await rename(' Sam\u202E\n\u0007 Hill ')
  expect((await get('/api/today')).me.person).toBe('Sam Hill')
  for (const person of ['', ' \u200B', '\u202E', 'x'.repeat(61)])
    expect((await rename(person)).status).toBe(400)
})

it('tells people apart by their email, or after a link from the server by the name they entered', async () => {
  const { db, clock, call, get, press, redeemLink } = await open()
  const enter = async (person: string) => {
    const link = await makeLink(db, { url: deskUrl, now: clock.at })
    const entered = await redeemLink(findToken(link), { person })
    return entered.headers.get('set-cookie')?.split(';')[0] ?? ''
  }
  const [dana, lee] = [await enter('Dana'), await enter('Lee')]
  const readCaller = async (cookie: string) => {
    const { me, leads } = await get('/api/today', cookie)
    return leads[0].callerEmail === me.email
  }
  await press(await storeLead(db), 'called', {}, dana)
  expect([await readCaller(dana), await readCaller(lee)]).toEqual([true, false])
  await call('PUT', '/api/me', { cookie: dana, body: { person: 'Lee' } })
  await call('PUT', '/api/me', { cookie: lee, body: { person: 'Dana' } })
  expect([await readCaller(dana), await readCaller(lee)]).toEqual([true, false])
  // Someone who enters the same name on another device counts as the same person.
  expect(await readCaller(await enter('Dana'))).toBe(true)
})
