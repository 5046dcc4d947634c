import { expect, it } from 'vitest'
import { createPageRoutes } from '#server/page-routes.ts'
import type { Publisher } from '#server/publisher.ts'
import { engines, openTestDatabase } from '#testing/database.ts'
import { createTestDesk, openTestDesk } from '#testing/desk.ts'
import { storeLead, testTime } from '#testing/saved-leads.ts'
import { addCrew } from '../store/people.ts'
import { saveMailFault } from '../store/stored-settings.ts'
import { isListed, type Role, routes } from './roles.ts'

const ownersOnly = 'Only owners can do this. Ask an owner to make you an owner under People.'

/** Opens a desk with all routes. The page routes fail, because the publisher is empty. */
const openWholeDesk = () =>
  openTestDesk('sqlite', { addPageRoutes: createPageRoutes({} as Publisher) })

it('lists exactly the routes of the desk', async () => {
  const { app } = await openWholeDesk()
  const registered = app.routes.filter(({ method }) => method !== 'ALL')
  expect(registered.map(({ method, path }) => `${method} ${path}`).toSorted()).toEqual(
    Object.keys(routes).toSorted(),
  )
})

it.each<Role>(['owner', 'crew'])('lets %s use its routes and no others', async (role) => {
  const { db, call, signIn } = await openWholeDesk()
  await addCrew(db, 'dana@example.com')
  const email = role === 'owner' ? 'alex@example.com' : 'dana@example.com'
  for (const [route, needed] of Object.entries(routes)) {
    const [method = '', path = ''] = route.split(' ')
    const id = await storeLead(db)
    // Sign in again, because some routes sign out.
    const cookie = await signIn(email)
    const asked = { cookie, ...(method !== 'GET' && { body: {} }) }
    const { status, message } = await call(method, path.replace(/:\w+/, id), asked)
    const isRefused = needed === 'owner' && role === 'crew'
    expect([route, status === 403, message === ownersOnly]).toEqual([route, isRefused, isRefused])
    expect([route, status]).not.toEqual([route, 401])
  }
})

it('refuses a route that is not listed, to everyone', async () => {
  const { app, call, signIn } = createTestDesk(await openTestDatabase('sqlite'))
  app.get('/api/forgotten', (c) => c.text('secret'))
  app.get('/forgotten', (c) => c.text('secret'))
  app.all('/api/forgotten-too', (c) => c.text('secret'))
  const cookie = await signIn()
  const ask = async (path: string) => (await call('GET', path, { cookie })).status
  expect(await ask('/api/forgotten')).toBe(403)
  expect(await ask('/forgotten')).toBe(403)
  expect(await ask('/api/forgotten-too')).toBe(404)
  expect(isListed('constructor')).toBe(false)
})

it.each(engines)(
  'gives an owner’s rights to whom an owner chooses, and takes them away immediately, on %s',
  async (engine) => {
    const { db, call, cookie, get, post, signIn } = await openTestDesk(engine)
    await addCrew(db, 'dana@example.com')
    const dana = await signIn('dana@example.com')
    const readRole = async () => (await get('/api/today', dana)).me.role
    const exportAs = async (as: string) => (await post('/api/spreadsheet', {}, as)).status
    const change = (method: string, email = 'dana@example.com', as = cookie) =>
      call(method, `/api/owners/${email}`, { cookie: as })
    expect([await readRole(), await exportAs(dana)]).toEqual(['crew', 403])
    expect((await change('PUT', 'dana@example.com', dana)).status).toBe(403)
    expect((await change('PUT')).status).toBe(200)
    expect([await readRole(), await exportAs(dana)]).toEqual(['owner', 200])
    expect((await change('DELETE')).status).toBe(200)
    expect([await readRole(), await exportAs(dana)]).toEqual(['crew', 403])

    // A person who is removed and added again is crew.
    await change('PUT')
    await call('DELETE', '/api/crew/dana@example.com', { cookie })
    await post('/api/crew', { email: 'dana@example.com' })
    expect(await exportAs(await signIn('dana@example.com'))).toBe(403)

    expect(await change('PUT', 'unknown@example.com')).toMatchObject({
      status: 404,
      message: 'unknown@example.com can’t sign in. Add this email address first.',
    })
    expect(await change('DELETE', 'alex@example.com')).toMatchObject({
      status: 409,
      message: expect.stringContaining('in the server’s settings'),
    })
  },
)

