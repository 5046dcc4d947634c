import { expect, it } from 'vitest'
import { dayHours, promiseFrom, storeLead } from '#testing/saved-leads.ts'
import { openCrew } from '#testing/service.ts'
import { findLead } from '../store/reading.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const again = 'Call Jane Doe again: no answer (1 try)'

async function open(...options: Parameters<typeof openCrew>) {
  const crew = await openCrew(...options)
  const { db, clock, deliverAt } = crew
  /** Stores a lead and delivers its first alerts. */
  const store = async (changes: Parameters<typeof storeLead>[1] = {}) => {
    const id = await storeLead(db, { at: clock.at, channels: ['push-0a1b2c3d'], ...changes })
    await deliverAt()
    return id
  }
  const listMailsAt = async (at: number) => (await deliverAt(at)).subjects
  return { ...crew, store, listMailsAt }
}

it('counts a call without an answer as a kept promise, and reminds the crew to call again', async () => {
  const { clock, get, press, store, deliverAt } = await open()
  const id = await store()
  clock.at += 3 * minuteMs
  const calledAt = clock.at
  const callAgainAt = calledAt + 30 * minuteMs
  const { lead } = (await press(id, 'no-answer')).json
  expect(lead).toMatchObject({ status: 'call-again', attempts: 1, callAgainAt, calledAt })
  expect(lead).toMatchObject({ caller: 'Sam Hill', callerEmail: 'sam.hill@example.com' })
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
  expect((await deliverAt(callAgainAt + minuteMs)).subjects).toEqual([])
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
  for (const text of ['', ' \u200B', 'x'.repeat(501), undefined])
    expect((await press(id, 'note', { text })).status).toBe(400)
  for (const bad of [{ id: 'short' }, { version: 0.5 }, { at: 1 }, { via: 'airtable' }])
    expect((await press(id, 'called', bad)).status).toBe(400)
  await press(id, 'no-answer')
  for (const at of [clock.at, clock.at + 31 * 24 * hourMs])
    expect((await press(id, 'call-again', { at })).status).toBe(400)
})

it('emails the homeowner once per lead after 30 seconds, unless that is undone, and never for spam', async () => {
  const env = { CONFIRMATION_EMAIL: 'on' }
  const { clock, store, press, listMailsAt } = await open('sqlite', { env })
  const id = await store()
  expect((await press(id, 'no-answer')).json.lead.emailAt).toBe(clock.at + 30_000)
  expect(await listMailsAt(clock.at + 29_999)).toEqual([])
  await press(id, 'undone')
  expect(await listMailsAt(clock.at + 30_000)).toEqual([])
  await press(id, 'no-answer')
  await press(id, 'no-answer')
  expect(await listMailsAt(clock.at + 30_000)).toEqual(['Northgate Roofing: we tried to reach you'])
  expect((await press(id, 'no-answer')).json.lead.emailAt).toBeNull()
  await press(await store({ suspect: 'trap' }), 'no-answer')
  // The next call cancels an email that was not sent yet.
  const other = await store()
  await press(other, 'no-answer')
  await press(other, 'called')
  expect(await listMailsAt(clock.at + 30_000)).toEqual([])
})

it.each(['roof-repair', 'emergency'] as const)(
  'emails a homeowner with two requests once, and reminds the crew of each, after “No answer” on the %s',
  async (pressed) => {
    const options = { hours: dayHours, env: { CONFIRMATION_EMAIL: 'on' } }
    const { clock, store, press, listMailsAt } = await open('sqlite', options)
    // It is 5:45 PM. The company closes at 6 PM and opens at 7 AM.
    clock.at += 11.75 * hourMs
    const calledAt = clock.at
    const opensAt = calledAt + 13.25 * hourMs
    const ids = {
      emergency: await store({ lead: { serviceType: 'emergency' } }),
      'roof-repair': await store({ lead: { serviceType: 'roof-repair' } }),
    }
    for (const kind of ['called', 'no-answer'] as const) await press(ids[pressed], kind)
    expect(await listMailsAt(calledAt + 30_000)).toEqual([
      'Northgate Roofing: we tried to reach you',
    ])
    const listReminders = async (at: number) =>
      (await listMailsAt(at)).filter((subject) => subject.includes('again: no answer'))
    expect(await listReminders(calledAt + 30 * minuteMs)).toEqual([
      'EMERGENCY: call Jane Doe again: no answer (1 try)',
    ])
    expect(await listReminders(opensAt)).toEqual([again])
  },
)

it('shows on phones without a sound that someone is calling, and after Undo that a call is due', async () => {
  const { store, press, deliverAt } = await open()
  const id = await store()
  await press(id, 'called')
  const calling = { title: 'Sam Hill is calling Jane Doe', silent: true }
  expect((await deliverAt()).notifications).toMatchObject([calling])
  await press(id, 'undone')
  const due = { title: 'Jane Doe: call by 6:10 AM CST', silent: true }
  expect((await deliverAt()).notifications).toMatchObject([due])
})

it('cancels an alert that waits until we open once someone calls, unless the call is undone', async () => {
  const { db, press, clock } = await open()
  const dueAt = clock.at + 8 * hourMs
  const channels = { channels: [], channelsAtOpening: ['push-0a1b2c3d'] }
  const id = await storeLead(db, { ...channels, ...promiseFrom(dueAt) })
  const listPushes = async () =>
    (await findLead(db, id))?.deliveries.filter(({ channel }) => channel.startsWith('push'))
  await press(id, 'called')
  // The phone has shown nothing that a notification about the call could replace.
  expect(await listPushes()).toMatchObject([{ state: 'cancelled', cancelReason: 'called' }])
  clock.at += minuteMs
  await press(id, 'undone')
  expect(await listPushes()).toMatchObject([{ state: 'waiting', nextAttemptAt: dueAt }])
})
