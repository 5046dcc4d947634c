import { expect, it } from 'vitest'
import { dayHours, jane, promiseFrom, record, storeLead } from '#testing/saved-leads.ts'
import { openCrew } from '#testing/service.ts'
import { listDueTimes } from '../store/claims.ts'
import { crew } from '../store/crew-rows.ts'
import { findLead } from '../store/find-leads.ts'
import type { Database } from '../store/tables.ts'
import { hourMs, minuteMs } from '../time-units.ts'

const again = 'Call Jane Doe again: no answer (1 try)'

async function open(...options: Parameters<typeof openCrew>) {
  const crew = await openCrew(...options)
  const { db, clock, deliverAt } = crew
  /** Stores a lead and delivers its first alerts. */
  const store = async (changes: Parameters<typeof storeLead>[1] = {}) => {
    const id = await storeLead(db, { at: clock.at, recipients: ['push-0a1b2c3d'], ...changes })
    await deliverAt()
    return id
  }
  const listMailsAt = async (at: number) => (await deliverAt(at)).subjects
  return { ...crew, store, listMailsAt }
}

it('counts a call without an answer as a kept promise, and reminds the crew to call again', async () => {
  const { clock, get, press, store, deliverAt, wakes } = await open()
  const id = await store()
  clock.at += 3 * minuteMs
  const calledAt = clock.at
  const callAgainAt = calledAt + 30 * minuteMs
  const { lead } = (await press(id, 'no-answer')).json
  expect(lead).toMatchObject({ status: 'call-again', attempts: 1, callAgainAt, calledAt })
  expect(lead).toMatchObject({ caller: 'Sam Hill', callerEmail: 'sam.hill@example.com' })
  expect(wakes).toEqual([calledAt])
  expect(await deliverAt(calledAt)).toMatchObject({
    subjects: [],
    notifications: [{ title: 'No answer from Jane Doe', silent: true }],
  })
  expect((await get('/api/report')).report).toMatchObject({ kept: 1, missed: 0 })
  expect((await deliverAt(callAgainAt - 1)).subjects).toEqual([])
  expect(await deliverAt(callAgainAt)).toMatchObject({
    subjects: [again],
    notifications: [{ title: again }],
  })
  expect((await deliverAt(callAgainAt + hourMs - 1)).subjects).toEqual([])
  expect((await deliverAt(callAgainAt + hourMs)).subjects).toEqual([again])
  expect((await deliverAt(callAgainAt + 24 * hourMs)).subjects).toEqual([])
})

it('reminds twice of a planned call whose time passed during a call that was undone', async () => {
  const { clock, press, store, listMailsAt } = await open()
  const id = await store()
  await press(id, 'no-answer')
  const start = clock.at
  clock.at = start + 28 * minuteMs
  await press(id, 'called')
  clock.at = start + 33 * minuteMs
  await press(id, 'undone')
  expect(await listMailsAt(start + 37 * minuteMs - 1)).toEqual([])
  expect(await listMailsAt(start + 37 * minuteMs)).toEqual([again])
  expect(await listMailsAt(start + 97 * minuteMs)).toEqual([again])
})

it('keeps the time of a call that the homeowner asked for, even while we are closed, and emails nobody', async () => {
  const env = { CONFIRMATION_EMAIL: 'on' }
  const { clock, press, store, deliverAt } = await open('sqlite', { hours: dayHours, env })
  // It is 8 PM, so the lead waits until 7 AM.
  clock.at += 14 * hourMs
  const id = await store(promiseFrom(clock.at + 11 * hourMs))
  const at = clock.at + 2 * hourMs
  await press(id, 'called')
  const { lead } = (await press(id, 'call-again', { at })).json
  expect(lead).toMatchObject({ status: 'agreed', attempts: 0, callAgainAt: at, emailAt: null })
  expect(lead.history[0].text).toBe('Sam Hill called and agreed to call again at 10:00 PM CST')
  expect((await deliverAt(at - 1)).subjects).toEqual([])
  const asked = 'Call Jane Doe again: we agreed to another call'
  expect(await deliverAt(at)).toMatchObject({
    subjects: [asked],
    notifications: [{ title: asked, silent: false }],
  })
})

