import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openDatabase } from '#server/database.ts'
import { startAirtable } from '#testing/airtable.ts'
import { createDir, engines, openTestDatabase } from '#testing/database.ts'
import { openDelivery, sendWell } from '#testing/delivery.ts'
import { openTestDesk } from '#testing/desk.ts'
import { dayHours, promiseFrom, storeLead, testTime } from '#testing/saved-leads.ts'
import { acquireChannel, releaseChannel } from '../store/channel-leases.ts'
import { findLead, listLeads } from '../store/reading.ts'
import { findNextEscalationAt, recordAnswer } from '../store/reminders.ts'
import type { Database } from '../store/tables.ts'

async function open(...options: Parameters<typeof openTestDesk>) {
  const desk = await openTestDesk(...options)
  const erase = (id: string, { name = 'Jane Doe', ...more }: Record<string, unknown> = {}) =>
    desk.call('DELETE', `/api/leads/${id}`, { cookie: desk.cookie, body: { name, ...more } })
  const act = (id: string, what: string, body?: object) =>
    desk.post(`/api/leads/${id}/${what}`, body)
  const undo = async (id: string) => act(id, 'undo', (await desk.get(`/api/leads/${id}`)).lead)
  return { ...desk, erase, act, undo }
}

const send = (db: Database) => openDelivery(db, sendWell).deliver()
const unavailable = { error: { code: 'airtable-unavailable' } }

