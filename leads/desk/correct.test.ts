import { describe, expect, it } from 'vitest'
import { startAirtable } from '#testing/airtable.ts'
import { engines } from '#testing/database.ts'
import {
  dayHours,
  jane,
  listPendingRecipients,
  makeStranger,
  promiseFrom,
  storeLead,
} from '#testing/saved-leads.ts'
import { openCrew } from '#testing/service.ts'
import type { Lead } from '../fields.ts'
import { findLead } from '../store/find-leads.ts'
import type { Engine } from '../store/tables.ts'
import { hourMs, minuteMs } from '../time-units.ts'

async function open(engine: Engine = 'sqlite', options: Parameters<typeof openCrew>[1] = {}) {
  const desk = await openCrew(engine, options)
  const { db, clock, get, post, press } = desk
  const store = (lead: Partial<Lead> = {}, more: Parameters<typeof storeLead>[1] = {}) =>
    storeLead(db, { at: clock.at, recipients: [], stepAt: undefined, ...more, lead })
  return {
    ...desk,
    store,
    /** Corrects fields on a page that shows the current values, or those in `more.shown`. */
    async correct(
      id: string,
      fields: Record<string, string>,
      more: { id?: string; shown?: Lead; requests?: object[] } = {},
      as?: string,
    ) {
      const { lead } = await get(`/api/leads/${id}`)
      return press(id, 'corrected', { fields, shown: lead?.values ?? jane, ...more }, as)
    },
    search: async (search: string): Promise<string[]> =>
      (await post('/api/search', { search })).json.leads.map((lead: { id: string }) => lead.id),
    listCards: async (): Promise<string[][]> => {
      const { leads } = await get('/api/today')
      const cards = Map.groupBy(leads as { id: string; card: string }[], ({ card }) => card)
      return [...cards.values()].map((some) => some.map(({ id }) => id).sort())
    },
  }
}

const other = '(612) 555-0112'

describe.each(engines)('a correction on %s', (engine) => {
  it('changes the values, the search, the number key, and the history, but no call', async () => {
    const { db, clock, store, correct, press, search, listCards } = await open(engine)
    const id = await store(jane, { bodyHash: 'hash', idempotencyKeys: ['key'] })
    const neighbor = await store({ ...makeStranger(), phone: other, name: 'Ana Ruiz' })
    await press(id, 'note', { text: 'Gate code 12' })
    await press(id, 'called')
    const before = await findLead(db, id)
    clock.at += minuteMs
    const fields = { phone: other, name: 'Jane Hernández', serviceType: '' }
    const { lead } = (await correct(id, { ...fields, phone: '612.555.0112' })).json
    expect(lead.history[0].text).toBe(
      'Sam Hill changed the name from Jane Doe to Jane Hernández, and the phone number from (555) 123-4567 to (612) 555-0112, and the service from Roof Repair to (blank)',
    )
    const { events, deliveries, ...after } = (await findLead(db, id)) ?? {}
    const { events: _, deliveries: __, ...rest } = before ?? {}
    expect(after).toEqual({ ...rest, ...fields })
    expect(deliveries?.map(({ reason }) => reason).sort()).toEqual([
      'called',
      'corrected-name',
      'corrected-phone',
      'corrected-serviceType',
    ])
    for (const text of ['hernandez', '6125550112', 'gate code'])
      expect(await search(text)).toContain(id)
    for (const text of ['doe', '5551234567']) expect(await search(text)).toEqual([])
    expect(await listCards()).toEqual([[id, neighbor].sort()])
    const { bodyHash, idempotencyKey, emailKey } = await db.kysely
      .selectFrom('leads')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect([bodyHash, idempotencyKey, emailKey]).toEqual(['hash', 'key', 'jane@example.com'])
    // Undo takes back the call, not the correction.
    const undone = (await press(id, 'undone')).json.lead
    expect(undone).toMatchObject({ status: 'open', name: fields.name })
  })

  it('is refused from a page that shows other values, even at the same time', async () => {
    const { db, store, correct, signIn } = await open(engine)
    const alex = await signIn('alex@example.com')
    const id = await store()
    const answers = await Promise.all([
      correct(id, { phone: other }, { shown: jane }),
      correct(id, { phone: '(612) 555-0113' }, { shown: jane }, alex),
    ])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
    const refused = answers.find(({ status }) => status === 409)
    const { phone = '' } = (await findLead(db, id)) ?? {}
    expect(refused?.message).toMatch(
      /^(Sam Hill|Alex) changed the phone number from \(555\) 123-4567 to \(612\) 555-011[23] just now\.$/,
    )
    expect(refused?.json.lead.values.phone).toBe(phone)
    // Two people must not remove the phone number and the email at the same time.
    const shown = { ...jane, phone }
    const emptied = await Promise.all([
      correct(id, { phone: '' }, { shown }),
      correct(id, { email: '' }, { shown }, alex),
    ])
    expect(emptied.map(({ status }) => status).sort()).toEqual([200, 409])
  })
})