it('accepts a press from an old page if it is still valid, and otherwise explains why not', async () => {
  const { clock, press, signIn, store } = await open()
  const id = await store()
  const alex = await signIn('alex@example.com')
  const old = { version: 0 }
  await press(id, 'note', { text: 'Dog in the yard.' }, alex)
  expect((await press(id, 'called', old)).status).toBe(200)
  clock.at += 2 * minuteMs
  const refused = await press(id, 'called', {}, alex)
  expect([refused.status, refused.message]).toEqual([409, 'Sam Hill called 2 minutes ago.'])
  expect(refused.json.lead).toMatchObject({ status: 'calling', version: 1 })
  expect((await press(id, 'no-answer', old, alex)).status).toBe(200)
  expect(await press(id, 'no-answer', { version: 1 })).toMatchObject({
    status: 409,
    message: 'Alex called just now, no answer.',
  })
  expect((await press(id, 'done', old)).status).toBe(200)
  expect((await press(id, 'not-a-lead', { version: 2 }, alex)).message).toBe(
    'Sam Hill marked this as done just now.',
  )
  expect((await press(id, 'undone', { version: 2 }, alex)).status).toBe(409)
})

it('refuses a call from an old page if a colleague has planned the next one, but not one by a link', async () => {
  const { press, signIn, store, db } = await open()
  const id = await store()
  const alex = await signIn('alex@example.com')
  await press(id, 'no-answer', {}, alex)
  const late = await press(id, 'called', { version: 0 })
  expect([late.status, late.message]).toEqual([409, 'Alex called just now, no answer.'])
  expect(late.json.lead).toMatchObject({ status: 'call-again' })
  expect((await press(id, 'called', { version: 1 })).status).toBe(200)
  await press(id, 'no-answer', {}, alex)
  await record(db, id, 'called', { via: 'link', person: null })
  expect((await findLead(db, id))?.status).toBe('calling')
})

it('shows the history in plain words, newest first, and rejects other input', async () => {
  const { db, clock, get, press } = await open()
  const id = await storeLead(db)
  await press(id, 'no-answer')
  await press(id, 'undone')
  await press(id, 'note', { text: 'Call\u202E after 5.\n\n\n\nThanks' })
  const { history } = (await get(`/api/leads/${id}`)).lead
  expect(history).toMatchObject([
    { kind: 'note', text: 'Sam Hill wrote: Call after 5.\n\nThanks', isUndone: false },
    { kind: 'undone', text: 'Sam Hill undid “No answer”' },
    { kind: 'no-answer', text: 'Sam Hill called, no answer', isUndone: true },
  ])
  const typed = await press(id, 'note', { text: 'C:\\u0000 and \\\\u0000' })
  expect(typed.json.lead.history[0].text).toBe('Sam Hill wrote: C:\\u0000 and \\\\u0000')
  for (const text of ['', ' \u200B', 'x'.repeat(501), undefined])
    expect((await press(id, 'note', { text })).status).toBe(400)
  for (const bad of [{ id: 'short' }, { version: 0.5 }, { at: 1 }, { via: 'airtable' }])
    expect((await press(id, 'called', bad)).status).toBe(400)
  await press(id, 'no-answer')
  for (const at of [clock.at - hourMs, clock.at + 61 * 24 * hourMs])
    expect((await press(id, 'moved', { at })).status).toBe(400)
})

it('accepts a time that passed while the phone had no connection, and reminds the crew now', async () => {
  const { clock, press, store, listMailsAt } = await open()
  const id = await store()
  const { lead } = (await press(id, 'call-again', { at: clock.at - 20 * minuteMs })).json
  expect(lead).toMatchObject({ status: 'agreed', callAgainAt: clock.at })
  expect(await listMailsAt(clock.at)).toHaveLength(1)
})

it('emails a number once per day, 30 seconds after “No answer”, unless that is undone', async () => {
  const env = { CONFIRMATION_EMAIL: 'on' }
  const { clock, store, press, listMailsAt } = await open('sqlite', { env })
  const mail = 'Northgate Roofing: we tried to reach you'
  const id = await store()
  expect((await press(id, 'no-answer')).json.lead.emailAt).toBe(clock.at + 30_000)
  expect(await listMailsAt(clock.at + 29_999)).toEqual([])
  await press(id, 'undone')
  expect(await listMailsAt(clock.at + 30_000)).toEqual([])
  await press(id, 'no-answer')
  await press(id, 'no-answer')
  expect(await listMailsAt(clock.at + 30_000)).toEqual([mail])
  const sameNumber = await store()
  for (const one of [id, sameNumber, await store({ suspect: 'trap' })])
    expect((await press(one, 'no-answer')).json.lead.emailAt).toBeNull()
  expect((await press(id, 'call-again', { at: clock.at + hourMs })).status).toBe(409)
  // It is the next day.
  clock.at += 24 * hourMs
  await listMailsAt(clock.at)
  await press(id, 'no-answer')
  expect(await listMailsAt(clock.at + 30_000)).toEqual([mail])
  // The email contains the phone number's last digits, so a homeowner without a number gets no email.
  const withoutNumber = await store({ lead: { phone: '' } })
  expect((await press(withoutNumber, 'no-answer')).json.lead.emailAt).toBeNull()
})