describe.each(engines)('on %s', (engine) => {
  it('erases a lead here and in Airtable, and no other', async () => {
    const airtable = await startAirtable()
    const { db, erase, clock } = await open(engine, { env: airtable.fake.env })
    const [gone, stays] = [await storeLead(db), await storeLead(db)]
    await airtable.send(await listLeads(db, { limit: 10 }))
    await send(db)
    clock.at += 60_000
    expect((await erase(gone)).json.message).toContain('Erased here and in Airtable.')
    expect(await findLead(db, gone)).toBeUndefined()
    expect(await findLead(db, stays)).toBeDefined()
    expect(airtable.fake.records.map(({ fields }) => fields['Lead ID'])).toEqual([stays])
    const next = { holder: 'site', now: clock.at, until: clock.at + 1 }
    expect(await acquireChannel(db, 'airtable', next)).toBe(true)
  })

  it('records the outcome, credits the first person who answered, and updates Airtable', async () => {
    const { db, act } = await open(engine)
    const [id, called] = [await storeLead(db), await storeLead(db)]
    expect((await act(id, 'not-a-lead')).json.lead).toMatchObject({ outcome: 'not-a-lead' })
    await db.kysely.updateTable('deliveries').set({ state: 'sent' }).execute()
    const done = { outcome: 'done', answeredName: 'Sam Hill' }
    expect((await act(id, 'done')).json.lead).toMatchObject(done)
    expect((await findLead(db, id))?.deliveries).toContainEqual(
      expect.objectContaining({ reason: 'outcome', state: 'waiting' }),
    )
    await recordAnswer(db, called, { answeredAt: testTime, answeredBy: 'link', now: testTime })
    const credited = { outcome: 'done', answeredBy: 'link', answeredName: null }
    expect((await act(called, 'done')).json.lead).toMatchObject(credited)
  })

  it('reopens a closed lead, and restarts reminders if it was not answered', async () => {
    const { db, get, act, undo, clock } = await open(engine)
    const [closed, called] = [await storeLead(db), await storeLead(db)]
    await act(called, 'calling')
    for (const id of [closed, called]) await act(id, 'not-a-lead')
    const countPromises = async () => (await get('/api/promise')).report.leads
    clock.at += 60_000
    expect(await countPromises()).toBe(0)
    for (const id of [closed, called]) await undo(id)
    expect(await countPromises()).toBe(2)
    expect(await findLead(db, closed)).toMatchObject({ outcome: null, answeredAt: null })
    expect(await findLead(db, called)).toMatchObject({ outcome: null, answeredBy: 'desk' })
    expect(await findNextEscalationAt(db)).toBe(testTime + 240_000)
  })

  it('sends reminders again after reopening, and notifies staff of the new answer', async () => {
    const { db, act, undo, clock } = await open(engine)
    const id = await storeLead(db)
    await db.kysely.updateTable('deliveries').set({ attempts: 1, state: 'sent' }).execute()
    const listPending = async () => {
      const { deliveries = [] } = (await findLead(db, id)) ?? {}
      return deliveries.filter(({ state }) => state === 'waiting').map(({ reason }) => reason)
    }
    await act(id, 'calling')
    expect(await listPending()).toEqual(['answered'])
    await send(db)
    clock.at += 3_600_000
    const undone = await undo(id)
    expect(undone.json.lead).toMatchObject({ answeredAt: null, callAgainAt: null })
    expect(await findNextEscalationAt(db)).toBe(clock.at + 240_000)
    expect(await listPending()).toEqual(['outcome'])
    await act(id, 'calling')
    expect(await listPending()).toContain('answered')
    await undo(id)
    expect(await listPending()).toEqual(['outcome'])
    await act(id, 'done')
    await undo(id)
    expect(await findNextEscalationAt(db)).toBe(clock.at + 240_000)
  })

  it('does not undo what someone else did since the page was loaded', async () => {
    const { db, act, undo, clock } = await open(engine)
    const id = await storeLead(db)
    const change = async (what: string, attempts = 0) =>
      (await act(id, what, { attempts })).json.lead
    const expectKept = async (shown: object) => {
      const before = await findLead(db, id)
      expect((await act(id, 'undo', shown)).status).toBe(409)
      expect(await findLead(db, id)).toEqual(before)
    }
    for (const [first, second] of [
      ['calling', 'calling'],
      ['no-answer', 'no-answer'],
      ['done', 'not-a-lead'],
    ] as const) {
      const shown = await change(first)
      await undo(id)
      clock.at += 1_000
      const next = await change(second)
      await expectKept(shown)
      if (second !== 'no-answer') continue
      await change('no-answer', 1)
      await expectKept(next)
    }
    expect((await act(id, 'undo')).status).toBe(400)
  })

  it('cancels an alert that waits until we open once someone calls, unless the call is undone', async () => {
    const { db, act, undo, clock } = await open(engine)
    const dueAt = testTime + 8 * 3_600_000
    const channels = { channels: [], channelsAtOpening: ['sms-1'] }
    const id = await storeLead(db, { ...channels, ...promiseFrom(dueAt) })
    const readAlert = async () =>
      (await findLead(db, id))?.deliveries.find(({ channel }) => channel === 'sms-1')
    expect(await readAlert()).toMatchObject({ state: 'waiting', nextAttemptAt: dueAt, dueAt })
    await act(id, 'calling')
    expect(await readAlert()).toMatchObject({ state: 'cancelled' })
    clock.at += 60_000
    await undo(id)
    expect(await readAlert()).toMatchObject({ state: 'waiting', nextAttemptAt: dueAt })
  })
})

it('retries the pending deliveries of one lead or of all leads', async () => {
  const { db, post, act, clock, wakes } = await open()
  const save = () => storeLead(db, { channels: ['airtable'] })
  const [one, other] = [await save(), await save()]
  const laterAt = testTime + 3_600_000
  await db.kysely.updateTable('deliveries').set({ next_attempt_at: laterAt }).execute()
  const readDue = async (id: string) => (await findLead(db, id))?.deliveries[0]?.nextAttemptAt
  await act(one, 'retry')
  expect([await readDue(one), await readDue(other)]).toEqual([clock.at, laterAt])
  expect((await post('/api/retry')).json).toEqual({ retried: 2 })
  expect(await readDue(other)).toBe(clock.at)
  expect(wakes).toHaveLength(2)
})

it('restarts the reminders when we open if a lead is reopened at night', async () => {
  const { db, act, undo, clock } = await open('sqlite', { hours: dayHours })
  const id = await storeLead(db)
  await act(id, 'done')
  // It is 9 PM. The company opens at 7 AM.
  clock.at += 15 * 3_600_000
  await undo(id)
  expect(await findNextEscalationAt(db)).toBe(clock.at + 10 * 3_600_000 + 240_000)
})

