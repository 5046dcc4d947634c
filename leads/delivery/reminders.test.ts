import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startAirtableStandIn } from '#demo/airtable-stand-in.ts'
import { engines, openTestDatabase } from '#testing/database.ts'
import { createTestLog } from '#testing/log.ts'
import { storeLead } from '#testing/saved-leads.ts'
import type { AirtableSettings } from '../airtable/client.ts'
import type { Channel } from '../channel.ts'
import { createFaultLog } from '../log.ts'
import { acquireChannel } from '../store/channel-leases.ts'
import { findLead } from '../store/reading.ts'
import { recordAnswer } from '../store/reminders.ts'
import type { Database } from '../store/tables.ts'
import { createDeliverer } from './deliver.ts'
import { computeFirstReminderAt } from './reminder-steps.ts'
import { remindDue } from './reminders.ts'

const minuteMs = 60_000
const start = Date.parse('2026-11-15T18:00:00Z')
const escalateAfterMinutes = [4, 8]

const save = (db: Database) =>
  storeLead(db, { at: start, escalateAt: computeFirstReminderAt(start, escalateAfterMinutes) })

type Sent = { at: number; leadId: string; occasion: string; channel: string }

/** A process: it reminds, it delivers, and what it has sent is in `sent`. */
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
  const log = createTestLog()
  const names = ['email', 'escalation-email', 'escalation-sms']
  const now = () => clock.at
  const pause = async (ms: number) => {
    clock.at += ms
  }
  const channels = names.map(
    (channel): Channel => ({
      name: channel,
      batchSize: 1,
      exclusive: false,
      restMs: 0,
      urgent: true,
      send: async (claimed) => {
        await onSend()
        return {
          outcomes: claimed.map(({ lead, occasion }) => {
            const delivery = { leadId: lead.id, occasion }
            if (!works()) return { ...delivery, ok: false, error: 'no route' }
            sent.push({ at: clock.at, leadId: lead.id, occasion, channel })
            return { ...delivery, ok: true }
          }),
        }
      },
    }),
  )
  const deps = { db, pause, now, log }
  const readDevices = async () => []
  const settings = { airtable, channels: names.slice(1), escalateAfterMinutes }
  const reminders = { ...deps, ...settings, readDevices, fetch }
  const remind = () => remindDue(reminders)
  const faults = createFaultLog(log)
  const more = { remindDue: remind, random: () => 1, faults }
  const deliverer = createDeliverer({ ...deps, channels, ...more })
  /** What is due at this moment. */
  const runAt = async (at: number) => {
    clock.at = at
    await deliverer.deliverDue(100)
    await deliverer.deliverDue(100)
  }
  return { clock, sent, log, runAt, remind }
}

const occasions = (sent: Sent[], channel = 'escalation-email') =>
  sent.filter((one) => one.channel === channel).map(({ occasion }) => occasion)

