import { describe, expect, it } from 'vitest'
import { startAirtable } from '#testing/airtable.ts'
import { engines } from '#testing/database.ts'
import { dayHours, promiseFrom, record, storeLead } from '#testing/saved-leads.ts'
import { openCrew } from '#testing/service.ts'
import { findLead } from '../store/find-leads.ts'
import { nameServerPerson } from '../store/sign-in.ts'
import { minuteMs } from '../time-units.ts'

// The crew's phone belongs to Sam.
const sam = { person: 'Sam', email: nameServerPerson('Sam') }
const unknown = { person: null, email: null, via: 'link' as const }
const question = 'Did you reach Jane Doe?'
const putBack = 'Call Jane Doe again: Sam called but didn’t enter a result'

async function open(...options: Parameters<typeof openCrew>) {
  const crew = await openCrew(...options)
  const { db, clock, deliverAt } = crew
  const start = clock.at
  const store = (changes: Parameters<typeof storeLead>[1] = {}) =>
    storeLead(db, { at: clock.at, recipients: [], ...changes })
  const call = (id: string, caller: object = sam) =>
    record(db, id, 'called', { at: clock.at, ...caller })
  /** Delivers at these times (minutes after the start), and returns the crew's emails and audible notifications. */
  const hearAt = async (...minutes: number[]) => {
    const heard: string[] = []
    for (const minute of minutes) {
      // Run again a second later, because the first run makes other steps due, and Airtable requests need a pause.
      for (const laterMs of [0, 1_000]) {
        const { subjects, notifications } = await deliverAt(start + minute * minuteMs + laterMs)
        const sounds = notifications.filter(({ silent }) => !silent)
        heard.push(...subjects.map((subject) => `${minute} email: ${subject}`))
        heard.push(...sounds.map(({ title }) => `${minute} phone: ${title}`))
      }
      clock.at = start + minute * minuteMs
    }
    return heard
  }
  const readLead = (id: string) => findLead(db, id)
  return { ...crew, start, store, call, hearAt, readLead }
}

describe.each(engines)('on %s', (engine) => {
  it('asks the caller’s phone once after 30 minutes, and puts the lead back for everybody after 2 hours', async () => {
    const { store, call, hearAt, readLead, start, get } = await open(engine)
    const id = await store()
    await call(id)
    expect(await hearAt(29, 30, 31, 119)).toEqual([`30 phone: ${question}`])
    expect(await hearAt(120, 121)).toEqual([`120 email: ${putBack}`, `120 phone: ${putBack}`])
    expect(await hearAt(180)).toHaveLength(2)
    expect(await readLead(id)).toMatchObject({
      status: 'no-result',
      attempts: 0,
      callAgainAt: start + 120 * minuteMs,
      caller: 'Sam',
    })
    const { lead } = await get(`/api/leads/${id}`)
    expect(lead.history[0].text).toBe(
      'The site moved this to “Call again” because the call had no result',
    )
    expect((await get('/api/today')).totals).toMatchObject({ due: 1, mine: 0, calling: 0 })
  })

  it('asks once about a call for several requests, as soon as an emergency needs it, and puts them back together', async () => {
    const { store, call, hearAt, readLead } = await open(engine)
    const ids = [await store(), await store({ lead: { serviceType: 'emergency' } }), await store()]
    await call(ids[0] ?? '')
    expect(await hearAt(9, 10, 29)).toEqual([`10 phone: ${question}`])
    await hearAt(30)
    const [first, ...others] = await Promise.all(ids.map(readLead))
    expect(first?.events.at(-1)).toMatchObject({ kind: 'no-result', via: 'site', person: null })
    for (const other of others) expect(other?.events.at(-1)?.id).toBe(first?.events.at(-1)?.id)
  })
})

it('asks everybody if nobody knows who called, or if the caller’s devices get no notifications', async () => {
  const { store, call, hearAt, start, clock } = await open()
  await call(await store(), unknown)
  const toAll = 'Did anyone reach Jane Doe?'
  expect(await hearAt(30)).toEqual([`30 email: ${toAll}`, `30 phone: ${toAll}`])
  clock.at = start + 31 * minuteMs
  const bob = { lead: { name: 'Bob Roe', phone: '(555) 555-0101', email: 'bob@example.com' } }
  await call(await store(bob), { person: 'Alex', email: 'alex@example.com' })
  expect(await hearAt(61)).toEqual([
    '61 email: Did Alex reach Bob Roe?',
    '61 phone: Did Alex reach Bob Roe?',
  ])
})

it.each([
  ['EMERGENCY', null],
  ['EMERGENCY (possible spam)', 'trap'],
] as const)(
  'asks sooner if a request that is being called becomes an %s',
  async (word, suspect) => {
    const { call, store, hearAt, press, clock, start } = await open()
    const id = await store({ suspect })
    await call(id)
    clock.at = start + 5 * minuteMs
    const shown = { serviceType: 'roof-repair' }
    await press(id, 'corrected', { shown, fields: { serviceType: 'emergency' } })
    expect(await hearAt(9, 10)).toEqual([`10 phone: ${question}`])
    expect(await hearAt(29)).toEqual([])
    expect(await hearAt(30)).toContain(`30 email: ${word}: call${putBack.slice(4)}`)
  },
)

