import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { openTestDesk } from '#testing/desk.ts'
import { jane, makeStranger, record, storeLead, testTime } from '#testing/saved-leads.ts'
import { makeHomeownerKeys } from '../homeowner-keys.ts'
import { dayMs, minuteMs } from '../time-units.ts'
import { findLead } from './find-leads.ts'

it('knows a number in every spelling, and with its country code', () => {
  const listKeys = (...phones: string[]) =>
    new Set(phones.map((phone) => makeHomeownerKeys({ ...jane, phone }).phoneKey))
  expect(
    listKeys('(555) 123-4567', '1 555 123 4567', '+15551234567', '５５５１２３４５６７').size,
  ).toBe(1)
  expect(listKeys('+44 20 7946 0958', '+442079460958').size).toBe(1)
  expect(listKeys('(555) 123-4567', '+5551234567').size).toBe(2)
  expect(listKeys('', 'n/a')).toEqual(new Set([null]))
})

// Store fewer requests on PostgreSQL, because each takes more time there.
it.each([
  ['sqlite', 2_000],
  ['postgres', 300],
] as const)('on %s, a call covers %i requests, as does Undo', async (engine, requests) => {
  const db = await openTestDatabase(engine)
  const id = await storeLead(db)
  const { id: _, ...lead } = await db.kysely
    .selectFrom('leads')
    .selectAll()
    .executeTakeFirstOrThrow()
  const copies = Array.from({ length: requests - 1 }, (_, at) => ({ ...lead, id: `copy-${at}` }))
  for (let from = 0; from < copies.length; from += 400)
    await db.kysely
      .insertInto('leads')
      .values(copies.slice(from, from + 400))
      .execute()
  const countByStatus = () =>
    db.kysely
      .selectFrom('leads')
      .select((eb) => ['status', eb.fn.countAll<number>().as('count')])
      .groupBy('status')
      .execute()
  await record(db, id, 'called')
  expect(await countByStatus()).toEqual([{ status: 'calling', count: requests }])
  await record(db, 'copy-7', 'undone', { version: 1 })
  expect(await countByStatus()).toEqual([{ status: 'open', count: requests }])
})

it('is named in the history of each request, and an email that matches is only a link', async () => {
  const { db, get, press } = await openTestDesk()
  const at = testTime - 1
  const karen = await storeLead(db, { at, lead: { name: 'Karen Smith' } })
  const bills = [await storeLead(db, { lead: { name: 'Bill Ode' } })]
  bills.push(await storeLead(db, { lead: { name: 'Bill Ode', serviceType: 'other' } }))
  const stranger = { ...makeStranger(), name: '.', address: '-', email: jane.email }
  const fake = await storeLead(db, { lead: stranger })
  const called = (await press(bills[0] ?? '', 'called')).json.lead
  const readAlso = ({ history }: typeof called) => history[0].also?.replace(/[\u2068\u2069]/g, '')
  expect(readAlso(called)).toBe('Also recorded for 2 other requests (Karen Smith, Bill Ode)')
  const { lead } = await get(`/api/leads/${karen}`)
  expect(readAlso(lead)).toBe('Also recorded for 2 other requests (2 from Bill Ode)')
  expect(lead.sameNumber).toHaveLength(2)
  expect(lead.sameEmail).toMatchObject([{ id: fake, phone: { shown: stranger.phone } }])
  const shown = (await press(fake, 'called')).json.lead
  expect(shown.history[0].also).toBeNull()
  expect(shown.sameNumber).toEqual([])
  expect(shown.sameEmail).toHaveLength(2)
})

it.each(engines)('links requests with one email if both lack a number, on %s', async (engine) => {
  const { db, get } = await openTestDesk(engine)
  const numbers = ['', '', jane.phone]
  const ids: string[] = []
  for (const phone of numbers) ids.push(await storeLead(db, { lead: { phone } }))
  for (const id of ids) {
    const { lead } = await get(`/api/leads/${id}`)
    expect(lead.sameNumber).toEqual([])
    const linked = lead.sameEmail.map((other: { id: string }) => other.id)
    expect(new Set(linked)).toEqual(new Set(ids.filter((other) => other !== id)))
  }
})

