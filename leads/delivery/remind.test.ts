import { describe, expect, it } from 'vitest'
import { startAirtable } from '#testing/airtable.ts'
import { openTestDatabase } from '#testing/database.ts'
import { createFakeChannel, createTestContext } from '#testing/delivery.ts'
import { promiseFrom, record, testTime as start, storeLead } from '#testing/saved-leads.ts'
import { makeSettings } from '#testing/settings.ts'
import type { AirtableSettings } from '../channels/airtable/client.ts'
import type { Result } from '../channels/channel-type.ts'
import { acquire, listDueTimes } from '../store/claims.ts'
import { crew } from '../store/crew-rows.ts'
import { findLead } from '../store/find-leads.ts'
import type { Database } from '../store/tables.ts'
import { dayMs, minuteMs } from '../time-units.ts'
import { createDeliverer } from './deliver.ts'
import { remindDue } from './remind.ts'

type Sent = { at: number; leadId: string; reason: string; kind: string }

/** Starts a process that alerts and reminds; `sent` lists its messages. */
function startProcess(
  db: Database,
  {
    clock = { at: start },
    sent = [] as Sent[],
    airtable = undefined as AirtableSettings | undefined,
    works = async () => true,
  } = {},
) {
  const { context, log, faults } = createTestContext(db, makeSettings(), { clock })
  const createChannel = (kind: string, reasons: ('received' | 'uncalled' | 'missed')[]) =>
    createFakeChannel(
      kind,
      async ([claimed]): Promise<Result[]> => {
        if (!claimed || !(await works())) return [{ ok: false, error: 'no route' }]
        const { lead, reason } = claimed
        sent.push({ at: clock.at, leadId: lead.id, reason, kind })
        return [{ ok: true }]
      },
      { reasons },
    )
  const all = [createChannel('email', ['received']), createChannel('sms', ['uncalled', 'missed'])]
  const env = { ...context.env, email: {}, sms: {}, airtable } as typeof context.env
  const remind = () => remindDue({ ...context, env }, all)
  const deliverer = createDeliverer({ ...context, env }, { all, faults })
  /** Runs everything that is due at these times. */
  const runAt = async (...minutes: number[]) => {
    for (const minute of minutes) {
      clock.at = start + minute * minuteMs
      await deliverer.deliverDue(100)
      await deliverer.deliverDue(100)
    }
  }
  const listReminders = () => sent.filter(({ kind }) => kind === 'sms').map(({ reason }) => reason)
  return { clock, sent, log, runAt, remind, listReminders }
}

/** Returns the minute of the next step. */
async function findNextStep(db: Database) {
  const at = (await listDueTimes(db, [crew], { now: 0, holder: '' })).get(crew)
  return at && (at - start) / minuteMs
}

async function open(options: Parameters<typeof startProcess>[1] = {}) {
  const db = await openTestDatabase('sqlite')
  const id = await storeLead(db)
  const readDeliveries = async () => (await findLead(db, id))?.deliveries ?? []
  return { db, id, readDeliveries, ...startProcess(db, options) }
}

it('reminds after 4 and 8 minutes, reports the missed deadline at 10, and then stops, despite restarts', async () => {
  const { db, sent } = await open()
  for (const minute of [0, 3.9, 4, 4.1, 7.9, 8, 8, 9.9, 10, 10, 30])
    await startProcess(db, { sent }).runAt(minute)
  expect(sent.map(({ reason, at }) => [reason, (at - start) / minuteMs])).toEqual([
    ['received', 0],
    ['uncalled-4', 4],
    ['uncalled-8', 8],
    ['missed', 10],
  ])
})

it('replaces a reminder that could not be sent with the next one, but retries the alert', async () => {
  const { clock, sent, runAt, readDeliveries } = await open({
    works: async () => clock.at > start + 10 * minuteMs,
  })
  await runAt(0, 4, 8, 10, 11, 12)
  expect(sent.map(({ reason }) => reason).sort()).toEqual(['missed', 'received'])
  const reminders = (await readDeliveries()).filter(({ recipient }) => recipient === 'sms')
  expect(reminders.map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'sent'])
})

