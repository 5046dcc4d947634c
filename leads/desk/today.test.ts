import { describe, expect, it } from 'vitest'
import { engines } from '#testing/database.ts'
import { openTestDesk } from '#testing/desk.ts'
import { makeStranger, promiseFrom, record, storeLead, testTime } from '#testing/saved-leads.ts'
import { dayMs, minuteMs } from '../time-units.ts'
import type { TodayLead } from './today.ts'

const emergency = { serviceType: 'emergency' } as const

describe.each(engines)('today on %s', (engine) => {
  async function open() {
    const desk = await openTestDesk(engine)
    const readToday = () => desk.get('/api/today')
    const readIds = async () => (await readToday()).leads.map(({ id }: { id: string }) => id)
    return { ...desk, readToday, readIds }
  }

  it('lists today’s leads and those of earlier days that nobody called', async () => {
    const { db, call, cookie, clock } = await open()
    const older = await storeLead(db, { at: testTime - 2 * dayMs })
    const oldest = await storeLead(db, { at: testTime - 9 * dayMs })
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
      { id: oldest },
    ])
    const known = { 'if-none-match': headers.get('etag') ?? '' }
    clock.at += 1_000
    expect((await call('GET', '/api/today', { cookie, headers: known })).status).toBe(304)
  })

  it('lists and counts leads until someone closes them, separately after a week', async () => {
    const { db, clock, press, readToday, readIds } = await open()
    const store = (changes = {}) => storeLead(db, { lead: makeStranger(), ...changes })
    const [linked, calling, again] = [await store(), await store(), await store()]
    // The last lead arrived during a long closure.
    const others = [await store(), await store(promiseFrom(testTime + 2 * dayMs))]
    await record(db, linked, 'called', { via: 'link', person: null })
    await press(calling, 'called')
    await press(again, 'no-answer')
    await press(await store(), 'done')
    const readTotals = async () => (await readToday()).totals
    clock.at += 7 * dayMs
    expect(await readTotals()).toMatchObject({ mine: 1, toCall: 2, calling: 1, due: 1, older: 0 })
    clock.at += dayMs
    expect(await readTotals()).toMatchObject({ mine: 0, toCall: 1, calling: 0, due: 0, older: 4 })
    clock.at += 20 * dayMs
    const ids = [linked, calling, again, ...others]
    expect((await readIds()).toSorted()).toEqual(ids.toSorted())
    for (const id of ids) await press(id, 'done')
    clock.at += 2 * dayMs
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

  it('lists a burst from one network separately from all other leads', async () => {
    const { db, clock, readToday } = await open()
    const store = (changes = {}) => storeLead(db, { lead: makeStranger(), ...changes })
    const storeMany = async (times: number, changes = {}) => {
      for (let stored = 0; stored < times; stored++)
        await store({
          ...changes,
          lead: { ...makeStranger(), ...emergency },
          clientAddress: '203.0.113.7',
        })
    }
    const dueTomorrow = promiseFrom(testTime + dayMs)
    await storeMany(75)
    await storeMany(52, dueTomorrow)
    const real = await store({ at: testTime + 1 })
    const waiting = await store({ at: testTime + 2, ...dueTomorrow })
    clock.at += 2
    const { leads, totals } = await readToday()
    // Only the 20th and later leads from one network are a burst.
    expect(totals).toMatchObject({ toCall: 20, burst: 56, burstLater: 52, waiting: 1 })
    const listed: TodayLead[] = leads
    const countIn = (group: TodayLead['group']) =>
      listed.filter((lead) => lead.group === group).length
    expect([countIn('toCall'), countIn('burst'), countIn('burstLater')]).toEqual([20, 50, 50])
    expect(listed.find(({ id }) => id === real)).toMatchObject({ group: 'toCall' })
    expect(listed.find(({ id }) => id === waiting)).toMatchObject({ group: 'waiting' })
  })

  it('sorts emergencies first, then by deadline, with late emergencies and earlier days last', async () => {
    const { db, clock, press, readIds } = await open()
    const store = (minutesAgo: number, lead = {}) =>
      storeLead(db, { at: testTime - minutesAgo * minuteMs, lead: { ...makeStranger(), ...lead } })
    const stale = await store(3 * 24 * 60)
    const [fresh, soon, late] = [await store(1), await store(8), await store(30)]
    const [new1, new2] = [await store(9, emergency), await store(2, emergency)]
    const [inTime, tooLate] = [await store(69, emergency), await store(71, emergency)]
    const [firstCalled, lastCalled, closed] = [await store(50), await store(40), await store(30)]
    const [later, again] = [await store(45), await store(45)]
    const suspect = await storeLead(db, { suspect: 'trap' })
    for (const [id, kind] of [
      [closed, 'done'],
      [firstCalled, 'called'],
      [lastCalled, 'called'],
      [again, 'no-answer'],
      [later, 'no-answer'],
    ] as const) {
      await press(id, kind)
      clock.at += 1
    }
    const toCall = [inTime, new1, new2, late, soon, fresh, tooLate, stale]
    const others = [again, later, closed, suspect]
    expect(await readIds()).toEqual([lastCalled, firstCalled, ...toCall, ...others])
  })

  it('lists an emergency among 104 newer leads, and counts the homeowners that are not listed', async () => {
    const { db, readToday } = await open()
    const waiting = await storeLead(db, { at: testTime - 60 * minuteMs, lead: emergency })
    for (let at = 0; at < 104; at++)
      await storeLead(db, { suspect: at < 52 ? 'trap' : null, lead: makeStranger() })
    const { leads, totals } = await readToday()
    expect(leads[0].id).toBe(waiting)
    expect(leads).toHaveLength(100)
    expect(totals).toMatchObject({ toCall: 53, suspect: 52 })
  })

  it('counts the calls that were due today, in the company’s time zone', async () => {
    const { db, clock, press, readToday } = await open()
    // It is 6 AM in Chicago.
    const store = (minutesAgo: number, changes: Parameters<typeof storeLead>[1] = {}) =>
      storeLead(db, { at: testTime - minutesAgo * minuteMs, lead: makeStranger(), ...changes })
    const [onTime, late, notALead] = [await store(9), await store(11), await store(8)]
    await store(20)
    await store(5)
    await store(3, { suspect: 'trap' })
    await store(6 * 60 + 11)
    const early = await store(2, promiseFrom(testTime + 60 * minuteMs))
    for (const id of [onTime, late, early]) await press(id, 'called')
    await press(notALead, 'not-a-lead')
    expect((await readToday()).onTime).toEqual({ calls: 2, requests: 4 })
    // Someone called on the previous evening.
    const closed = await store(10 * 60, promiseFrom(testTime + 60 * minuteMs))
    await record(db, closed, 'done', { at: testTime - 10 * 60 * minuteMs })
    clock.at += 15 * 60 * minuteMs
    expect((await readToday()).onTime).toEqual({ calls: 3, requests: 6 })
    clock.at += 3 * 60 * minuteMs
    expect((await readToday()).onTime).toEqual({ calls: 0, requests: 0 })
  })

  describe('with several requests from one number', () => {
    const summarize = (leads: TodayLead[]) =>
      leads.map(({ id, card, group, requests }) => ({ id, card, group, requests }))

    it('has one card for 20 requests, and lists the others behind it', async () => {
      const { db, readToday, readIds } = await open()
      const later = await storeLead(db, { at: testTime - minuteMs, lead: makeStranger() })
      const ids: string[] = []
      for (let at = 0; at < 25; at++)
        ids.push(await storeLead(db, { at: testTime - (30 - at) * minuteMs }))
      const { leads, totals } = await readToday()
      expect(totals).toMatchObject({ toCall: 2 })
      expect(await readIds()).toEqual([...ids.slice(0, 20), later])
      expect(
        new Set(summarize(leads.slice(0, 20)).map(({ card, requests }) => [card, requests].join())),
      ).toEqual(new Set(['5551234567,25']))
    })

    it('puts a card into the most urgent group, without closed requests and possible spam', async () => {
      const { db, clock, press, readToday } = await open()
      const early = await storeLead(db, { at: testTime - 9 * minuteMs })
      await press(early, 'done')
      const again = await storeLead(db)
      await press(again, 'no-answer')
      const spam = await storeLead(db, { suspect: 'trap' })
      const read = async () => summarize((await readToday()).leads)
      const one = { card: '5551234567', requests: 1 }
      expect(await read()).toEqual([
        { id: again, group: 'later', ...one },
        { id: spam, group: 'suspect', card: spam, requests: 1 },
      ])
      clock.at += minuteMs
      const urgent = await storeLead(db, { at: clock.at, lead: { ...emergency, name: 'Bill' } })
      const both = { card: '5551234567', requests: 2, group: 'toCall' }
      expect((await read()).slice(0, 2)).toEqual([
        { id: urgent, ...both },
        { id: again, ...both },
      ])
      await press(urgent, 'called')
      expect((await read())[0]).toEqual({ id: urgent, ...both, group: 'mine' })
      const requests = [{ id: again, version: 2 }]
      await press(urgent, 'done', { version: 1, requests })
      expect((await read())[0]).toEqual({ id: urgent, ...both, requests: 3, group: 'called' })
    })

    it('counts a card with a planned call, if another of its requests needs a call before', async () => {
      const { db, clock, press, readToday } = await open()
      const planned = await storeLead(db)
      await press(planned, 'call-again', { at: clock.at + 50 * dayMs })
      const old = await storeLead(db, { at: testTime - 9 * dayMs })
      const { leads, totals } = await readToday()
      expect(totals).toMatchObject({ older: 1, later: 0 })
      expect(leads.map(({ id }: TodayLead) => id)).toEqual([old, planned])
    })

    it('gives leads without a number their own cards', async () => {
      const { db, readToday } = await open()
      await storeLead(db, { lead: { phone: '' } })
      await storeLead(db, { lead: { phone: '' } })
      expect((await readToday()).totals).toMatchObject({ toCall: 2 })
    })
  })
})

it('shows problems of the server only to owners', async () => {
  const warning = { severity: 'warning' as const, text: 'Ouch.' }
  const listWarnings = async () => [
    { id: 'disk-nearly-full', ...warning },
    { id: 'push-device-gone', ...warning, forCrew: true },
  ]
  const { db, get, signIn } = await openTestDesk('sqlite', { listWarnings })
  await db.kysely.insertInto('deskCrew').values({ email: 'dana@example.com' }).execute()
  const listIds = async (cookie?: string) =>
    (await get('/api/today', cookie)).warnings.map(({ id }: { id: string }) => id)
  expect(await listIds()).toEqual(['disk-nearly-full', 'push-device-gone'])
  expect(await listIds(await signIn('dana@example.com'))).toEqual(['push-device-gone'])
})
