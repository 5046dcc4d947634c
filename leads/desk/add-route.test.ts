import { describe, expect, it } from 'vitest'
import { engines } from '#testing/database.ts'
import { openTestDesk } from '#testing/desk.ts'
import { dayHours, listLeads, makeStranger, storeLead, testTime } from '#testing/saved-leads.ts'
import { openCrew } from '#testing/service.ts'
import type { Lead } from '../fields.ts'
import { findLead } from '../store/reading.ts'
import type { Engine } from '../store/tables.ts'

const minuteMs = 60_000

async function open(engine: Engine = 'sqlite') {
  const crew = await openCrew(engine, { env: { CONFIRMATION_EMAIL: 'on' } })
  const add = (
    fields: Partial<Lead>,
    isCalled = false,
    { id = crypto.randomUUID(), as }: { id?: string; as?: string } = {},
  ) => crew.post('/api/leads', { id, isCalled, fields }, as)
  const listStatuses = async () =>
    (await crew.get('/api/today')).leads.map(({ status }: { status: string }) => status)
  return { ...crew, add, listStatuses }
}

const mai = { name: 'Mai Tran', phone: '612-555-0134' }

describe.each(engines)('a lead by hand on %s', (engine) => {
  it('needs a call like any other, and the caller gets no email', async () => {
    const { db, clock, add, deliverAt, press } = await open(engine)
    const { status, json } = await add({ ...mai, email: 'mai@example.com' })
    expect(status).toBe(200)
    expect(json.lead).toMatchObject({
      name: 'Mai Tran',
      status: 'open',
      source: 'Phone call',
      consent: null,
      deadlineAt: testTime + 10 * minuteMs,
    })
    expect(await deliverAt()).toMatchObject({
      subjects: ['Call Mai Tran by 6:10 AM CST'],
      notifications: [{ title: 'Mai Tran: call by 6:10 AM CST' }],
    })
    await press(json.lead.id, 'no-answer')
    clock.at += minuteMs
    expect((await deliverAt()).mails).toEqual([])
    expect((await findLead(db, json.lead.id))?.deliveries.map(({ channel }) => channel)).toContain(
      'airtable',
    )
  })

  it('causes no alert or reminder if someone is already calling, until that is undone', async () => {
    const { db, clock, add, deliverAt, press } = await open(engine)
    const { lead } = (await add(mai, true)).json
    expect(lead).toMatchObject({ status: 'calling', caller: 'Sam Hill', calledAt: testTime })
    clock.at += 60 * minuteMs
    expect(await deliverAt()).toMatchObject({ subjects: [], notifications: [] })
    const { deliveries = [] } = (await findLead(db, lead.id)) ?? {}
    expect(deliveries.map(({ channel, reason }) => `${channel} ${reason}`).sort()).toEqual([
      'airtable called',
      'airtable received',
    ])
    await press(lead.id, 'undone')
    clock.at += 4 * minuteMs
    expect((await deliverAt()).mails).toHaveLength(1)
  })

  it('is stored once, however often the page sends it', async () => {
    const { db, add } = await open(engine)
    const id = crypto.randomUUID()
    const added = await Promise.all([
      add(mai, true, { id }),
      add(mai, true, { id }),
      add(mai, true, { id }),
    ])
    expect(added.map(({ status }) => status)).toEqual([200, 200, 200])
    const leads = await listLeads(db, { limit: 10 })
    expect(leads.map(({ events }) => events.length)).toEqual([1])
    const changed = await add({ ...mai, name: 'Mai T.' }, true, { id })
    expect([changed.status, changed.message]).toEqual([
      400,
      'This lead was already saved without your last changes. Open it in the list, and add them as a note.',
    ])
  })

  it('is linked with that of a colleague who adds the same caller at the same time', async () => {
    const { add, get, press, listStatuses, signIn } = await open(engine)
    const alex = await signIn('alex@example.com')
    const added = await Promise.all([
      add(mai),
      add({ phone: '+1 612 555 0134' }, false, { as: alex }),
    ])
    const [first, second] = added.map(({ json }) => json.lead.id)
    expect((await get(`/api/leads/${first}`)).lead.others).toMatchObject([{ id: second }])
    await press(second, 'called', {}, alex)
    expect(await listStatuses()).toEqual(['calling', 'calling'])
  })

  it('shares one call and its Undo with the form of the same homeowner', async () => {
    const { db, clock, add, press, deliverAt, listStatuses } = await open(engine)
    const form = await storeLead(db, { channels: ['email-1'], lead: { ...mai, name: 'MAI TRAN' } })
    clock.at += 5 * minuteMs
    const { lead } = (await add(mai)).json
    expect(lead.others).toEqual([{ id: form, receivedAt: testTime }])
    // Mail servers may get the reminder about the form first.
    expect((await deliverAt()).subjects).toContain('Again: call Mai Tran by 6:15 AM CST')
    await press(form, 'called')
    expect(await listStatuses()).toEqual(['calling', 'calling'])
    await press(lead.id, 'no-answer')
    expect(await listStatuses()).toEqual(['call-again', 'call-again'])
    await press(form, 'undone')
    await press(form, 'undone')
    expect(await listStatuses()).toEqual(['open', 'open'])
    // The second request is an hour old, so the reminders of both start over.
    clock.at += 60 * minuteMs
    expect((await deliverAt()).subjects).toHaveLength(2)
  })
})