describe('with Airtable', () => {
  async function openAirtable() {
    const { fake } = await startAirtable({ requestsPerWindow: 1000 })
    const opened = await open({ airtable: fake.airtable })
    const setStatus = (status: string) => {
      const fields = { 'Lead ID': opened.id, Status: status }
      fake.records.splice(0, 1, { id: 'rec1', createdTime: '', fields })
    }
    setStatus('New')
    /** Marks all messages as sent, including those to Airtable. */
    const settle = () =>
      opened.db.kysely
        .updateTable('deliveries')
        .set({ state: 'sent' })
        .where('isMessage', '=', 1)
        .execute()
    return { fake, setStatus, settle, ...opened }
  }

  it('treats a Status that the crew set as a call, and stops the reminders', async () => {
    const { setStatus, runAt, listReminders, db, id, fake } = await openAirtable()
    await runAt(4)
    setStatus('Called')
    const reads = fake.requests.length
    await runAt(8, 10)
    expect(listReminders()).toEqual(['uncalled-4'])
    expect(fake.requests.length).toBe(reads + 1)
    const lead = await findLead(db, id)
    expect(lead?.events).toMatchObject([{ kind: 'airtable-status', text: 'Called' }])
    expect(((lead?.calledAt ?? 0) - start) / minuteMs).toBeCloseTo(8, 1)
  })

  it('ignores the Status from before a lead was reopened', async () => {
    const { db, id, setStatus, runAt, fake } = await openAirtable()
    const at = start + 60 * minuteMs
    await record(db, id, 'done', { at })
    await record(db, id, 'undone', { at, version: 1 })
    setStatus('Done')
    await runAt(64)
    expect(fake.requests).toEqual([])
    expect(await findLead(db, id)).toMatchObject({ status: 'open' })
  })

  it.each([
    ['counts', 'Called', []],
    ['does not count', 'Follow-up', ['uncalled-8', 'missed']],
  ])(
    '%s the Status %s again after an Undo, which resets only the site’s own',
    async (_, status, reminders) => {
      const { db, id, setStatus, runAt, listReminders } = await openAirtable()
      setStatus(status)
      await runAt(4)
      expect(await findLead(db, id)).toMatchObject({ status: 'airtable', version: 1 })
      await record(db, id, 'undone', { at: start + 5 * minuteMs, version: 1 })
      const messages = db.kysely.updateTable('deliveries').where('isMessage', '=', 1)
      await messages.set({ state: 'sent' }).execute()
      await runAt(9, 10)
      expect(listReminders()).toEqual(reminders)
      // Someone sets another Status.
      setStatus('Called')
      await runAt(15)
      expect(await findLead(db, id)).toMatchObject({ status: 'airtable', version: 3 })
    },
  )

  it('keeps other processes from sending to Airtable for 45 s while it reads', async () => {
    const { db, runAt, fake } = await openAirtable()
    const at = start + 4 * minuteMs
    const lease = { holder: 'x', now: at + 44_999, until: at + 45_000 }
    let acquired: ReturnType<typeof acquire> | undefined
    fake.settings.chooseFault = () => {
      acquired = acquire(db, 'airtable', lease)
      return undefined
    }
    await runAt(4)
    expect(fake.requests).toHaveLength(1)
    expect(await acquired).toBeUndefined()
  })

  it('ignores a Status if the lead changed while it was read', async () => {
    const { db, id, setStatus, runAt, fake } = await openAirtable()
    setStatus('Called')
    fake.settings.chooseFault = () => {
      void record(db, id, 'done')
      void record(db, id, 'undone', { version: 1 })
      return undefined
    }
    await runAt(4)
    expect(await findLead(db, id)).toMatchObject({ status: 'open', version: 2 })
  })

  it('reminds when Airtable cannot be read, and waits as long as Airtable asks', async () => {
    const { fake, runAt, listReminders, log, db, clock } = await openAirtable()
    fake.nextFaults.push({ kind: 'error', status: 429, type: 'RATE_LIMIT_REACHED' })
    await runAt(4)
    expect(listReminders()).toEqual(['uncalled-4'])
    expect(log.entries.map(({ message }) => message)).toContain(
      'cannot read Airtable; treating leads as not called',
    )
    const lease = { holder: 'x', now: clock.at + 20_000, until: clock.at + 20_001 }
    expect(await acquire(db, 'airtable', lease)).toBeUndefined()
  })

  const opensAt = start + 60 * minuteMs
  it.each([
    ['step, then an hour, for a month', {}, [4, 10, 31 * 24 * 60], [8, 70, undefined]],
    [
      'step of a lead from the night',
      { ...promiseFrom(opensAt), stepAt: opensAt },
      [60, 64, 124],
      [64, 124, 184],
    ],
  ])('waits for the next %s, if nobody can be alerted', async (_, lead, minutes, expected) => {
    const db = await openTestDatabase('sqlite')
    await storeLead(db, { at: start, ...lead })
    const clock = { at: start }
    const { context } = createTestContext(db, makeSettings(), { clock })
    const steps: unknown[] = []
    for (const minute of minutes) {
      clock.at = start + minute * minuteMs
      await remindDue(context, [])
      steps.push(await findNextStep(db))
    }
    expect(steps).toEqual(expected)
  })

  it('keeps the reminder of a call agreed over 30 days ahead until somebody can be alerted', async () => {
    const db = await openTestDatabase('sqlite')
    const id = await storeLead(db, { at: start })
    const days = 50 * dayMs
    await record(db, id, 'call-again', { callAgainAt: start + days })
    const clock = { at: start + days }
    const { context } = createTestContext(db, makeSettings(), { clock })
    for (let hour = 0; hour < 3; hour++) {
      await remindDue(context, [])
      clock.at += 60 * minuteMs
    }
    const sms = createFakeChannel('sms', async () => [{ ok: true }], { reasons: ['again'] })
    await remindDue({ ...context, env: { ...context.env, sms: {} } as never }, [sms])
    const reasons = (await findLead(db, id))?.deliveries.map(({ reason }) => reason)
    expect(reasons).toContain('again-0')
  })

  it('waits at most five seconds while another process uses Airtable', async () => {
    const { db, remind, clock } = await openAirtable()
    clock.at = start + 4 * minuteMs
    await acquire(db, 'airtable', { holder: 'x', now: clock.at, until: clock.at + 60_000 })
    expect(await remind()).toBe(500)
    expect(await findNextStep(db)).toBe(4)
    clock.at += 5_000
    expect(await remind()).toBe(0)
    expect(await findNextStep(db)).toBe(8)
  })
})

