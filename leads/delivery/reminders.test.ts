import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startFakeAirtable } from '#fakes/airtable.ts'
import { engines, openTestDatabase } from '#testing/database.ts'
import { createFakeChannel, createTestContext } from '#testing/delivery.ts'
import { storeLead } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import type { AirtableSettings } from '../channels/airtable/client.ts'
import type { Result } from '../channels/channel.ts'
import { acquireChannel } from '../store/channel-leases.ts'
import { recordOutcome, undoLast } from '../store/outcome.ts'
import { findLead } from '../store/reading.ts'
import { findNextEscalationAt, recordAnswer } from '../store/reminders.ts'
import type { Database } from '../store/tables.ts'
import { createDeliverer } from './deliver.ts'
import { remindDue } from './reminders.ts'

const minuteMs = 60_000
const start = Date.parse('2026-11-15T18:00:00Z')

const save = (db: Database) => storeLead(db, { at: start })

type Sent = { at: number; leadId: string; reason: string; channel: string }

/** Starts a process that reminds and delivers; `sent` lists its messages. */
function startProcess(
  db: Database,
  {
    clock = { at: start },
    sent = [] as Sent[],
    airtable = undefined as AirtableSettings | undefined,
    works = (): boolean => true,
    onSend = async () => {},
  } = {},
) {
  const { context, log, faults } = createTestContext(db, makeSettings(), { clock })
  const kinds = ['email', 'remind1', 'remind2']
  const channels = kinds.map((kind) =>
    createFakeChannel(
      kind,
      async (claimed) => {
        await onSend()
        return claimed.map(({ lead, reason }): Result => {
          if (!works()) return { ok: false, error: 'no route' }
          sent.push({ at: clock.at, leadId: lead.id, reason, channel: kind })
          return { ok: true }
        })
      },
      { reasons: kind === 'email' ? ['received'] : ['unanswered', 'missed'] },
    ),
  )
  const settings = Object.fromEntries(kinds.map((kind) => [kind, {}]))
  const withChannels = { ...context, env: { ...context.env, ...settings, airtable } }
  const remind = () => remindDue(withChannels, channels)
  const deliverer = createDeliverer(withChannels, { all: channels, random: () => 1, faults })
  /** Runs everything that is due at this time. */
  const runAt = async (at: number) => {
    clock.at = at
    await deliverer.deliverDue(100)
    await deliverer.deliverDue(100)
  }
  return { clock, sent, log, runAt, remind }
}

const reasons = (sent: Sent[], channel = 'remind1') =>
  sent.filter((one) => one.channel === channel).map(({ reason }) => reason)

/** Marks a lead as done an hour after its receipt, and undoes that. */
async function closeAndReopen(db: Database, id: string) {
  const now = start + 60 * minuteMs
  await recordOutcome(db, id, { outcome: 'done', person: 'Sam', now })
  const lead = await findLead(db, id)
  const reopening = { remindAt: now + 4 * minuteMs, reopenedAt: now, now }
  if (lead) await undoLast(db, id, lead, reopening)
}

