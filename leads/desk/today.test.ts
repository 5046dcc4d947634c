import { describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { openTestDesk } from '#testing/desk.ts'
import { makeStranger, promiseFrom, record, storeLead, testTime } from '#testing/saved-leads.ts'
import { listTodayLeads } from '../store/today-leads.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const emergency = { serviceType: 'emergency' } as const

describe.each(engines)('today on %s', (engine) => {
  async function open() {
    const desk = await openTestDesk(engine)
    const readToday = () => desk.get('/api/today')
    const readIds = async () => (await readToday()).leads.map(({ id }: { id: string }) => id)
    return { ...desk, readToday, readIds }
  }

  it('lists today’s leads and older ones to call', async () => {
    const { db, call, cookie, clock } = await open()
    const older = await storeLead(db, { at: testTime - 2 * dayMs })
    await storeLead(db, { at: testTime - 9 * dayMs })
    const name = '<img src=x onerror=alert(1)>\u202Egnp'
    const young = await storeLead(db, { at: testTime - minuteMs, lead: { name, ...emergency } })
    const { json, headers } = await call('GET', '/api/today', { cookie })
    expect(json.me).toMatchObject({ person: 'Sam Hill' })
    expect(json.leads).toMatchObject([
      {
        id: young,
        name: '<img src=x onerror=alert(1)>gnp',
        town: 'Springfield',
        isEmergency: true,
        phone: { shown: '(555) 123-4567', callUrl: 'tel:5551234567' },
        deadlineAt: testTime + 9 * minuteMs,
      },
      { id: older },
    ])
    const known = { 'if-none-match': headers.get('etag') ?? '' }
    clock.at += 1_000
    expect((await call('GET', '/api/today', { cookie, headers: known })).status).toBe(304)
  })

  it('lists a lead that came during a long closure until a week after its deadline', async () => {
    const { db, clock, readIds } = await open()
    const id = await storeLead(db, promiseFrom(testTime + 11 * dayMs))
    clock.at += 10 * dayMs
    expect(await readIds()).toEqual([id])
    clock.at += 9 * dayMs
    expect(await readIds()).toEqual([])
  })

  it('lists a call until its result is recorded, but a Status from Airtable only for a day', async () => {
    const { db, clock, press, readIds } = await open()
    const mine = await storeLead(db)
    const inAirtable = await storeLead(db, { lead: makeStranger() })
    await press(mine, 'called')
    await record(db, inAirtable, 'airtable-status', { via: 'airtable', version: 0 })
    clock.at += 2 * dayMs
    expect(await readIds()).toEqual([mine])
    await press(mine, 'done')
    clock.at += 2 * dayMs
    expect(await readIds()).toEqual([])
  })

  it('lists a burst from one network after all other leads', async () => {
    const { db, clock, readToday, readIds } = await open()
    const burst = { lead: emergency, clientAddress: '203.0.113.7' }
    for (let stored = 0; stored < 55; stored++) await storeLead(db, burst)
    const dueTomorrow = promiseFrom(testTime + dayMs)
    for (let stored = 0; stored < 52; stored++) await storeLead(db, { ...burst, ...dueTomorrow })
    const real = await storeLead(db, { at: testTime + 1 })
    const waiting = await storeLead(db, { at: testTime + 2, ...dueTomorrow })
    clock.at += 2
    expect((await readIds()).slice(0, 20)).toContain(real)
    const { leads, totals } = await readToday()
    expect(totals).toMatchObject({ toCall: 56, waiting: 53 })
    const listed: { id: string; isInBurst: boolean }[] = leads
    expect(listed.find(({ id }) => id === waiting)).toMatchObject({ isInBurst: false })
    expect(listed.filter(({ isInBurst }) => isInBurst)).toHaveLength(30 + 49)
  })

  it('sorts emergencies first, then by deadline, with leads from earlier days last', async () => {
    const { db, clock, press, readIds } = await open()
    const store = (
      minutesAgo: number,
      { lead, ...changes }: Parameters<typeof storeLead>[1] = {},
    ) => {
      const at = testTime - minutesAgo * minuteMs
      return storeLead(db, { at, lead: { ...makeStranger(), ...lead }, ...changes })
    }
    const fresh = await store(1)
    const late = await store(30)
    const soon = await store(8)
    const emergencies = [await store(9, { lead: emergency }), await store(2, { lead: emergency })]
    const stale = await store(3 * 24 * 60, { lead: emergency })
    const [firstCalled, lastCalled, closed] = [await store(50), await store(40), await store(30)]
    const [later, again] = [await store(45), await store(45)]
    await press(closed, 'done')
    for (const id of [firstCalled, lastCalled]) {
      await press(id, 'called')
      clock.at += 1
    }
    for (const id of [again, later]) {
      await press(id, 'no-answer')
      clock.at += 1
    }
    const suspect = await store(0, { suspect: 'trap' })
    const toCall = [...emergencies, late, soon, fresh, stale]
    const calls = [lastCalled, firstCalled, again, later]
    expect(await readIds()).toEqual([...toCall, ...calls, closed, suspect])
  })

  it('lists an emergency among 104 newer leads, and counts the leads that are not listed', async () => {
    const { db, readToday } = await open()
    const waiting = await storeLead(db, { at: testTime - 60 * minuteMs, lead: emergency })
    for (let at = 0; at < 104; at++) await storeLead(db, { suspect: at < 52 ? 'trap' : null })
    const { leads, totals } = await readToday()
    expect(leads[0].id).toBe(waiting)
    expect(leads).toHaveLength(100)
    expect(totals).toEqual({
      ...{ toCall: 53, calling: 0, callAgain: 0 },
      ...{ waiting: 0, called: 0, suspect: 52 },
    })
  })
})

// On SQLite, all queries share one connection, so nothing can change during a transaction.
it('lists a lead once if someone calls while the list is being read', async () => {
  const db = await openTestDatabase('postgres')
  const id = await storeLead(db)
  let isCalled = false
  const kysely = db.kysely.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (!isCalled && result.rows.length > 0)
        isCalled = (await record(db, id, 'called')).outcome === 'appended'
      return result
    },
  })
  const groups = await listTodayLeads({ ...db, kysely }, testTime)
  expect(isCalled).toBe(true)
  expect(Object.values(groups).flatMap(({ leads }) => leads)).toMatchObject([{ id }])
})