describe.each(engines)('reminders on %s', (engine) => {
  let db: Database
  let id: string
  beforeEach(async () => {
    db = await openTestDatabase(engine)
    id = await save(db)
  })

  it('reminds after 4 and after 8 minutes, says at 10 that it is missed, and then is silent', async () => {
    const { sent, runAt } = startProcess(db)
    for (let seconds = 0; seconds <= 20 * 60; seconds += 15) await runAt(start + seconds * 1000)
    expect(occasions(sent, 'email')).toEqual(['received'])
    for (const channel of ['escalation-email', 'escalation-sms'])
      expect(occasions(sent, channel)).toEqual(['unanswered-4', 'unanswered-8', 'missed'])
    const times = sent.filter(({ channel }) => channel === 'escalation-sms').map(({ at }) => at)
    // Whole minutes: another channel's pause may have moved the clock by a second.
    expect(times.map((at) => Math.floor((at - start) / minuteMs))).toEqual([4, 8, 10])
  })

  it('goes on where it was after a restart between the steps', async () => {
    const sent: Sent[] = []
    for (const minutes of [0, 3.9, 4, 4.1, 7.9, 8, 8, 9.9, 10, 10, 30])
      await startProcess(db, { sent }).runAt(start + minutes * minuteMs)
    expect(occasions(sent)).toEqual(['unanswered-4', 'unanswered-8', 'missed'])
  })

  it('sends each alert once with four processes at the same moment', async () => {
    for (let at = 1; at < 5; at++) await save(db)
    const sent: Sent[] = []
    for (const minutes of [0, 4, 8, 10, 11]) {
      const processes = Array.from({ length: 4 }, () => startProcess(db, { sent }))
      await Promise.all(processes.map(({ runAt }) => runAt(start + minutes * minuteMs)))
    }
    const keys = sent.map(({ leadId, occasion, channel }) => `${leadId} ${occasion} ${channel}`)
    expect(keys).toHaveLength(5 * (1 + 3 * 2))
    expect(new Set(keys).size).toBe(keys.length)
  })

  it('a reminder that could not go out gives way to the next', async () => {
    let works = false
    const { sent, runAt } = startProcess(db, { works: () => works })
    for (const minutes of [0, 4, 8, 10, 11, 12]) {
      works = minutes > 10
      await runAt(start + minutes * minuteMs)
    }
    expect(occasions(sent)).toEqual(['missed'])
    // The alert itself is never given up.
    expect(occasions(sent, 'email')).toEqual(['received'])
    const states = (await findLead(db, id))?.deliveries
      .filter(({ channel }) => channel === 'escalation-email')
      .map(({ occasion, state }) => [occasion, state])
    expect(states).toEqual([
      ['unanswered-4', 'cancelled'],
      ['unanswered-8', 'cancelled'],
      ['missed', 'sent'],
    ])
  })

  it('a clock that jumps ahead and back doubles nothing', async () => {
    const { sent, runAt } = startProcess(db)
    for (const minutes of [0, 4, 600, 1, 4, 5, 8, 10, 11]) await runAt(start + minutes * minuteMs)
    expect(occasions(sent)).toEqual(['unanswered-4', 'missed'])
    expect(occasions(sent, 'email')).toEqual(['received'])
  })

  it('is silent after an answer, also about reminders that wait or are being tried', async () => {
    const answer = () => recordAnswer(db, id, { answeredAt: start, answeredBy: 'link', now: start })
    let works = false
    const { sent, runAt } = startProcess(db, {
      works: () => works,
      // The answer comes while the reminder is on its way, and the way fails.
      onSend: async () => {
        const deliveries = (await findLead(db, id))?.deliveries ?? []
        if (deliveries.some(({ occasion }) => occasion === 'unanswered-4')) await answer()
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

  it('an answer and a reminder at the same moment: one of them wins, never both', async () => {
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
        ({ occasion, state }) => occasion === 'unanswered-4' && state === 'waiting',
      )
      expect(waiting).toEqual([])
    }
  })

  it('the first answer counts, and goes to Airtable once', async () => {
    const answer = (leadId: string, answeredAt = start) =>
      recordAnswer(db, leadId, { answeredAt, answeredBy: 'link', now: answeredAt })
    const answers = await Promise.all([1, 2, 3].map((afterMs) => answer(id, start + afterMs)))
    expect(answers.filter((one) => one?.isFirst)).toHaveLength(1)
    expect(new Set(answers.map((one) => one?.answeredAt)).size).toBe(1)
    const deliveries = (await findLead(db, id))?.deliveries ?? []
    expect(deliveries.filter(({ occasion }) => occasion === 'answered')).toMatchObject([
      { channel: 'airtable', state: 'waiting' },
    ])
    expect(await answer('00000000-0000-4000-8000-000000000000')).toBeUndefined()
  })
})

describe('with Airtable', () => {
  async function open() {
    const db = await openTestDatabase('sqlite')
    const standIn = await startAirtableStandIn({ requestsPerWindow: 1000 })
    onTestFinished(() => standIn.close())
    const id = await save(db)
    const setStatus = (status: string | undefined) => {
      const fields = { 'Lead ID': id, ...(status && { Status: status }) }
      standIn.records.splice(0, 1, { id: 'rec1', createdTime: '', fields })
    }
    setStatus('New')
    return { db, standIn, id, setStatus, ...startProcess(db, { airtable: standIn.airtable }) }
  }

  it('a Status that staff have set is an answer: nobody is reminded any more', async () => {
    const { setStatus, runAt, sent, db, id, standIn } = await open()
    await runAt(start + 4 * minuteMs)
    setStatus('Called')
    const reads = standIn.requests.length
    await runAt(start + 8 * minuteMs)
    await runAt(start + 10 * minuteMs)
    expect(occasions(sent)).toEqual(['unanswered-4'])
    expect(standIn.requests.length).toBe(reads + 1)
    const lead = await findLead(db, id)
    expect(lead?.answeredBy).toBe('airtable')
    expect(((lead?.answeredAt ?? 0) - start) / minuteMs).toBeCloseTo(8, 1)
  })

  it('reminds all the same when Airtable cannot be read, and leaves it alone as long as it asks', async () => {
    const { standIn, runAt, sent, log, db, clock } = await open()
    standIn.nextFaults.push({ kind: 'error', status: 429, type: 'RATE_LIMIT_REACHED' })
    await runAt(start + 4 * minuteMs)
    expect(occasions(sent)).toEqual(['unanswered-4'])
    expect(log.entries.map(({ message }) => message)).toContain(
      'reminders go out without a look at Airtable',
    )
    const lease = { holder: 'x', now: clock.at + 20_000, until: clock.at + 20_001 }
    expect(await acquireChannel(db, 'airtable', lease)).toBe(false)
  })

  it('waits for a busy sender for five seconds, not longer', async () => {
    const { db, remind, clock } = await open()
    clock.at = start + 4 * minuteMs
    await acquireChannel(db, 'airtable', { holder: 'x', now: clock.at, until: clock.at + 60_000 })
    expect(await remind()).toEqual({ reminded: 0, nextAt: clock.at + 500 })
    clock.at += 5_000
    expect(await remind()).toMatchObject({ reminded: 1 })
  })

  it('reads many leads in one request', async () => {
    const { db, standIn, runAt, sent } = await open()
    for (let at = 0; at < 20; at++) await save(db)
    await runAt(start + 4 * minuteMs)
    expect(standIn.requests).toHaveLength(1)
    expect(occasions(sent)).toHaveLength(21)
  })
})