it('changes no other request, even if the page names one', async () => {
  const { db, store, correct } = await open()
  const [id, neighbor] = [await store(), await store()]
  await correct(id, { phone: other }, { requests: [{ id: neighbor, version: 0 }] })
  expect(await findLead(db, neighbor)).toMatchObject({ ...jane, events: [] })
})

it.each([
  [{ phone: '555' }, 'phone', /^Check the phone number, including the area code/],
  [{ email: 'jane@' }, 'email', /^Check the email address/],
  [{ email: '', phone: '' }, 'phone', /^Enter a phone number or an email address\.$/],
  [{ name: 'x'.repeat(500) }, 'name', /^Please shorten your name to 100 characters\.$/],
  [{ serviceType: 'gutters' }, 'serviceType', /^Please choose a service from the list\.$/],
  [jane, undefined, /^Nothing has changed/],
  [{ name: 'Jane\u202E Doe\u200B ' }, undefined, /^Nothing has changed/],
  [{ name: 'Jane\u0000' }, undefined, /can’t be saved/],
  [{ status: 'done' }, undefined, /^This couldn’t be saved/],
])('stores nothing for %j', async (fields, field, message) => {
  const { db, store, correct } = await open()
  const id = await store()
  const { status, json } = await correct(id, fields)
  expect([status, json.error.field, json.error.message]).toEqual([
    400,
    field,
    expect.stringMatching(message),
  ])
  expect(await findLead(db, id)).toMatchObject({ ...jane, events: [] })
  expect(await listPendingRecipients(db)).toEqual([])
})

it('removes unsafe characters, and keeps optional fields empty', async () => {
  const { db, store, correct } = await open()
  const id = await store()
  await correct(id, { name: '', address: '5\u202E Elm\u0007St', phone: '' })
  expect(await findLead(db, id)).toMatchObject({ name: '', address: '5 Elm St', phone: '' })
})

it('joins the card of the new number, whether it has many requests or a colleague is calling it', async () => {
  const { store, correct, press, signIn, listCards, get } = await open()
  const alex = await signIn('alex@example.com')
  const busy: string[] = []
  for (let at = 0; at < 20; at++) busy.push(await store({ ...makeStranger(), phone: other }))
  const shared = [await store(), await store()] as const
  await press(shared[0], 'called')
  await press(busy[0] ?? '', 'called', {}, alex)
  const { lead } = (await correct(shared[0], { phone: other })).json
  expect(lead).toMatchObject({ status: 'calling', caller: 'Sam Hill' })
  expect(lead.sameNumber).toHaveLength(20)
  expect((await listCards()).map(({ length }) => length).sort()).toEqual([1, 20])
  // The result of Sam's call still applies to both requests that it was about, but not to Alex's.
  await press(shared[0], 'done')
  expect((await get(`/api/leads/${shared[1]}`)).lead.status).toBe('done')
  expect((await get(`/api/leads/${busy[0]}`)).lead.status).toBe('calling')
})

it.each([
  ['no-answer', 'called', 'call-again', 'calling'],
  ['call-again', 'no-answer', 'agreed', 'call-again'],
] as const)('after “%s”, shares “%s” with the new number', async (first, next, before, after) => {
  const { store, clock, correct, press, get } = await open()
  const [id, neighbor] = [await store(), await store()]
  const joined = await store({ ...makeStranger(), phone: other })
  const read = async (one: string) => (await get(`/api/leads/${one}`)).lead
  await press(id, first, first === 'call-again' ? { at: clock.at + hourMs } : {})
  await correct(id, { phone: other })
  expect([(await read(neighbor)).status, (await read(joined)).status]).toEqual([before, 'open'])
  await press(id, next, { version: (await read(id)).version })
  // Nobody has called the neighbor's number again.
  expect([(await read(neighbor)).status, (await read(joined)).status]).toEqual([before, after])
})