const mail = { SMTP_URL: 'smtp://127.0.0.1:9', ALERT_EMAIL_FROM: 'site@example.com' }
const alerts = { ...mail, ALERT_EMAIL_TO: 'Dana@example.com' }
it.each([
  ['the addresses in DESK_EMAIL_TO', {}, ['owner', 'crew']],
  ['all addresses in .env if DESK_EMAIL_TO is empty', { DESK_EMAIL_TO: '' }, [undefined, 'owner']],
])('counts as owners %s', async (_, env, expected) => {
  const desk = await openTestDesk('sqlite', { env: { ...alerts, ...env } })
  const readRole = async (email: string) =>
    (await desk.get('/api/today', await desk.signIn(email))).me?.role
  const roles = [await readRole('sam.hill@example.com'), await readRole('dana@example.com')]
  expect(roles).toEqual(expected)
})

it('gives an alert recipient who was made an owner no access after leaving the settings', async () => {
  const db = await openTestDatabase('sqlite')
  const before = await openTestDesk(db, { env: alerts })
  const promoted = await before.call('PUT', '/api/owners/dana@example.com', before)
  expect(promoted.status).toBe(200)
  const dana = await before.signIn('dana@example.com')
  expect((await before.get('/api/today', dana)).me.role).toBe('owner')
  const after = await openTestDesk(db)
  expect((await after.call('GET', '/api/today', { cookie: dana })).status).toBe(401)
  await after.post('/api/crew', { email: 'dana@example.com' })
  expect((await after.get('/api/today', await after.signIn('dana@example.com'))).me.role).toBe(
    'crew',
  )
})

it('reports a failing mail server to owners only', async () => {
  const { db, get, signIn } = await openTestDesk()
  await addCrew(db, 'dana@example.com')
  const error = 'The mail server couldn’t be reached.'
  await saveMailFault(db, { at: testTime, error, isLogin: true })
  expect((await get('/api/people')).mailFault).toBe(error)
  expect((await get('/api/people', await signIn('dana@example.com'))).mailFault).toBeNull()
})

it('tells only owners why a message was not sent', async () => {
  const { db, cookie, get, press, signIn } = await openTestDesk()
  await addCrew(db, 'dana@example.com')
  const dana = await signIn('dana@example.com')
  const id = await storeLead(db, { recipients: ['email'] })
  const [error, note] = ['The mail server rejected the email.', 'The row was copied.']
  const failed = { state: 'failed', settledAt: testTime, lastError: error, note } as const
  await db.kysely.updateTable('deliveries').set(failed).where('recipient', '=', 'email').execute()
  const expectDelivery = async (as: string, explained: object) => {
    const status = 'failed, tried at 6:00 AM CST'
    const pressed = await press(id, 'texted', {}, as)
    for (const { lead } of [await get(`/api/leads/${id}`, as), pressed.json])
      expect(lead.deliveries).toMatchObject([{ state: 'failed', status, ...explained }])
  }
  await expectDelivery(cookie, { error, note })
  await expectDelivery(dana, { error: null, note: null })
})

it('lets crew members end their own sessions, and owners end any', async () => {
  const { db, call, cookie, get, signIn } = await openTestDesk()
  await addCrew(db, 'dana@example.com')
  const dana = await signIn('dana@example.com')
  const lost = await signIn('dana@example.com')
  const list = async (as: string): Promise<{ id: string; email: string; isThis: boolean }[]> =>
    (await get('/api/people', as)).sessions
  expect((await list(dana)).map(({ email }) => email)).toEqual(Array(2).fill('dana@example.com'))
  const findOwn = async (as: string) => (await list(as)).find(({ isThis }) => isThis)?.id
  const end = async (id: string | undefined, as: string) =>
    (await call('DELETE', `/api/sessions/${id}`, { cookie: as })).status
  const [sams, danas] = [await findOwn(cookie), await findOwn(dana)]
  expect(await end(sams, dana)).toBe(403)
  expect(await end(await findOwn(lost), dana)).toBe(200)
  expect((await call('GET', '/api/today', { cookie: lost })).status).toBe(401)
  expect(await end(danas, cookie)).toBe(200)
  expect((await call('GET', '/api/today', { cookie: dana })).status).toBe(401)
})