it('waits until we open, but not for an emergency', async () => {
  const { store, call, hearAt } = await open('sqlite', { hours: dayHours })
  // It is 6 AM, and we open at 7.
  await call(await store())
  expect(await hearAt(30, 59, 60)).toEqual([`60 phone: ${question}`])
  expect(await hearAt(120, 149)).toEqual([])
  expect((await hearAt(150)).length).toBe(2)
  const night = await open('sqlite', { hours: dayHours })
  // An ordinary request from the same homeowner waits until we open.
  await night.store(promiseFrom(night.start + 60 * minuteMs))
  await night.call(await night.store({ lead: { serviceType: 'emergency' } }))
  expect(await night.hearAt(10)).toEqual([`10 phone: ${question}`])
  expect(await night.hearAt(30)).toContain(`30 email: EMERGENCY: call${putBack.slice(4)}`)
})

it('stops with a result, and starts over when Undo takes it back, but never asks twice', async () => {
  const { db, store, call, hearAt, start, readLead } = await open()
  const id = await store()
  await call(id)
  await hearAt(30)
  await record(db, id, 'done', { at: start + 40 * minuteMs })
  expect(await hearAt(120)).toEqual([])
  const at = start + 130 * minuteMs
  await record(db, id, 'undone', { at, version: 2 })
  expect(await hearAt(160, 249)).toEqual([])
  await hearAt(250)
  expect(await readLead(id)).toMatchObject({ status: 'no-result' })
  await record(db, id, 'undone', { at: start + 251 * minuteMs, version: 4 })
  expect(await readLead(id)).toMatchObject({ status: 'calling' })
  await record(db, id, 'undone', { at: start + 252 * minuteMs, version: 5 })
  expect(await readLead(id)).toMatchObject({ status: 'open' })
  expect(await hearAt(256)).not.toContainEqual(expect.stringContaining(question))
})

it('treats possible spam like other leads once someone has called', async () => {
  const { db, store, call, hearAt, start } = await open()
  const id = await store({ suspect: 'trap', stepAt: undefined })
  expect(await hearAt(10)).toEqual([])
  await call(id)
  expect(await hearAt(40)).toEqual([`40 phone: ${question}`])
  const callAgainAt = start + 300 * minuteMs
  await record(db, id, 'call-again', { at: start + 40 * minuteMs, callAgainAt })
  expect(await hearAt(120, 299)).toEqual([])
  expect(await hearAt(300)).toEqual([
    '300 email: Possible spam: call Jane Doe again: we agreed to another call',
    '300 phone: Call Jane Doe again: we agreed to another call',
  ])
})

it('reminds once of the next call about several requests', async () => {
  const { db, store, hearAt, start } = await open()
  await Promise.all([store(), store(), store()])
  const [id = ''] = [await store({ lead: { serviceType: 'emergency' } })]
  await record(db, id, 'no-answer', { at: start, callAgainAt: start + 45 * minuteMs })
  const heard = await hearAt(45, 105)
  expect(heard).toHaveLength(4)
  expect(heard[0]).toMatch(/^45 email: EMERGENCY: call Jane Doe again/)
  expect(heard[2]).toMatch(/^105 email: EMERGENCY/)
})

it('accepts the caller’s result after the lead was put back', async () => {
  const { db, store, call, hearAt, start, readLead } = await open()
  const id = await store()
  await call(id)
  await hearAt(30, 120)
  await record(db, id, 'no-answer', { at: start + 121 * minuteMs, version: 1 })
  expect(await readLead(id)).toMatchObject({ status: 'call-again', attempts: 1 })
})

describe('with Airtable', () => {
  async function openAirtable() {
    const { fake } = await startAirtable({ requestsPerWindow: 1000 })
    const opened = await open('sqlite', { env: fake.env })
    const store = () => opened.store({ recipients: ['airtable'] })
    const ids = [await store(), await store()] as const
    await opened.hearAt(0)
    await opened.call(ids[0])
    await opened.hearAt(1)
    const setStatus = (id: string, status: string) => {
      const row = fake.records.find(({ fields }) => fields['Lead ID'] === id)
      if (row) row.fields.Status = status
    }
    return { ...opened, fake, ids, setStatus }
  }

  it.each([
    [0, 1],
    [1, 0],
  ] as const)(
    'takes a Status as the result of request %i, but not the one that the site writes',
    async (set, other) => {
      const { ids, setStatus, hearAt, readLead } = await openAirtable()
      setStatus(ids[set], 'Done')
      expect(await hearAt(30)).toEqual([`30 phone: ${question}`])
      expect(await readLead(ids[set])).toMatchObject({ status: 'airtable', caller: 'Sam' })
      expect(await readLead(ids[other])).toMatchObject({ status: 'calling' })
      setStatus(ids[other], 'Follow-up')
      expect(await hearAt(120, 180)).toEqual([])
      expect(await readLead(ids[other])).toMatchObject({ status: 'airtable', attempts: 0 })
    },
  )

  it('takes a Status as the result after the lead was put back', async () => {
    const { ids, setStatus, hearAt, readLead } = await openAirtable()
    // Reading Airtable advances the clock, so allow more than 120 minutes.
    await hearAt(30, 121, 122)
    expect(await readLead(ids[0])).toMatchObject({ status: 'no-result' })
    for (const id of ids) setStatus(id, 'Done')
    expect(await hearAt(182, 245)).toEqual([])
    expect(await readLead(ids[0])).toMatchObject({ status: 'airtable', attempts: 0 })
  })

  it('does not take a Status from before an Undo as a result again', async () => {
    const { db, ids, setStatus, hearAt, readLead, start } = await openAirtable()
    setStatus(ids[0], 'Done')
    await hearAt(30)
    await record(db, ids[0], 'undone', { at: start + 40 * minuteMs, version: 2 })
    await hearAt(70, 160)
    expect(await readLead(ids[0])).toMatchObject({ status: 'no-result' })
  })
})