describe.each(engines)('reminders on %s', (engine) => {
  let db: Database
  let id: string
  beforeEach(async () => {
    db = await openTestDatabase(engine)
    id = await save(db)
  })

  it('reminds after 4 and 8 minutes, reports the missed deadline at 10, and then stops', async () => {
    const { sent, runAt } = startProcess(db)
    for (let seconds = 0; seconds <= 20 * 60; seconds += 15) await runAt(start + seconds * 1000)
    expect(reasons(sent, 'email')).toEqual(['received'])
    for (const channel of ['remind1', 'remind2'])
      expect(reasons(sent, channel)).toEqual(['unanswered-4', 'unanswered-8', 'missed'])
    const times = sent.filter(({ channel }) => channel === 'remind2').map(({ at }) => at)
    // Compare whole minutes, because another channel's pause may have moved the clock by a second.
    expect(times.map((at) => Math.floor((at - start) / minuteMs))).toEqual([4, 8, 10])
  })

  it('continues after a restart between the steps', async () => {
    const sent: Sent[] = []
    for (const minutes of [0, 3.9, 4, 4.1, 7.9, 8, 8, 9.9, 10, 10, 30])
      await startProcess(db, { sent }).runAt(start + minutes * minuteMs)
    expect(reasons(sent)).toEqual(['unanswered-4', 'unanswered-8', 'missed'])
  })

  it('sends each alert once with four processes at the same moment', async () => {
    for (let at = 1; at < 5; at++) await save(db)
    const sent: Sent[] = []
    for (const minutes of [0, 4, 8, 10, 11]) {
      const processes = Array.from({ length: 4 }, () => startProcess(db, { sent }))
      await Promise.all(processes.map(({ runAt }) => runAt(start + minutes * minuteMs)))
    }
    const keys = sent.map(({ leadId, reason, channel }) => `${leadId} ${reason} ${channel}`)
    expect(keys).toHaveLength(5 * (1 + 3 * 2))
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('replaces a reminder that could not be sent with the next one', async () => {
    let works = false
    const { sent, runAt } = startProcess(db, { works: () => works })
    for (const minutes of [0, 4, 8, 10, 11, 12]) {
      works = minutes > 10
      await runAt(start + minutes * minuteMs)
    }
    expect(reasons(sent)).toEqual(['missed'])
    // The first alert is still retried.
    expect(reasons(sent, 'email')).toEqual(['received'])
    const states = (await findLead(db, id))?.deliveries
      .filter(({ channel }) => channel === 'remind1')
      .map(({ reason, state }) => [reason, state])
    expect(states).toEqual([
      ['unanswered-4', 'cancelled'],
      ['unanswered-8', 'cancelled'],
      ['missed', 'sent'],
    ])
  })

  it('sends nothing twice when the clock jumps ahead and back', async () => {
    const { sent, runAt } = startProcess(db)
    for (const minutes of [0, 4, 600, 1, 4, 5, 8, 10, 11]) await runAt(start + minutes * minuteMs)
    expect(reasons(sent)).toEqual(['unanswered-4', 'missed'])
    expect(reasons(sent, 'email')).toEqual(['received'])
  })

  it('sends no reminder after an answer, not even a pending one', async () => {
    const answer = () => recordAnswer(db, id, { answeredAt: start, answeredBy: 'link', now: start })
    let works = false
    const { sent, runAt } = startProcess(db, {
      works: () => works,
      // The answer arrives during a send that fails.
      onSend: async () => {
        const deliveries = (await findLead(db, id))?.deliveries ?? []
        if (deliveries.some(({ reason }) => reason === 'unanswered-4')) await answer()
      },
    })
    await runAt(start)
    await runAt(start + 4 * minuteMs)
    works = true
    for (const minutes of [5, 8, 10, 60]) await runAt(start + minutes * minuteMs)
    expect(sent.filter(({ channel }) => channel !== 'email')).toEqual([])
    const deliveries = (await findLead(db, id))?.deliveries ?? []
    const cancelled = deliveries.filter(({ state }) => state === 'cancelled')
    const note = 'Answered before it was sent.'
    expect(cancelled).toMatchObject([{ note }, { note }])
  })

  it('records either an answer or a reminder when both happen at the same time', async () => {
    for (let round = 0; round < 5; round++) {
      const leadId = await save(db)
      const { remind, clock } = startProcess(db)
      clock.at = start + 4 * minuteMs
      const now = clock.at
      await Promise.all([
        recordAnswer(db, leadId, { answeredAt: now, answeredBy: 'link', now }),
        remind(),
        remind(),
      ])
      const waiting = (await findLead(db, leadId))?.deliveries.filter(
        ({ reason, state }) => reason === 'unanswered-4' && state === 'waiting',
      )
      expect(waiting).toEqual([])
    }
  })

  it('repeats the reminders for a lead reopened after its deadline', async () => {
    const { sent, runAt } = startProcess(db)
    for (const minutes of [4, 8, 10]) await runAt(start + minutes * minuteMs)
    await closeAndReopen(db, id)
    sent.length = 0
    for (const minutes of [60, 64, 68, 70, 71, 90]) await runAt(start + minutes * minuteMs)
    expect(reasons(sent)).toEqual(['unanswered-4', 'unanswered-8', 'missed'])
  })

  it('records the first answer, and sends it to Airtable once', async () => {
    const answer = (leadId: string, answeredAt = start) =>
      recordAnswer(db, leadId, { answeredAt, answeredBy: 'link', now: answeredAt })
    const answers = await Promise.all([1, 2, 3].map((afterMs) => answer(id, start + afterMs)))
    expect(answers.filter((one) => one?.isFirst)).toHaveLength(1)
    expect(new Set(answers.map((one) => one?.answeredAt)).size).toBe(1)
    const deliveries = (await findLead(db, id))?.deliveries ?? []
    expect(deliveries.filter(({ reason }) => reason === 'answered')).toMatchObject([
      { channel: 'airtable', state: 'waiting' },
    ])
    expect(await answer('00000000-0000-4000-8000-000000000000')).toBeUndefined()
  })
})

describe('with Airtable', () => {
  async function open() {
    const db = await openTestDatabase('sqlite')
    const fake = await startFakeAirtable({ requestsPerWindow: 1000 })
    onTestFinished(() => fake.close())
    const id = await save(db)
    const setStatus = (status: string | undefined) => {
      const fields = { 'Lead ID': id, ...(status && { Status: status }) }
      fake.records.splice(0, 1, { id: 'rec1', createdTime: '', fields })
    }
    setStatus('New')
    return { db, fake, id, setStatus, ...startProcess(db, { airtable: fake.airtable }) }
  }

  it('treats a Status that staff set as an answer, and stops the reminders', async () => {
    const { setStatus, runAt, sent, db, id, fake } = await open()
    await runAt(start + 4 * minuteMs)
    setStatus('Called')
    const reads = fake.requests.length
    await runAt(start + 8 * minuteMs)
    await runAt(start + 10 * minuteMs)
    expect(reasons(sent)).toEqual(['unanswered-4'])
    expect(fake.requests.length).toBe(reads + 1)
    const lead = await findLead(db, id)
    expect(lead?.answeredBy).toBe('airtable')
    expect(((lead?.answeredAt ?? 0) - start) / minuteMs).toBeCloseTo(8, 1)
  })

  it('finds an answer after the deadline, without further reminders until then', async () => {
    const { setStatus, runAt, sent, db, id } = await open()
    for (const minutes of [10, 15, 20]) await runAt(start + minutes * minuteMs)
    setStatus('Called')
    await runAt(start + 25 * minuteMs)
    expect(reasons(sent)).toEqual(['missed'])
    expect(await findLead(db, id)).toMatchObject({ answeredBy: 'airtable' })
    expect(await findNextEscalationAt(db)).toBeUndefined()
  })

  it('checks old leads less and less often, and stops after 30 days', async () => {
    const { db, runAt, fake } = await open()
    await runAt(start + 10 * minuteMs)
    let reads = 0
    for (let at = await findNextEscalationAt(db); at; at = await findNextEscalationAt(db)) {
      await runAt(at)
      expect(++reads).toBeLessThan(200)
    }
    expect(fake.requests).toHaveLength(reads + 1)
    // 12 in the first hour, 12 more on the first day, then 4 a day.
    expect(reads).toBeGreaterThan(12 + 11 + 4 * 28)
  })

  it('ignores the Status from before a lead was reopened', async () => {
    const { db, id, setStatus, runAt, fake } = await open()
    await closeAndReopen(db, id)
    setStatus('Done')
    await runAt(start + 64 * minuteMs)
    expect(fake.requests).toEqual([])
    expect(await findLead(db, id)).toMatchObject({ answeredAt: null })
  })

  it('reminds when Airtable cannot be read, and waits as long as Airtable asks', async () => {
    const { fake, runAt, sent, log, db, clock } = await open()
    fake.nextFaults.push({ kind: 'error', status: 429, type: 'RATE_LIMIT_REACHED' })
    await runAt(start + 4 * minuteMs)
    expect(reasons(sent)).toEqual(['unanswered-4'])
    expect(log.entries.map(({ message }) => message)).toContain(
      'cannot read Airtable; treating leads as unanswered',
    )
    const lease = { holder: 'x', now: clock.at + 20_000, until: clock.at + 20_001 }
    expect(await acquireChannel(db, 'airtable', lease)).toBe(false)
  })

  it('waits at most five seconds while another process uses Airtable', async () => {
    const { db, remind, clock } = await open()
    clock.at = start + 4 * minuteMs
    await acquireChannel(db, 'airtable', { holder: 'x', now: clock.at, until: clock.at + 60_000 })
    expect(await remind()).toEqual({ reminded: 0, nextAt: clock.at + 500 })
    clock.at += 5_000
    expect(await remind()).toMatchObject({ reminded: 1 })
  })

  it('reads many leads in one request', async () => {
    const { db, fake, runAt, sent } = await open()
    for (let at = 0; at < 20; at++) await save(db)
    await runAt(start + 4 * minuteMs)
    expect(fake.requests).toHaveLength(1)
    expect(reasons(sent)).toHaveLength(21)
  })
})
