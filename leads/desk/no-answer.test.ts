import { describe, expect, it, onTestFinished } from 'vitest'
import { startFakeMail } from '#fakes/mail.ts'
import { startFakePush } from '#fakes/push.ts'
import { engines } from '#testing/database.ts'
import { openChannels } from '#testing/delivery.ts'
import { openTestDesk } from '#testing/desk.ts'
import { alwaysOpen, dayHours, savePhone, storeLead, testTime } from '#testing/saved-leads.ts'
import { findLead } from '../store/reading.ts'
import { recordAnswer } from '../store/reminders.ts'
import type { Engine } from '../store/tables.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const again = 'Call Jane Doe again: no answer (1 try)'

/** Opens a desk and a process that delivers, with one clock. */
async function open(engine: Engine = 'sqlite', { hours = alwaysOpen, confirmation = {} } = {}) {
  const mail = await startFakeMail()
  const push = await startFakePush()
  onTestFinished(async () => {
    await Promise.all([mail.close(), push.close()])
  })
  const env = {
    SMTP_URL: mail.url,
    ALERT_EMAIL_FROM: 'site@example.com',
    ALERT_EMAIL_TO: 'crew@example.com',
    ...confirmation,
  }
  const { db, clock, settings, get, ...desk } = await openTestDesk(engine, { hours, env })
  const post = (id: string, what: string, body?: object) =>
    desk.post(`/api/leads/${id}/${what}`, body)
  const undo = async (id: string) =>
    (await post(id, 'undo', (await get(`/api/leads/${id}`)).lead)).json.lead
  const noAnswer = (id: string, attempts = 0) => post(id, 'no-answer', { attempts })
  const startProcess = () => openChannels(db, settings, { clock, hours, fetch: push.fetch })
  /** Returns the subjects of the emails that a new process sends at a time. */
  const deliverAt = async (at: number, processes = 1) => {
    clock.at = at
    await Promise.all(Array.from({ length: processes }, () => startProcess().deliver()))
    return mail.mails.splice(0).map(({ subject }) => subject)
  }
  const { endpoint, keys } = push.addPhone('phone')
  await savePhone(db, { endpoint, ...keys })
  /** Stores a lead and delivers its first alerts. */
  const store = async (changes: Parameters<typeof storeLead>[1] = {}) => {
    const id = await storeLead(db, { at: clock.at, channels: ['push-0a1b2c3d'], ...changes })
    await startProcess().deliver()
    push.messages.length = 0
    return id
  }
  const readToday = () => get('/api/today')
  const readReport = async () => (await get('/api/promise')).report
  return { db, clock, push, store, post, undo, noAnswer, readToday, readReport, deliverAt }
}

describe.each(engines)('no answer on %s', (engine) => {
  it('counts as a kept promise, and reminds the crew once to call again', async () => {
    const { clock, push, store, noAnswer, readToday, readReport, deliverAt } = await open(engine)
    const id = await store()
    clock.at += 3 * minuteMs
    const calledAt = clock.at
    const callAgainAt = calledAt + 30 * minuteMs
    // A double tap counts once.
    const [{ status, json }] = await Promise.all([noAnswer(id), noAnswer(id)])
    expect(status).toBe(200)
    expect(json.lead).toMatchObject({
      outcome: null,
      callAttempts: 1,
      callAgainAt,
      answeredAt: calledAt,
      answeredName: 'Sam Hill',
    })
    expect(await deliverAt(calledAt)).toEqual([])
    expect(push.messages.splice(0).map(({ data }) => data.notification)).toMatchObject([
      { title: 'No answer from Jane Doe', silent: true },
    ])
    expect((await readToday()).totals).toMatchObject({ toCall: 0, answered: 1 })
    expect(await deliverAt(callAgainAt - 1)).toEqual([])
    expect(await readReport()).toMatchObject({ kept: 1, missed: 0 })
    expect(await deliverAt(callAgainAt, 4)).toEqual([again])
    expect(push.messages.splice(0).map(({ data, headers }) => ({ ...data, ...headers }))).toEqual([
      expect.objectContaining({
        notification: expect.objectContaining({ title: again }),
        lead: expect.objectContaining({ isAnswered: false }),
        ttl: '600',
      }),
    ])
    expect(await deliverAt(callAgainAt + minuteMs)).toEqual([])
    expect((await readToday()).totals).toMatchObject({ toCall: 1, answered: 0 })
    // A phone with outdated data must not count another try.
    expect((await noAnswer(id, 0)).json.lead).toMatchObject({ callAttempts: 1, callAgainAt })
    // The lead stays on the list until someone calls, after leads with a deadline to meet.
    clock.at += 3 * dayMs
    const fresh = await store()
    expect((await readToday()).leads.map((lead: { id: string }) => lead.id)).toEqual([fresh, id])

    await noAnswer(id, 1)
    expect(await deliverAt(clock.at + 30 * minuteMs)).toContain(
      'Call Jane Doe again: no answer (2 tries)',
    )
  })

  it('keeps the first answer, and reminds nobody once someone calls or closes the lead', async () => {
    const { db, clock, store, post, noAnswer, deliverAt, push } = await open(engine)
    const answer = { answeredBy: 'link', answeredAt: testTime, answeredName: null }
    for (const what of ['calling', 'done', 'not-a-lead']) {
      clock.at = testTime
      const id = await store()
      await recordAnswer(db, id, { answeredAt: testTime, answeredBy: 'link', now: testTime })
      clock.at += minuteMs
      await noAnswer(id)
      await deliverAt(clock.at)
      push.messages.length = 0
      expect((await post(id, what)).json.lead).toMatchObject({ ...answer, callAgainAt: null })
      const title = what === 'calling' ? 'Someone is calling Jane Doe again' : /Someone marked/
      expect(await deliverAt(clock.at)).toEqual([])
      expect(push.messages.splice(0)[0]?.data.notification.title).toMatch(title)
      const taken = await post(id, 'calling')
      expect([taken.status, taken.message]).toEqual([409, 'Someone else is already calling.'])
      expect(await deliverAt(clock.at + 40 * minuteMs)).toEqual([])
      // PostgreSQL cannot compare an integer column with this.
      expect((await noAnswer(id, 2 ** 31)).status).toBe(400)
      expect((await noAnswer(id, 1)).status).toBe(what === 'calling' ? 200 : 409)
      await post(id, 'done')
    }
  })

  it('can be undone step by step, without losing the first answer', async () => {
    const { db, clock, store, post, undo, noAnswer, readToday, deliverAt } = await open(engine)
    const id = await store()
    /** Taps Undo twice and expects only one step back. */
    const undoTwice = async (shown: object) => {
      const { lead } = (await post(id, 'undo', shown)).json
      expect((await post(id, 'undo', shown)).status).toBe(409)
      expect(await findLead(db, id)).toMatchObject({ callAttempts: lead.callAttempts })
      return lead
    }
    clock.at += minuteMs
    const calledAt = clock.at
    await noAnswer(id)
    const once = { callAttempts: 1, callAgainAt: calledAt, answeredAt: calledAt }
    expect(await undoTwice((await noAnswer(id, 1)).json.lead)).toMatchObject(once)
    expect((await readToday()).totals).toMatchObject({ toCall: 1 })
    expect(await deliverAt(clock.at + 4 * minuteMs)).toEqual([again])
    const never = { callAttempts: 0, callAgainAt: null }
    expect(await undo(id)).toMatchObject({ ...never, answeredAt: null })
    expect(await deliverAt(testTime + 8 * minuteMs)).toHaveLength(1)

    const { answeredAt } = (await post(id, 'calling')).json.lead
    const { lead: shown } = (await noAnswer(id)).json
    expect(await undoTwice(shown)).toMatchObject({ ...never, answeredAt })
    await noAnswer(id)
    for (const change of ['calling', 'done']) {
      await post(id, change)
      const due = { callAttempts: 1, callAgainAt: clock.at, answeredAt }
      expect(await undo(id)).toMatchObject(due)
      expect((await readToday()).totals).toMatchObject({ toCall: 1 })
      expect(await deliverAt(clock.at + 4 * minuteMs)).toEqual([again])
    }
    expect(await findLead(db, id)).toMatchObject({ answeredBy: 'desk', outcome: null })
  })
})