it('erases nothing while Airtable is unavailable, unless the owner chooses “Erase here only”', async () => {
  const db = await openTestDatabase('sqlite')
  const id = await storeLead(db)
  await send(db)
  const token = { AIRTABLE_TOKEN: 't', AIRTABLE_BASE_ID: 'b' }
  const unreachable = { ...token, AIRTABLE_API_URL: 'http://127.0.0.1:1' }
  for (const [env, reason] of [
    [unreachable, 'could not be reached'],
    [{}, 'no longer connected'],
  ] as const) {
    const { erase, clock } = await open(db, { env })
    clock.at += 60_000
    const refused = await erase(id)
    expect(refused).toMatchObject({ status: 409, json: unavailable })
    expect(refused.message).toMatch(new RegExp(`^Nothing was erased\\. .*${reason}`))
    expect(await findLead(db, id)).toBeDefined()
  }
  const { erase } = await open(db)
  expect((await erase(id, { name: 'Jane', hereOnly: true })).status).toBe(400)
  expect((await erase(id, { hereOnly: true })).json.message).toMatch(`Lead ID ${id} by hand`)
  expect(await findLead(db, id)).toBeUndefined()
})

it('erases a lead after its name is typed, and then returns 404', async () => {
  const { db, call, cookie, get, erase } = await open()
  const id = await storeLead(db)
  for (const name of ['Jane', 7]) expect((await erase(id, { name })).status).toBe(400)
  for (const [name, shown, typed] of [
    ['Jane Doe', 'Jane Doe', '  jane   DOE '],
    ['Ja\u200Dne\u200B \u2067Doe\u00AD', 'Jane Doe', 'Jane Doe'],
    ['\u200D\u2800', 'No name', 'No name'],
    // Phones type this apostrophe; many keyboards have neither it nor the accent.
    ['José O’Brien', 'José O’Brien', "jose o'brien"],
  ] as const) {
    const lead = await storeLead(db, { lead: { name } })
    expect((await get(`/api/leads/${lead}`)).lead.name.replace('\u200D', '')).toBe(shown)
    expect((await erase(lead, { name: typed })).json).toEqual({ message: 'Erased.' })
    for (const path of ['', '/calling', '/done']) {
      const asked = await call(path ? 'POST' : 'GET', `/api/leads/${lead}${path}`, { cookie })
      expect([asked.status, asked.message]).toEqual([404, 'This lead was erased.'])
    }
  }
})

it('waits until the site has stopped sending, so that no row arrives after the deletion', async () => {
  const { db, erase, clock } = await open()
  const id = await storeLead(db)
  const lease = { holder: 'site', now: clock.at, until: clock.at + 600_000 }
  await acquireChannel(db, 'airtable', lease)
  expect(await erase(id)).toMatchObject({ status: 409, json: unavailable })
  expect(await findLead(db, id)).toBeDefined()
  await releaseChannel(db, 'airtable', 'site', 0)
  expect((await erase(id)).json).toEqual({ message: 'Erased.' })
})

it('leaves no trace of an erased lead in the files of the embedded database', async () => {
  const dataDir = createDir()
  const db = await openDatabase({ dataDir })
  onTestFinished(() => db.close())
  const { erase } = await open(db)
  const lead = { email: 'forget-me@example.com', address: 'Vanishing Lane 7' }
  const id = await storeLead(db, { lead })
  await storeLead(db)
  const holdsTrace = () =>
    readdirSync(dataDir).some((file) =>
      /forget-me|Vanishing/.test(readFileSync(join(dataDir, file), 'latin1')),
    )
  expect(holdsTrace()).toBe(true)
  expect((await erase(id)).status).toBe(200)
  expect(holdsTrace()).toBe(false)
})

it('reports met and missed deadlines for 7, 30, and 90 days', async () => {
  const { db, get, act } = await open()
  const id = await storeLead(db, { at: testTime - 3_600_000 })
  await storeLead(db, { at: testTime - 20 * 24 * 3_600_000 })
  await act(id, 'calling')
  const report = async (days: number) => (await get(`/api/promise?days=${days}`)).report
  expect(await report(7)).toMatchObject({ leads: 1, missed: 1 })
  expect(await report(30)).toMatchObject({ leads: 2, missed: 2 })
})
