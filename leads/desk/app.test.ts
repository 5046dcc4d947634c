import { expect, it, onTestFinished, vi } from 'vitest'
import { engines } from '#testing/database.ts'
import { deskUrl, openTestDesk } from '#testing/desk.ts'
import { waitUntil } from '#testing/processes.ts'
import { storeLead, testTime } from '#testing/saved-leads.ts'
import { findLead } from '../store/find-leads.ts'
import { minuteMs } from '../time-units.ts'
import { type DeskRoute, routes } from './roles.ts'
import { type DeskApp, invalidCharacter } from './routes.ts'

/** Lists the routes, but not the middleware. */
const listRoutes = ({ routes }: DeskApp) => routes.filter(({ method }) => method !== 'ALL')

it('requires a session on every route that is not open', async () => {
  const { db, app, call, cookie: signedIn } = await openTestDesk()
  const id = await storeLead(db)
  for (const { method, path } of listRoutes(app))
    for (const cookie of [undefined, '__Host-desk=', `__Host-desk=${'x'.repeat(43)}`]) {
      const asked = { cookie, ...(method !== 'GET' && { body: {} }) }
      const { status, text } = await call(method, path.replace(/:\w+/, id), asked)
      const route = `${method} ${path}` as DeskRoute
      expect([route, status === 401]).toEqual([route, routes[route] !== 'everyone'])
      expect(text).not.toMatch(/Jane|Main St|123-4567/)
    }
  expect((await call('GET', '/', { cookie: signedIn })).text).toContain('Jane')
  expect(await findLead(db, id)).toMatchObject({ version: 0 })
})

it('rejects requests from other sites, even with the cookie', async () => {
  const { db, app, call, cookie } = await openTestDesk()
  const id = await storeLead(db)
  for (const { method, path } of listRoutes(app).filter(({ method }) => method !== 'GET'))
    for (const origin of [
      'https://evil.example',
      'null',
      'https://desk.example.evil.example',
      '',
    ]) {
      const asked = { cookie, body: {}, headers: { origin } }
      expect((await call(method, path.replace(/:\w+/, id), asked)).status).toBe(403)
    }
  expect(await findLead(db, id)).toMatchObject({ version: 0 })
})

it.each(engines)('finds leads by words and filters, page by page, on %s', async (engine) => {
  const { db, post, press } = await openTestDesk(engine)
  const ids: string[] = []
  for (let at = 0; at < 60; at++)
    ids.push(await storeLead(db, { at: testTime + at, lead: { name: `Person ${at} 100%` } }))
  const special = await storeLead(db, {
    // 11:30 PM on the previous day in the company's time zone.
    at: testTime - 390 * minuteMs,
    lead: {
      name: 'Åsa Öberg',
      phone: '+1 612.555.0199',
      email: 'asa@example.se',
      address: '9041 E\u3164lm’s Ave, Edina, MN 55436-1001',
      serviceType: 'emergency',
    },
    source: 'utm_source=google',
  })
  const ask = (path: string, query: string) =>
    post(path, Object.fromEntries(new URLSearchParams(query)))
  const find = async (query: string) => (await ask('/api/search', query)).json
  const first = await find('search=100%25')
  expect(first.leads).toHaveLength(50)
  const second = await find(`search=100%25&before=${first.next}`)
  expect([...first.leads, ...second.leads].map(({ id }) => id)).toEqual(ids.toReversed())
  expect(second.next).toBeNull()
  for (const query of [
    'search=berg',
    'search=%C3%B6b',
    'search=O%CC%88BERG',
    'search=asa%20oberg',
    'search=(612)%20555-0199',
    'search=%2B16125550199',
    'search=55436',
    'search=55436-1001',
    'search=9041',
    'search=asa@',
    'search=elm%27s%20edina',
    'service=emergency',
    'source=google',
    'day=2026-11-14',
  ])
    expect((await find(query)).leads.map(({ id }: { id: string }) => id)).toEqual([special])
  await press(special, 'done')
  expect((await find('status=done')).leads).toHaveLength(1)
  expect((await find('status=open')).leads).toHaveLength(50)
  await press(ids[3] ?? '', 'note', { text: 'Gate code 4711, ask for Åse.' })
  expect((await find('search=4711%20ase')).leads).toMatchObject([{ id: ids[3] }])
  expect((await find('search=_')).leads).toHaveLength(0)
  for (const day of ['0002-11-14', '9999-12-31'])
    expect((await find(`day=${day}`)).leads).toEqual([])
  for (const odd of ['status=odd', 'day=tomorrow'])
    expect((await ask('/api/search', odd)).status).toBe(400)
  const csv = await ask('/api/spreadsheet', 'status=done')
  expect(csv.text.split('\r\n')).toHaveLength(3)
  expect(csv.text).toContain('Åsa Öberg')
})