it('changes only its cells in Airtable, and keeps what the crew wrote into others', async () => {
  const { fake } = await startAirtable({ requestsPerWindow: 1_000 })
  const { store, clock, correct, deliverAt } = await open('sqlite', { env: fake.env })
  const id = await store({}, { recipients: ['airtable'] })
  const readRow = () => fake.records[0]?.fields ?? {}
  await deliverAt()
  await correct(id, { email: 'jane@example.org' })
  await deliverAt(clock.at + minuteMs)
  expect(readRow().Email).toBe('jane@example.org')
  const { Name: _, ...rest } = readRow()
  // The crew may also edit a cell that an earlier correction changed.
  const byHand = { Email: 'by hand', Address: 'by hand', Raw: 'by hand' }
  Object.assign(readRow(), byHand)
  await correct(id, { phone: other, name: '', serviceType: 'emergency' })
  const { mails, notifications } = await deliverAt(clock.at + minuteMs)
  expect([...mails, ...notifications]).toEqual([])
  expect(readRow()).toEqual({ ...rest, ...byHand, Phone: other, Service: 'Emergency Service' })
})

describe('a change to emergency', () => {
  async function openAtNight(emergencies: 'always' | 'when open') {
    const desk = await open('sqlite', { hours: { ...dayHours, emergencies } })
    // It is 8 PM, so the lead waits until 7 AM.
    desk.clock.at += 14 * hourMs
    const opensAt = desk.clock.at + 11 * hourMs
    const promise = promiseFrom(opensAt)
    const id = await desk.store({}, { ...promise, stepAt: opensAt, recipients: ['email-4f3c'] })
    const readGroup = async () => (await desk.get('/api/today')).leads[0].group
    return { ...desk, id, opensAt, promise, readGroup }
  }

  it('alerts the crew at night if we take emergencies then, and keeps the deadline', async () => {
    const { db, clock, id, opensAt, promise, press, correct, deliverAt, readGroup } =
      await openAtNight('always')
    expect((await deliverAt(clock.at + hourMs)).notifications).toEqual([])
    expect(await readGroup()).toBe('waiting')
    await correct(id, { serviceType: 'emergency' })
    expect(await findLead(db, id)).toMatchObject({ ...promise, promiseStartAt: clock.at })
    expect(await readGroup()).toBe('toCall')
    const alert = {
      title: 'Jane Doe: call by Nov 16, 7:10 AM CST',
      body: 'EMERGENCY · Springfield',
    }
    expect((await deliverAt()).notifications).toMatchObject([alert])
    // Reminders are as early as for any emergency. The last one is sent at the deadline.
    const correctedAt = clock.at
    const countAt = async (at: number) => (await deliverAt(at)).notifications.length
    for (const [minutes, count] of [
      [3, 0],
      [4, 1],
      [7, 0],
      [8, 1],
      [300, 0],
    ] as const)
      expect([minutes, await countAt(correctedAt + minutes * minuteMs)]).toEqual([minutes, count])
    expect(await countAt(opensAt)).toBe(0)
    expect(await countAt(promise.deadlineAt)).toBe(1)
    // Reminders are also sent after an Undo.
    await press(id, 'called')
    clock.at += 10 * minuteMs
    await press(id, 'undone', { version: 1 })
    // Deliver the notice about the call first so that only the reminder is counted.
    await deliverAt()
    expect(await countAt(clock.at + 4 * minuteMs)).toBe(1)
  })

  it('waits until we open if we take emergencies only then', async () => {
    const { db, clock, id, opensAt, promise, correct, deliverAt, readGroup } =
      await openAtNight('when open')
    await correct(id, { serviceType: 'emergency' })
    expect(await findLead(db, id)).toMatchObject(promise)
    expect(await readGroup()).toBe('waiting')
    expect((await deliverAt(clock.at + hourMs)).notifications).toEqual([])
    expect((await deliverAt(opensAt)).notifications).toHaveLength(1)
  })

  it('reminds immediately of a lead whose reminders would start over when we open', async () => {
    const { clock, store, press, correct, deliverAt } = await open('sqlite', {
      hours: { ...dayHours, emergencies: 'always' },
    })
    // It is 5 PM.
    clock.at += 11 * hourMs
    const id = await store({}, { ...promiseFrom(clock.at), recipients: ['email-4f3c'] })
    await deliverAt()
    await press(id, 'called')
    clock.at += 3 * hourMs
    await press(id, 'undone')
    await deliverAt()
    clock.at += hourMs
    await correct(id, { serviceType: 'emergency' })
    const { notifications } = await deliverAt()
    expect(notifications).toMatchObject([
      { body: expect.stringContaining('EMERGENCY'), silent: false },
    ])
  })

  it('wakes nobody about a request that is closed', async () => {
    const { clock, id, press, correct, deliverAt } = await openAtNight('always')
    await press(id, 'done')
    await deliverAt()
    await correct(id, { serviceType: 'emergency' })
    expect((await deliverAt(clock.at + hourMs)).notifications).toEqual([])
  })
})