describe('a button on the card of a number', () => {
  /** Stores three requests with one number, so Sam sees them on one card. */
  async function open() {
    const desk = await openTestDesk()
    const store = () => storeLead(desk.db)
    const ids = [await store(), await store(), await store()] as const
    const show = async () =>
      Promise.all(ids.map(async (id) => ({ id, version: (await findLead(desk.db, id))?.version })))
    const listStatuses = () =>
      Promise.all(ids.map(async (id) => (await findLead(desk.db, id))?.status))
    const listTimes = () =>
      Promise.all(ids.map(async (id) => (await findLead(desk.db, id))?.callAgainAt))
    return { ...desk, ids, show, listStatuses, listTimes, store }
  }

  it('changes the requests that it showed, but none that are closed or came since', async () => {
    const { db, ids, press, show, listStatuses, store } = await open()
    await press(ids[1], 'not-a-lead', { isAlone: true })
    const requests = await show()
    const since = await store()
    const { json } = await press(ids[0], 'done', { requests })
    expect(json.lead.history[0].also).toMatch(/^Also recorded for 1 other request/)
    expect(await listStatuses()).toEqual(['done', 'not-a-lead', 'done'])
    expect((await findLead(db, since))?.status).toBe('open')
    await press(ids[0], 'undone')
    expect(await listStatuses()).toEqual(['open', 'not-a-lead', 'open'])
  })

  it('also closes the requests that a full card omits, but none that a colleague has changed or that just came', async () => {
    const { db, clock, ids, press, store } = await open()
    for (let stored = ids.length; stored < 25; stored++) await store()
    const changed = await store()
    await press(changed, 'no-answer', { isAlone: true })
    clock.at += 2 * minuteMs
    const late = await storeLead(db, { at: clock.at - 1_000 })
    const first = ids[0]
    const { rows } = await sql<{ id: string; version: number }>`
      select id, version from leads where version = 0 and id <> ${first} 
      order by received_at limit 19`.execute(db.kysely)
    await press(first, 'not-a-lead', { requests: rows })
    const left = await db.kysely
      .selectFrom('leads')
      .select('id')
      .where('status', '!=', 'not-a-lead')
    expect(await left.execute()).toEqual(expect.arrayContaining([{ id: changed }, { id: late }]))
    expect(await left.execute()).toHaveLength(2)
  })

  it('records the result of a call for all its requests, also from a page of before the call', async () => {
    const { ids, press, show, listStatuses } = await open()
    const requests = await show()
    await press(ids[0], 'called', { requests })
    await press(ids[0], 'no-answer', { requests })
    expect(await listStatuses()).toEqual(['call-again', 'call-again', 'call-again'])
  })

  it('saves a sale for one request only, also if the others agreed on another call', async () => {
    const { ids, press, show, listStatuses, clock } = await open()
    await press(ids[0], 'call-again', { at: clock.at + dayMs, requests: await show() })
    expect(await listStatuses()).toEqual(['agreed', 'agreed', 'agreed'])
    const text = 'too-expensive'
    await press(ids[0], 'lost', { text, version: 1, requests: await show() })
    expect(await listStatuses()).toEqual(['lost', 'agreed', 'agreed'])
  })

  it('leaves other closed requests as they are, except for Undo', async () => {
    const { ids, press, show, listStatuses } = await open()
    await press(ids[0], 'done', { requests: await show() })
    await press(ids[0], 'not-a-lead')
    expect(await listStatuses()).toEqual(['not-a-lead', 'done', 'done'])
    await press(ids[0], 'undone')
    await press(ids[0], 'undone')
    expect(await listStatuses()).toEqual(['open', 'open', 'open'])
  })

  it('keeps what a colleague has planned since', async () => {
    const { clock, ids, press, show, listStatuses } = await open()
    await press(ids[1], 'no-answer', { isAlone: true })
    const requests = await show()
    const at = clock.at + dayMs
    await press(ids[1], 'moved', { at, isAlone: true })
    await press(ids[0], 'called', { requests })
    expect(await listStatuses()).toEqual(['calling', 'call-again', 'calling'])
    await press(ids[0], 'done', { requests: await show() })
    expect(await listStatuses()).toEqual(['done', 'done', 'done'])
  })

  it('keeps a time that was agreed until it comes, unless the homeowner was reached', async () => {
    const { db, clock, ids, press, show, listStatuses } = await open()
    const at = clock.at + dayMs
    await press(ids[1], 'call-again', { at, isAlone: true })
    for (const kind of ['called', 'no-answer'] as const) {
      await press(ids[0], kind, { requests: await show() })
      expect(await findLead(db, ids[1])).toMatchObject({ status: 'agreed', callAgainAt: at })
    }
    await press(ids[2], 'called')
    expect(await listStatuses()).toEqual(['calling', 'agreed', 'calling'])
    await press(ids[2], 'undone')
    clock.at = at
    await press(ids[0], 'called')
    expect(await listStatuses()).toEqual(['calling', 'calling', 'calling'])
    await press(ids[0], 'undone')
    await press(ids[0], 'done', { requests: await show() })
    expect(await listStatuses()).toEqual(['done', 'done', 'done'])
  })

  it('agrees on one call for all its requests, unless a colleague has planned another since', async () => {
    const { clock, ids, press, show, listTimes } = await open()
    const [at, moved] = [clock.at + dayMs, clock.at + 2 * dayMs]
    await press(ids[1], 'no-answer', { isAlone: true })
    await press(ids[2], 'call-again', { at: moved, isAlone: true })
    const requests = await show()
    await press(ids[2], 'moved', { at: moved, isAlone: true })
    await press(ids[0], 'call-again', { at, requests })
    expect(await listTimes()).toEqual([at, at, moved])
    await press(ids[0], 'undone')
    await press(ids[0], 'call-again', { at, requests: await show() })
    expect(await listTimes()).toEqual([at, at, at])
  })

  it('counts the calls to the number, so that all its requests have one time for the next call', async () => {
    const { ids, press, show, listStatuses, listTimes } = await open()
    for (let attempt = 1; attempt <= 4; attempt++)
      await press(ids[0], 'no-answer', { isAlone: true })
    await press(ids[1], 'no-answer', { requests: await show() })
    expect(new Set(await listTimes()).size).toBe(1)
    expect((await press(ids[1], 'never-reached', { isAlone: true })).status).toBe(200)
    await press(ids[2], 'never-reached', { requests: await show() })
    expect(await listStatuses()).toEqual(['never-reached', 'never-reached', 'never-reached'])
  })

  it('needs five calls of open requests before “Never reached”', async () => {
    const { ids, press, listStatuses } = await open()
    for (let attempt = 1; attempt <= 5; attempt++) {
      expect((await press(ids[0], 'never-reached')).status).toBe(409)
      await press(ids[0], 'no-answer', { isAlone: true })
    }
    await press(ids[0], 'never-reached')
    await press(ids[1], 'no-answer')
    expect((await press(ids[1], 'never-reached')).status).toBe(409)
    expect(await listStatuses()).toEqual(['never-reached', 'call-again', 'call-again'])
  })

  it('treats requests for which one time was agreed alike', async () => {
    const { clock, ids, press, listStatuses } = await open()
    await press(ids[0], 'called')
    await press(ids[0], 'call-again', { at: clock.at + dayMs })
    await press(ids[0], 'no-answer')
    expect(await listStatuses()).toEqual(['call-again', 'call-again', 'call-again'])
  })
})