it('rejects NUL characters in every path and body', async () => {
  const { db, app, call, signIn } = await openTestDesk()
  const id = await storeLead(db)
  let readers = 0
  for (const { method, path } of listRoutes(app)) {
    const send = async (name: string, body: object | null) => {
      // Sign in again, because some routes sign out.
      const asked = { cookie: await signIn(), ...(method !== 'GET' && { body }) }
      return call(method, path.replace(/:\w+/, name), asked)
    }
    if (path.includes(':'))
      expect([method, path, (await send('%00', {})).status]).toEqual([method, path, 400])
    // A route that reads its body rejects null.
    if (method === 'GET' || (await send(id, null)).status !== 400) continue
    readers += 1
    const { message } = await send(id, { more: 'J\0' })
    expect([method, path, message]).toEqual([method, path, invalidCharacter])
  }
  expect(readers).toBeGreaterThan(5)
})

it('responds only at DESK_URL, and redirects from other names of this machine', async () => {
  const env = { DESK_URL: 'http://localhost:3001' }
  const { call, cookie } = await openTestDesk('sqlite', { env })
  const open = (method: string, path: string, url: string) => call(method, path, { cookie, url })
  for (const name of ['127.0.0.1', '[::1]']) {
    const { status, headers } = await open('GET', '/?a=b', `http://${name}:3001`)
    expect([status, headers.get('location')]).toEqual([302, 'http://localhost:3001/?a=b'])
  }
  for (const [method, url] of [
    ['POST', 'http://127.0.0.1:3001'],
    ['GET', 'http://localhost:8080'],
    ['GET', 'http://evil.example:3001'],
  ] as const) {
    const { status, text } = await open(method, '/api/today', url)
    expect([url, status]).toEqual([url, 421])
    expect(text).toContain('The desk is at http://localhost:3001.')
  }
  expect((await open('GET', '/api/today', 'http://LOCALHOST:3001')).status).toBe(200)
})

it('reads only a few kilobytes of a body, even without Content-Length', async () => {
  const { app } = await openTestDesk()
  let pieces = 0
  const body = new ReadableStream({
    pull(controller) {
      pieces += 1
      if (pieces > 1_000) controller.close()
      else controller.enqueue(new Uint8Array(1_024))
    },
  })
  const headers = { origin: deskUrl }
  const request = { method: 'POST', headers, body, duplex: 'half' } as RequestInit
  expect((await app.request(`${deskUrl}/api/session`, request)).status).toBe(400)
  expect(pieces).toBeLessThan(20)
})

it('reports a database outage without personal data in the log', async () => {
  const listWarnings = () => Promise.reject(new Error('Jane Doe'))
  const { call, cookie, log } = await openTestDesk('sqlite', { listWarnings })
  const failed = await call('GET', '/api/today', { cookie })
  expect([failed.status, failed.message]).toEqual([
    503,
    expect.stringContaining('try again in a minute'),
  ])
  expect(JSON.stringify(log.entries)).not.toContain('Jane')
})

it('shows its page without leads while the database hangs', async () => {
  const listWarnings = () => new Promise<never>(() => {})
  const { call, cookie } = await openTestDesk('sqlite', { listWarnings })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked = call('GET', '/', { cookie })
  await waitUntil(() => vi.getTimerCount() > 0)
  vi.advanceTimersByTime(1_500)
  expect((await asked).text).toBe('{}')
})