it('cancels an unsent reminder when someone calls again', async () => {
  const { db, clock, store, post, noAnswer, push, deliverAt } = await open()
  const id = await store()
  await noAnswer(id)
  push.failNext('phone', { kind: 'status', status: 500 }, { kind: 'status', status: 500 })
  await deliverAt(clock.at + 30 * minuteMs)
  await post(id, 'calling')
  const { deliveries = [] } = (await findLead(db, id)) ?? {}
  const ofAgain = deliveries.filter(({ reason }) => reason === 'again-1')
  expect(ofAgain.map(({ channel, state }) => [channel.slice(0, 5), state])).toEqual([
    ['email', 'sent'],
    ['push-', 'cancelled'],
  ])
})

it('emails the homeowner once per lead, but never for suspected spam', async () => {
  const confirmation = { CONFIRMATION_EMAIL: 'on' }
  const { clock, store, post, noAnswer, deliverAt } = await open('sqlite', { confirmation })
  const unreached = 'Northgate Roofing: we tried to reach you'
  const id = await store()
  await noAnswer(id)
  expect(await deliverAt(clock.at)).toEqual([unreached])
  await noAnswer(id, 1)
  await noAnswer(await store({ suspect: 'trap' }))
  expect(await deliverAt(clock.at)).toEqual([])
  // The next call cancels the first email before it is sent.
  const other = await store()
  await noAnswer(other)
  await post(other, 'calling')
  expect(await deliverAt(clock.at)).toEqual([])
  await noAnswer(other, 1)
  expect(await deliverAt(clock.at)).toEqual([unreached])
  // Another call without an answer does not cancel a pending email.
  const third = await store()
  await noAnswer(third)
  await noAnswer(third, 1)
  expect(await deliverAt(clock.at)).toEqual([unreached])
})

it('reminds the crew when we open, but of an emergency immediately', async () => {
  const { clock, store, noAnswer, deliverAt } = await open('sqlite', { hours: dayHours })
  // It is 5:45 PM. The company closes at 6 PM and opens at 7 AM.
  clock.at += 11.75 * 60 * minuteMs
  const opensAt = clock.at + 13.25 * 60 * minuteMs
  const ids = [await store(), await store({ lead: { serviceType: 'emergency' } })]
  const calledAt = clock.at
  for (const id of ids) await noAnswer(id)
  expect(await deliverAt(calledAt + 30 * minuteMs)).toEqual([
    'EMERGENCY: call Jane Doe again: no answer (1 try)',
  ])
  expect(await deliverAt(opensAt - 1)).toEqual([])
  expect(await deliverAt(opensAt)).toEqual([again])
})

it('sends no reminders for suspected spam, but lists it', async () => {
  const { clock, store, noAnswer, deliverAt, readToday } = await open()
  const id = await store({ suspect: 'trap', escalateAt: undefined })
  await noAnswer(id)
  expect(await deliverAt(clock.at + 30 * minuteMs)).toEqual([])
  expect((await readToday()).totals).toMatchObject({ toCall: 1, suspect: 0 })
})