describe('if nobody can be alerted', () => {
  async function openAlone(changes: Parameters<typeof storeLead>[1] = {}) {
    const db = await openTestDatabase('sqlite')
    const id = await storeLead(db, changes)
    const clock = { at: start }
    const { context } = createTestContext(db, makeSettings(), { clock })
    /** Returns the minute of the next step. */
    const remindAt = async (minute: number) => {
      clock.at = start + minute * minuteMs
      await remindDue(context, [])
      return findNextStep(db)
    }
    return { db, id, context, remindAt }
  }

  it('waits for the next step, then an hour, for a month', async () => {
    const { remindAt } = await openAlone()
    expect(await remindAt(4)).toBe(8)
    expect(await remindAt(10)).toBe(70)
    expect(await remindAt(31 * 24 * 60)).toBeUndefined()
  })

  it('waits before each step of a lead from the night', async () => {
    const opensAt = start + 60 * minuteMs
    const { remindAt } = await openAlone({ ...promiseFrom(opensAt), stepAt: opensAt })
    expect([await remindAt(60), await remindAt(64), await remindAt(124)]).toEqual([64, 124, 184])
  })

  it('keeps the reminder of a call agreed over 30 days ahead until somebody can be', async () => {
    const { db, id, context, remindAt } = await openAlone()
    const minutes = 50 * 24 * 60
    await record(db, id, 'call-again', { callAgainAt: start + minutes * minuteMs })
    for (const hour of [0, 1, 2]) await remindAt(minutes + hour * 60)
    const sms = createFakeChannel('sms', async () => [{ ok: true }], { reasons: ['again'] })
    const env = { ...context.env, sms: {} } as never
    await remindDue({ ...context, env, now: () => context.now() + 60 * minuteMs }, [sms])
    const reasons = (await findLead(db, id))?.deliveries.map(({ reason }) => reason)
    expect(reasons).toContain('again-0')
  })
})
