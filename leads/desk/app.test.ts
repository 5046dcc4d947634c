import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { createTestDesk, deskUrl } from '#testing/desk.ts'
import { waitUntil } from '#testing/processes.ts'
import { storeLead, testTime } from '#testing/saved-leads.ts'
import { nameRecipients } from '../channels/channel.ts'
import { findLead } from '../store/reading.ts'
import { findNextEscalationAt } from '../store/reminders.ts'
import type { DeskApp } from './routes.ts'

const minuteMs = 60_000

/** Leaves out middleware. */
const listRoutes = ({ routes }: DeskApp) => routes.filter(({ method }) => method !== 'ALL')

it('requires a session on every route that is not open', async () => {
  const db = await openTestDatabase('sqlite')
  const id = await storeLead(db)
  const { app, call, signIn } = createTestDesk(db)
  const open = ['GET /', 'POST /api/sign-in', 'POST /api/session']
  for (const { method, path } of listRoutes(app))
    for (const cookie of [undefined, '__Host-desk=', `__Host-desk=${'x'.repeat(43)}`]) {
      const asked = { cookie, ...(method !== 'GET' && { body: {} }) }
      const { status, text } = await call(method, path.replace(/:\w+/, id), asked)
      const route = `${method} ${path}`
      expect([route, status === 401]).toEqual([route, !open.includes(route)])
      expect(text).not.toMatch(/Jane|Main St|123-4567/)
    }
  expect((await call('GET', '/', { cookie: await signIn() })).text).toContain('Jane')
  expect(await findLead(db, id)).toMatchObject({ answeredAt: null, outcome: null })
})

it('rejects requests from other sites, even with the cookie', async () => {
  const db = await openTestDatabase('sqlite')
  const id = await storeLead(db)
  const { app, call, signIn } = createTestDesk(db)
  const cookie = await signIn()
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
  expect(await findLead(db, id)).toMatchObject({ answeredAt: null, outcome: null })
})

