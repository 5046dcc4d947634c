import { describe, expect, it, onTestFinished } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import {
  fail,
  openDelivery,
  readDeliveries,
  readStates,
  saveLeads,
  sendWell,
  succeed,
} from '#testing/delivery.ts'
import { storeLead, testTime } from '#testing/saved-leads.ts'
import { expireDeliveries, writeDeliveries } from '../store/deliveries.ts'
import { findLead } from '../store/reading.ts'

const dayMs = 24 * 3_600_000

describe.each(engines)('the deliverer on %s', (engine) => {
  it('runs once more when woken during a run, and never twice at the same time', async () => {
    const db = await openTestDatabase(engine)
    await saveLeads(db, 3)
    let sending = 0
    let mostAtOnce = 0
    const { deliverer, sends } = openDelivery(
      db,
      async (claimed) => {
        sending += 1
        mostAtOnce = Math.max(mostAtOnce, sending)
        // Another lead arrives while the last one is being sent.
        if (sends.length === 3) {
          await saveLeads(db, 1)
          void deliverer.deliverDue(1)
        }
        // Give a second run enough time to claim the next delivery.
        for (let read = 0; read < 5; read++) await readDeliveries(db)
        sending -= 1
        return claimed.map(succeed)
      },
      { changes: { batchSize: 1, exclusive: false, restMs: 0 } },
    )
    await Promise.all(Array.from({ length: 10 }, () => deliverer.deliverDue(1)))
    expect(mostAtOnce).toBe(1)
    expect(sends).toHaveLength(4)
    expect(await readStates(db)).toEqual(Array(4).fill('sent'))
  })

  it('sends immediately when woken, and waits for sends in progress when stopped', async () => {
    const db = await openTestDatabase(engine)
    const sending = Promise.withResolvers<void>()
    const finished = Promise.withResolvers<void>()
    const { deliverer, sends } = openDelivery(db, async (claimed) => {
      sending.resolve()
      await finished.promise
      return claimed.map(succeed)
    })
    deliverer.start()
    await saveLeads(db, 1)
    const wokenAt = performance.now()
    deliverer.wake()
    await sending.promise
    expect(performance.now() - wokenAt).toBeLessThan(1_000)
    const stopped = deliverer.stop(60_000)
    await saveLeads(db, 1)
    deliverer.wake()
    finished.resolve()
    await stopped
    expect(sends).toHaveLength(1)
    expect(await readStates(db)).toEqual(['sent', 'waiting'])
  })

  it('aborts a send that exceeds the grace period, and retries it later', async () => {
    const db = await openTestDatabase(engine)
    await saveLeads(db, 1)
    const sending = Promise.withResolvers<void>()
    const { deliverer } = openDelivery(db, async (claimed, signal) => {
      sending.resolve()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return claimed.map(fail)
    })
    deliverer.start()
    onTestFinished(() => deliverer.stop(0))
    await sending.promise
    await deliverer.stop(10)
    expect(await readDeliveries(db)).toMatchObject([{ state: 'waiting', attempts: 1 }])
  })

  it('expires alerts a day after the deadline, including those of removed recipients', async () => {
    const db = await openTestDatabase(engine)
    const clock = { at: testTime }
    const changes = { recipients: async () => [] }
    const { deliver, log } = openDelivery(db, sendWell, {
      clock,
      changes: { ...changes, isAlert: true, expiresAfterMs: dayMs, kind: 'email' },
    })
    const channels = ['airtable', 'email', 'email-0a1b2c3d']
    const escalateAt = undefined
    const promised = await storeLead(db, { channels, escalateAt })
    const suspected = await storeLead(db, {
      channels,
      escalateAt,
      suspect: 'trap',
      deadlineAt: null,
    })
    const readStates = async (id: string) =>
      (await findLead(db, id))?.deliveries.map(({ channel, state }) => `${channel} ${state}`)
    const waiting = channels.map((channel) => `${channel} waiting`)
    const expired = ['airtable waiting', 'email expired', 'email-0a1b2c3d expired']
    clock.at = testTime + dayMs - 1
    await deliver()
    expect(await readStates(suspected)).toEqual(waiting)
    clock.at = testTime + dayMs + 60_000
    await deliver()
    expect(await readStates(suspected)).toEqual(expired)
    expect(await readStates(promised)).toEqual(waiting)
    clock.at = testTime + dayMs + 600_000
    await deliver()
    expect(await readStates(promised)).toEqual(expired)
    expect(log.entries.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { kind: 'email', leadIds: [suspected, suspected] } },
      { fields: { kind: 'email', leadIds: [promised, promised] } },
    ])
  })

  it('does not expire a message that was planned less than a day ago', async () => {
    const db = await openTestDatabase(engine)
    const limits = { before: testTime + 600_000, now: testTime + 600_000 + dayMs, isAlert: true }
    const leadId = await storeLead(db, { channels: [], escalateAt: undefined })
    const delivery = { leadId, channels: ['push-0a1b2c3d'], reason: 'answered' as const }
    await writeDeliveries(db.kysely, delivery, limits.now)
    expect(await expireDeliveries(db, 'push', limits)).toEqual([])
  })
})