it.each<[Partial<Lead>, string, string]>([
  [{ name: 'Mai Tran' }, 'phone', 'Enter a phone number or an email address.'],
  [
    { phone: '612-555-ROOF' },
    'phone',
    'Check the phone number, including the area code. Use digits, not letters.',
  ],
  [
    { phone: '612-555-0134', email: 'mai@' },
    'email',
    'Check the email address. It should look like name@example.com.',
  ],
])('names the field for %j', async (fields, field, message) => {
  const { add } = await open()
  const { status, json } = await add(fields)
  expect([status, json]).toEqual([400, { error: { message, field } }])
})

it('formats a US number like the form, and keeps others as they are', async () => {
  const { add } = await open()
  const store = async (phone: string) => (await add({ phone })).json.lead.phone.shown
  for (const phone of ['6125550134', '612.555.0134', '+1 612 555 0134'])
    expect(await store(phone)).toBe('(612) 555-0134')
  for (const phone of ['+44 20 7946 0958', '(612) 555-0134 ext 8'])
    expect(await store(phone)).toBe(phone)
})

it('is found by its source', async () => {
  const { db, add, post } = await open()
  await storeLead(db, { lead: makeStranger(), source: 'utm_campaign=spring+roofs' })
  await add(mai)
  const find = async (source: string) =>
    (await post('/api/search', { source })).json.leads.map(({ name }: { name: string }) => name)
  expect(await find('Phone call')).toEqual(['Mai Tran'])
  expect(await find('Spring roofs')).toEqual(['Jane Doe'])
})

it('asks for an email to a caller without a phone number', async () => {
  const { add, deliverAt } = await open()
  const { lead } = (await add({ email: 'mai@example.com' })).json
  expect(lead).toMatchObject({ name: 'mai@example.com', phone: null, mapUrl: null })
  const { mails, notifications } = await deliverAt()
  expect(notifications).toMatchObject([{ title: 'mai@example. com: email by 6:10 AM CST' }])
  const [mail] = mails
  expect(mail?.subject).toBe('Email mai@example. com by 6:10 AM CST')
  expect(mail?.text).toContain('Email: mai@example. com')
})

describe('requests of one homeowner', () => {
  it('stay readable if there are 20', async () => {
    const { db, get } = await open()
    const ids: string[] = []
    for (let at = 0; at < 20; at++)
      ids.push(await storeLead(db, { at: testTime - at * minuteMs, lead: mai }))
    const { lead } = await get(`/api/leads/${ids[0]}`)
    expect(lead.others.map(({ id }: { id: string }) => id)).toEqual(ids.slice(1, 3))
    expect(lead.moreOthers).toBe(17)
  })

  it('are separate if the first was closed or erased, or is another homeowner’s', async () => {
    const { db, add, press, post, get, call, cookie } = await open()
    const first = await storeLead(db, { lead: mai })
    const stranger = await storeLead(db, { lead: { ...mai, ...makeStranger() } })
    await press(first, 'done')
    const { lead } = (await add(mai)).json
    expect(lead.others.map(({ id }: { id: string }) => id)).toEqual([first])
    await press(lead.id, 'called')
    expect((await findLead(db, first))?.status).toBe('done')
    expect((await findLead(db, stranger))?.status).toBe('open')
    await call('DELETE', `/api/leads/${first}`, { cookie, body: { name: 'Mai Tran' } })
    expect((await get(`/api/leads/${lead.id}`)).lead.others).toEqual([])
    const { leads } = (await post('/api/search', {})).json
    expect(leads.map(({ others }: { others: [] }) => others.length)).toEqual([0, 0])
  })

  it('keep their own deadlines', async () => {
    const desk = await openTestDesk('sqlite', { hours: dayHours })
    const fields = { ...mai, address: '1 Elm St' }
    const body = (changes: object) => ({
      id: crypto.randomUUID(),
      isCalled: false,
      fields: { ...fields, ...changes },
    })
    // It is 6 AM, an hour before the company opens.
    const normal = (await desk.post('/api/leads', body({}))).json.lead
    const urgent = (await desk.post('/api/leads', body({ serviceType: 'emergency' }))).json.lead
    expect(normal.deadlineAt).toBe(testTime + 70 * minuteMs)
    expect(urgent.deadlineAt).toBe(testTime + 10 * minuteMs)
  })

  it('are counted in the report, with the phone call as their source', async () => {
    const { db, clock, add, get } = await open()
    await storeLead(db, { lead: mai })
    await storeLead(db, { lead: makeStranger() })
    await add(mai)
    clock.at += minuteMs
    const { report } = await get('/api/report')
    expect(report.repeats).toBe(1)
    expect(report.bySource).toMatchObject([
      { source: 'Unknown', leads: 2 },
      { source: 'Phone call', leads: 1 },
    ])
  })
})