describe.each(engines)('the desk on %s', (engine) => {
  async function open(changes?: Parameters<typeof createTestDesk>[1]) {
    const db = await openTestDatabase(engine)
    const desk = createTestDesk(db, changes)
    return { db, ...desk, cookie: await desk.signIn() }
  }

  it('lets one person claim a call, and shows the others who it is', async () => {
    const { db, call, cookie, signIn, wakes } = await open()
    const id = await storeLead(db)
    const alex = await signIn('alex@example.com')
    const answers = await Promise.all(
      [cookie, alex].map((one) => call('POST', `/api/leads/${id}/calling`, { cookie: one })),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const lead = await findLead(db, id)
    const first = lead?.answeredName
    expect(['Sam Hill', 'Alex']).toContain(first)
    const other = answers.find(({ status }) => status === 409)
    expect(other?.message).toBe(`${first} is already calling.`)
    expect(lead?.deliveries).toContainEqual(
      expect.objectContaining({ channel: 'airtable', reason: 'answered', state: 'waiting' }),
    )
    expect(wakes.length).toBeGreaterThan(0)
  })

  it('records the outcome of a lead, and updates Airtable when it changes', async () => {
    const { db, call, cookie } = await open()
    const id = await storeLead(db)
    const ask = (what: string) => call('POST', `/api/leads/${id}/${what}`, { cookie })
    expect((await ask('not-a-lead')).json.lead).toMatchObject({ outcome: 'not-a-lead' })
    await db.kysely.updateTable('deliveries').set({ state: 'sent' }).execute()
    expect((await ask('done')).json.lead).toMatchObject({
      outcome: 'done',
      answeredName: 'Sam Hill',
    })
    expect((await findLead(db, id))?.deliveries).toContainEqual(
      expect.objectContaining({ reason: 'outcome', state: 'waiting' }),
    )
  })

  it('reopens a closed lead, and restarts reminders if it was not answered', async () => {
    const { db, call, cookie, clock } = await open()
    const [closed, called] = [await storeLead(db), await storeLead(db)]
    const ask = (id: string, what: string) => call('POST', `/api/leads/${id}/${what}`, { cookie })
    await ask(called, 'calling')
    for (const id of [closed, called]) await ask(id, 'not-a-lead')
    const promises = async () => (await call('GET', '/api/promise', { cookie })).json.report.leads
    clock.at += 60_000
    expect(await promises()).toBe(0)
    for (const id of [closed, called]) await ask(id, 'reopen')
    expect(await promises()).toBe(2)
    expect(await findLead(db, closed)).toMatchObject({ outcome: null, answeredAt: null })
    expect(await findLead(db, called)).toMatchObject({ outcome: null, answeredBy: 'desk' })
    expect(await findNextEscalationAt(db)).toBe(testTime + 240_000)
    await ask(called, 'reopen')
    expect(await findLead(db, called)).toMatchObject({ answeredBy: 'desk' })
  })

  it('describes the state of each delivery', async () => {
    const { db, call, cookie, clock } = await open({
      env: {
        SMTP_URL: 'smtp://localhost',
        ALERT_EMAIL_FROM: 'site@example.com',
        ALERT_EMAIL_TO: 'sam@example.com',
      },
    })
    const [email] = nameRecipients('email', ['sam@example.com'])
    const id = await storeLead(db, { channels: ['airtable', email?.name ?? ''] })
    const update = () => db.kysely.updateTable('deliveries').where('lead_id', '=', id)
    await update()
      .set({ state: 'sent', settled_at: testTime, arrived_at: testTime + 60_000 })
      .where('channel', '=', 'airtable')
      .execute()
    await update()
      .set({ attempts: 1, next_attempt_at: testTime + 100_000, last_error: 'Too busy.' })
      .where('channel', '!=', 'airtable')
      .execute()
    clock.at += 80_000
    const { json } = await call('GET', `/api/leads/${id}`, { cookie })
    const described = json.lead.deliveries.map(({ what, status }: Record<string, string>) => [
      what,
      status,
    ])
    expect(described).toEqual([
      ['Airtable', 'arrived at 6:01 AM CST'],
      ['Email to sam@example.com', 'second try in 20 seconds'],
    ])
    await call('POST', `/api/leads/${id}/retry`, { cookie })
    const retried = await call('GET', `/api/leads/${id}`, { cookie })
    expect(retried.json.lead.deliveries[1].status).toBe('second try now')
  })

  it('finds leads by words, day, service, source, and state, page by page', async () => {
    const { db, call, cookie } = await open()
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
      call('POST', path, { cookie, body: Object.fromEntries(new URLSearchParams(query)) })
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
    await call('POST', `/api/leads/${special}/done`, { cookie })
    expect((await find('state=done')).leads).toHaveLength(1)
    expect((await find('state=waiting')).leads).toHaveLength(50)
    expect((await find('search=_')).leads).toHaveLength(0)
    for (const day of ['0002-11-14', '9999-12-31'])
      expect((await find(`day=${day}`)).leads).toEqual([])
    for (const odd of ['state=odd', 'day=tomorrow'])
      expect((await ask('/api/search', odd)).status).toBe(400)
    const csv = await ask('/api/spreadsheet', 'state=done')
    expect(csv.text.split('\r\n')).toHaveLength(3)
    expect(csv.text).toContain('Åsa Öberg')
  })

  it('reports the promise for 7, 30, and 90 days', async () => {
    const { db, call, cookie } = await open()
    const id = await storeLead(db, { at: testTime - 60 * minuteMs })
    await storeLead(db, { at: testTime - 20 * 24 * 60 * minuteMs })
    await call('POST', `/api/leads/${id}/calling`, { cookie })
    const report = async (days: number) =>
      (await call('GET', `/api/promise?days=${days}`, { cookie })).json.report
    expect(await report(7)).toMatchObject({ leads: 1, missed: 1 })
    expect(await report(30)).toMatchObject({ leads: 2, missed: 2 })
  })
})

it.each(engines)('rejects NUL characters on every route on %s', async (engine) => {
  const { app, call, signIn } = createTestDesk(await openTestDatabase(engine))
  const body = {
    ...{ token: 'x', person: 'S\0', email: 's\0@example.com', name: 'J\0', search: 'j\0' },
    ...{ notifyAfterMinutes: 0, quietUntil: 0, notifyEmergencies: true },
    ...{ schedule: 'always', onCallUntil: 0 },
  }
  for (const { method, path } of listRoutes(app)) {
    // Sign in again, because some routes sign out.
    const signedIn = { cookie: await signIn(), ...(method !== 'GET' && { body }) }
    const { status } = await call(method, path.replace(/:\w+/, 'x'), signedIn)
    expect([method, path, status]).not.toEqual([method, path, 503])
    if (!path.includes(':')) continue
    const named = await call(method, path.replace(/:\w+/, '%00'), signedIn)
    expect([method, path, named.status]).toEqual([method, path, 400])
  }
})

it('responds only at DESK_URL, and redirects from other names of this machine', async () => {
  const desk = createTestDesk(await openTestDatabase('sqlite'), {
    env: { DESK_URL: 'http://localhost:3001' },
  })
  const cookie = await desk.signIn()
  const open = (method: string, path: string, url: string) =>
    desk.call(method, path, { cookie, url })
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
  const desk = createTestDesk(await openTestDatabase('sqlite'))
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
  expect((await desk.app.request(`${deskUrl}/api/session`, request)).status).toBe(400)
  expect(pieces).toBeLessThan(20)
})

it('reports a database outage without personal data in the log', async () => {
  const desk = createTestDesk(await openTestDatabase('sqlite'), {
    findWarnings: () => Promise.reject(new Error('Jane Doe')),
  })
  const cookie = await desk.signIn()
  const failed = await desk.call('GET', '/api/today', { cookie })
  expect([failed.status, failed.message]).toEqual([
    503,
    expect.stringContaining('reach its database'),
  ])
  expect(JSON.stringify(desk.log.entries)).not.toContain('Jane')
})

it('shows its page without leads while the database hangs', async () => {
  const findWarnings = () => new Promise<never>(() => {})
  const { call, signIn } = createTestDesk(await openTestDatabase('sqlite'), { findWarnings })
  const cookie = await signIn()
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const asked = call('GET', '/', { cookie })
  await waitUntil(() => vi.getTimerCount() > 0)
  vi.advanceTimersByTime(1_500)
  expect((await asked).text).toBe('{}')
})