it('cancels the email to the homeowner at the next call, and if they called back', async () => {
  const env = { CONFIRMATION_EMAIL: 'on' }
  const { clock, store, press, listMailsAt } = await open('sqlite', { env })
  const id = await store()
  await press(id, 'no-answer')
  await press(id, 'called')
  await press(id, 'call-again', { at: clock.at + 2 * hourMs })
  expect(await listMailsAt(clock.at + 30_000)).toEqual([])
})

it('cancels the email that names the number if that number is corrected', async () => {
  const env = { CONFIRMATION_EMAIL: 'on' }
  const { clock, store, press, deliverAt } = await open('sqlite', { env })
  const id = await store()
  await press(id, 'no-answer')
  const correct = (shown: object, fields: object) => press(id, 'corrected', { shown, fields })
  await correct({ name: jane.name }, { name: 'Jane Hernández' })
  const { lead } = (await correct({ phone: jane.phone }, { phone: '(555) 200-9999' })).json
  expect(lead.emailAt).toBeNull()
  expect((await deliverAt(clock.at + 30_000)).mails).toEqual([])
  await press(id, 'no-answer')
  const { mails } = await deliverAt(clock.at + 30_000)
  expect(mails.map(({ text }) => text)).toEqual([expect.stringContaining('ending in 9999')])
})

it.each(['roof-repair', 'emergency'] as const)(
  'reminds the crew of two requests at the time of each, after “No answer” on the %s',
  async (pressed) => {
    const { clock, store, press, listMailsAt } = await open('sqlite', { hours: dayHours })
    // It is 5:45 PM. The company closes at 6 PM and opens at 7 AM.
    clock.at += 11.75 * hourMs
    const calledAt = clock.at
    const ids = {
      emergency: await store({ lead: { serviceType: 'emergency' } }),
      'roof-repair': await store({ lead: { serviceType: 'roof-repair' } }),
    }
    await press(ids[pressed], 'no-answer')
    for (const hours of [0.5, 1.5])
      expect(await listMailsAt(calledAt + hours * hourMs)).toEqual([
        `EMERGENCY: c${again.slice(1)}`,
      ])
    expect(await listMailsAt(calledAt + 13.25 * hourMs)).toContain(again)
  },
)

it('asks about a call with its time, also after Undo', async () => {
  const { clock, store, press, deliverAt } = await open()
  const id = await store()
  for (const kind of ['called', 'no-answer', 'undone'] as const) {
    await press(id, kind)
    clock.at += 5 * minuteMs
  }
  const { mails } = await deliverAt(clock.at + 30 * minuteMs)
  expect(mails.map(({ text }) => text)).toEqual([
    expect.stringContaining('Sam Hill called at 6:00 AM CST. What happened?'),
  ])
})

/** Returns when the crew is next told about a lead. */
const findStep = async (db: Database) =>
  (await listDueTimes(db, [crew], { now: 0, holder: '' })).get(crew)

it('makes the planned call of suspected spam due if its time has passed before an Undo', async () => {
  const { db, clock, press } = await open()
  const id = await storeLead(db, { suspect: 'trap', stepAt: undefined })
  for (const kind of ['no-answer', 'done', 'undone'] as const) {
    clock.at += hourMs
    await press(id, kind)
  }
  expect(await findStep(db)).toBe(clock.at)
})

it('cancels an alert that waits until we open once someone calls, unless the call is undone', async () => {
  const { db, press, clock } = await open()
  const dueAt = clock.at + 8 * hourMs
  const id = await storeLead(db, { recipients: [], stepAt: dueAt, ...promiseFrom(dueAt) })
  await press(id, 'called')
  // The next step is the question about the call.
  expect(await findStep(db)).toBe(clock.at + 30 * minuteMs)
  // The phone has shown nothing that a notification about the call could replace.
  expect((await findLead(db, id))?.deliveries.map(({ recipient }) => recipient)).toEqual([
    'airtable',
  ])
  clock.at += minuteMs
  await press(id, 'undone')
  expect(await findStep(db)).toBe(dueAt)
})
