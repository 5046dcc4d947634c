import { describe, expect, it, onTestFinished } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { createTestLog } from '#testing/log.ts'
import { testTime as start, storeLead } from '#testing/saved-leads.ts'
import { waitUntil } from '#testing/server-process.ts'
import type { Channel, ClaimedLead, Outcome } from '../channel.ts'
import { createFaultLog } from '../log.ts'
import { acquireChannel } from '../store/channel-leases.ts'
import { claimDue } from '../store/deliveries.ts'
import { listLeads } from '../store/reading.ts'
import type { Database } from '../store/tables.ts'
import { leaseMs } from './channel-run.ts'
import { createDeliverer } from './deliver.ts'

type Send = Channel['send']
const sendWell: Send = async (leads) => ({ outcomes: leads.map(succeed) })
const succeed = ({ lead, occasion }: ClaimedLead): Outcome => ({
  leadId: lead.id,
  occasion,
  ok: true,
})
const fail = ({ lead, occasion }: ClaimedLead): Outcome => ({
  leadId: lead.id,
  occasion,
  ok: false,
  error: 'no room',
})

function open(
  db: Database,
  send: Send,
  {
    clock = { at: start },
    changes = {} as Partial<Channel>,
    renewEveryMs = 10_000,
    // The clock moves by exactly as much as was waited for.
    pause = async (ms: number) => {
      clock.at += ms
    },
  } = {},
) {
  const log = createTestLog()
  const sends: { at: number; ids: string[] }[] = []
  const channel: Channel = {
    name: 'airtable',
    batchSize: 10,
    exclusive: true,
    restMs: 250,
    send: (leads, signal) => {
      sends.push({ at: clock.at, ids: leads.map(({ lead }) => lead.id) })
      return send(leads, signal)
    },
    ...changes,
  }
  const deliverer = createDeliverer({
    db,
    channels: [channel],
    now: () => clock.at,
    random: () => 1,
    pause,
    log,
    faults: createFaultLog(log),
    renewEveryMs,
  })
  /** What is due now and nothing that becomes due by waiting. */
  const deliver = () => deliverer.deliverDue(1)
  return { clock, log, sends, deliverer, deliver }
}

async function save(db: Database, count: number, now = start) {
  for (let at = 0; at < count; at++)
    await storeLead(db, { at: now, channels: ['airtable'], escalateAt: undefined })
}

const readDeliveries = async (db: Database) =>
  (await listLeads(db, { limit: 200 })).flatMap(({ deliveries }) => deliveries)

describe.each(engines)('delivery on %s', (engine) => {
  it('sends all that is due in batches, with a rest between, and settles it', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 25)
    const { deliver, sends, clock, deliverer } = open(db, sendWell)
    await deliverer.deliverDue(10_000)
    expect(sends.map(({ ids }) => ids.length)).toEqual([10, 10, 5])
    expect(sends.map(({ at }) => at - start)).toEqual([0, 250, 500])
    expect((await readDeliveries(db)).every(({ state }) => state === 'sent')).toBe(true)
    clock.at += 1_000_000
    await deliver()
    expect(sends).toHaveLength(3)
  })

  it('takes one refused lead for no outage: said once, and good leads do not hurry it', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 1)
    const [bad] = await listLeads(db, { limit: 1 })
    const { deliver, clock, log } = open(db, async (claimed) => ({
      outcomes: claimed.map((one) =>
        one.lead.id === bad?.id ? { ...fail(one), refused: true } : succeed(one),
      ),
    }))
    await deliver()
    for (let minute = 1; minute <= 5; minute++) {
      clock.at += 60_000
      await save(db, 1, clock.at)
      await deliver()
    }
    const said = log.entries.filter(({ level }) => level !== 'info').map(({ message }) => message)
    expect(said).toEqual(['not delivered yet: it will be retried'])
    const attempts = (await readDeliveries(db)).find(({ state }) => state === 'waiting')?.attempts
    // 5 s, 10 s, 20 s … by itself; and once more with the first success, which may end an outage.
    expect(attempts).toBeLessThanOrEqual(7)
  })

  it('after a restart the first success makes due what failed before it', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 1)
    const before = open(db, async (claimed) => ({ outcomes: claimed.map(fail) }))
    for (let at = 0; at < 9; at++) {
      await before.deliver()
      before.clock.at = (await readDeliveries(db))[0]?.nextAttemptAt ?? 0
    }
    await before.deliver()
    const after = open(db, sendWell, { clock: { at: before.clock.at + 1_000 } })
    await after.deliver()
    expect(after.sends).toEqual([])
    await save(db, 1, after.clock.at)
    await after.deliver()
    after.clock.at += 1_000
    await after.deliver()
    expect((await readDeliveries(db)).map(({ state }) => state)).toEqual(['sent', 'sent'])
  })

  it('tries for ever, after 5 s, 10 s, 20 s … up to 15 minutes, and remembers why', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 1)
    const { deliver, clock } = open(db, async (leads) => ({ outcomes: leads.map(fail) }))
    const delays: number[] = []
    for (let at = 0; at < 11; at++) {
      const before = clock.at
      await deliver()
      const [delivery] = await readDeliveries(db)
      expect(delivery).toMatchObject({ state: 'waiting', attempts: at + 1, lastError: 'no room' })
      delays.push(((delivery?.nextAttemptAt ?? 0) - before) / 1000)
      clock.at = delivery?.nextAttemptAt ?? 0
    }
    expect(delays).toEqual([5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900])
  })

  it('waits for one refused lead without holding up the others', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 3)
    const { deliver, log } = open(db, async ([first, ...rest]) => ({
      outcomes: [...(first ? [fail(first)] : []), ...rest.map(succeed)],
    }))
    await deliver()
    const states = (await readDeliveries(db)).map(({ state }) => state).sort()
    expect(states).toEqual(['sent', 'sent', 'waiting'])
    expect(log.entries.filter(({ level }) => level === 'warn')).toHaveLength(1)
  })

  it('counts a lead the channel says nothing about as not sent', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 1)
    const { deliver } = open(db, async () => ({ outcomes: [] }))
    await deliver()
    expect((await readDeliveries(db))[0]).toMatchObject({ state: 'waiting', attempts: 1 })
  })

  it('survives a channel that throws, without repeating what it said', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 1)
    const { deliver, log } = open(db, async () => {
      throw new TypeError('zoe@example.com is odd')
    })
    await deliver()
    expect((await readDeliveries(db))[0]).toMatchObject({
      state: 'waiting',
      lastError: 'TypeError',
    })
    expect(JSON.stringify(log.entries)).not.toContain('zoe')
  })

  it('rests as long as the channel asks, in every process', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 12)
    const locked = open(db, async (leads) => ({ outcomes: leads.map(fail), holdMs: 31_000 }))
    await locked.deliver()
    expect(locked.sends).toHaveLength(1)
    const other = open(db, sendWell, { clock: { at: start + 30_999 } })
    await other.deliver()
    expect(other.sends).toHaveLength(0)
    other.clock.at = start + 31_000
    await other.deliverer.deliverDue(5_000)
    expect(other.sends.map(({ ids }) => ids.length)).toEqual([10, 2])
  })

  it('lets one process send at a time on an exclusive channel', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 60)
    let sending = 0
    let mostAtOnce = 0
    const send: Send = async (leads) => {
      sending += 1
      mostAtOnce = Math.max(mostAtOnce, sending)
      await new Promise((resolve) => setImmediate(resolve))
      sending -= 1
      return { outcomes: leads.map(succeed) }
    }
    const clock = { at: start }
    // Time stands still while one of them sends, or the others' waiting would outrun its lease.
    const pause = async (ms: number) => {
      await new Promise((resolve) => setImmediate(resolve))
      if (sending === 0) clock.at += ms
    }
    const processes = Array.from({ length: 4 }, () => open(db, send, { clock, pause }))
    await Promise.all(processes.map(({ deliverer }) => deliverer.deliverDue(60_000)))
    const sends = processes.flatMap((process) => process.sends)
    expect(mostAtOnce).toBe(1)
    expect(sends.flatMap(({ ids }) => ids)).toHaveLength(60)
    expect(new Set(sends.flatMap(({ ids }) => ids)).size).toBe(60)
    const times = sends.map(({ at }) => at).sort((a, b) => a - b)
    for (const [at, time] of times.entries())
      if (at > 0) expect(time - (times[at - 1] ?? 0)).toBeGreaterThanOrEqual(250)
  })

  it('takes up a killed process’s leads within a minute', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 1)
    let reached = () => {}
    const sending = new Promise<void>((resolve) => {
      reached = resolve
    })
    const killed = open(db, () => {
      reached()
      return new Promise(() => {})
    })
    void killed.deliver()
    await sending
    const next = open(db, sendWell)
    await next.deliver()
    expect(next.sends).toHaveLength(0)
    next.clock.at += 50_000
    await next.deliver()
    expect(next.sends).toHaveLength(1)
    expect((await readDeliveries(db))[0]).toMatchObject({ state: 'sent', attempts: 2 })
  })

  // With the clock in hand, the lease is renewed when its end lies a whole lease ahead again.
  const waitForRenewal = (db: Database, clock: { at: number }) =>
    waitUntil(async () => {
      const rows = await db.kysely.selectFrom('channels').select('leased_until').execute()
      return rows[0]?.leased_until === clock.at + leaseMs
    })
  const renewEveryMs = 2

  it('keeps its lease through a long send, and breaks off when it has lost it', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 3)
    const clock = { at: start }
    const { deliver, sends } = open(
      db,
      async (leads, signal) => {
        clock.at += 40_000
        await waitForRenewal(db, clock)
        clock.at += 40_000
        const another = { holder: 'another', now: clock.at, until: clock.at + 1 }
        expect(await claimDue(db, 'airtable', 10, another)).toHaveLength(2)
        expect(await acquireChannel(db, 'airtable', another)).toBe(false)
        // Listening first: the loss may be noticed before the update's own answer is here.
        const broken = new Promise((resolve) => signal.addEventListener('abort', resolve))
        await db.kysely.updateTable('channels').set({ lease_holder: 'another' }).execute()
        await broken
        return { outcomes: leads.map(fail) }
      },
      { clock, renewEveryMs, changes: { batchSize: 1 } },
    )
    await deliver()
    expect(sends).toHaveLength(1)
  })

  it('keeps its lease through many short sends', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 12)
    const clock = { at: start }
    const pause = async () => {
      clock.at += 5_000
      const another = { holder: 'another', now: clock.at, until: clock.at + 1 }
      expect(await acquireChannel(db, 'airtable', another)).toBe(false)
      await waitForRenewal(db, clock)
    }
    const changes = { batchSize: 1 }
    const { deliver, sends } = open(db, sendWell, { clock, renewEveryMs, changes, pause })
    await deliver()
    expect(sends).toHaveLength(12)
    expect((await readDeliveries(db)).every(({ state }) => state === 'sent')).toBe(true)
  })

  it('records a send although the database was away when it ended', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 1)
    let pauses = 0
    const log = createTestLog()
    const deliverer = createDeliverer({
      db,
      channels: [
        {
          name: 'airtable',
          batchSize: 10,
          exclusive: false,
          restMs: 0,
          send: async (leads) => {
            await db.kysely.schema.alterTable('deliveries').renameTo('away').execute()
            return { outcomes: leads.map(succeed) }
          },
        },
      ],
      now: () => start,
      random: () => 1,
      pause: async () => {
        pauses += 1
        if (pauses === 3) await db.kysely.schema.alterTable('away').renameTo('deliveries').execute()
      },
      log,
      faults: createFaultLog(log),
    })
    await deliverer.deliverDue(1)
    expect(pauses).toBe(3)
    expect((await readDeliveries(db))[0]?.state).toBe('sent')
  })

  it('wakes into a run that is under way: it looks once more, and no second one starts', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 3)
    let sending = 0
    let mostAtOnce = 0
    const { deliverer, sends } = open(
      db,
      async (claimed) => {
        sending += 1
        mostAtOnce = Math.max(mostAtOnce, sending)
        // A lead that comes while the last one is being sent.
        if (sends.length === 3) {
          await save(db, 1)
          void deliverer.deliverDue(1)
        }
        // As long as another run would need to claim the next.
        for (let look = 0; look < 5; look++) await readDeliveries(db)
        sending -= 1
        return { outcomes: claimed.map(succeed) }
      },
      { changes: { batchSize: 1, exclusive: false, restMs: 0 } },
    )
    await Promise.all(Array.from({ length: 10 }, () => deliverer.deliverDue(1)))
    expect(mostAtOnce).toBe(1)
    expect(sends).toHaveLength(4)
    expect((await readDeliveries(db)).every(({ state }) => state === 'sent')).toBe(true)
  })

  it('has a lease holder for each run, so that one never frees what another is sending', async () => {
    const db = await openTestDatabase(engine)
    const holders = new Set<string | null>()
    const { deliver, clock } = open(db, async (claimed) => {
      const held = db.kysely.selectFrom('deliveries').select('lease_holder')
      for (const { lease_holder } of await held.where('state', '=', 'waiting').execute())
        holders.add(lease_holder)
      return { outcomes: claimed.map(succeed) }
    })
    for (let run = 0; run < 2; run++) {
      await save(db, 2, clock.at)
      await deliver()
      clock.at += 1_000
    }
    expect((await readDeliveries(db)).every(({ state }) => state === 'sent')).toBe(true)
    expect(holders.size).toBe(2)
  })

  it('takes up its own work at once after the database broke off in the middle', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 1)
    let works = false
    const { deliver, sends, clock } = open(db, async (claimed) => {
      if (!works) await db.kysely.schema.alterTable('deliveries').renameTo('away').execute()
      return { outcomes: claimed.map(succeed) }
    })
    await deliver()
    await db.kysely.schema.alterTable('away').renameTo('deliveries').execute()
    works = true
    clock.at += 1_000
    expect(clock.at - start).toBeLessThan(leaseMs)
    await deliver()
    expect(sends).toHaveLength(2)
    expect((await readDeliveries(db))[0]?.state).toBe('sent')
  })

  it('says a fault when it begins and when it is over, and then sends what waits at once', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 12)
    let works = false
    const { deliver, log, clock } = open(db, async (leads) => ({
      outcomes: leads.map(works ? succeed : fail),
    }))
    for (let at = 0; at < 9; at++) {
      await deliver()
      clock.at += 900_000
    }
    // One lead has its next attempt now, all others have just failed again.
    await deliver()
    await db.kysely
      .updateTable('deliveries')
      .set({ next_attempt_at: clock.at + 800_000 })
      .execute()
    const [one] = await listLeads(db, { limit: 1 })
    await db.kysely
      .updateTable('deliveries')
      .set({ next_attempt_at: clock.at })
      .where('lead_id', '=', one?.id ?? '')
      .execute()
    clock.at += 1_000
    works = true
    await deliver()
    clock.at += 1_000
    await deliver()
    clock.at += 1_000
    await deliver()
    expect((await readDeliveries(db)).every(({ state }) => state === 'sent')).toBe(true)
    const messages = log.entries.map(({ message }) => message)
    expect(messages.filter((message) => message !== 'delivered')).toEqual([
      'airtable takes no leads: they wait',
      'airtable takes leads again',
    ])
  })

  it('starts when woken, and when stopped ends after what is in flight', async () => {
    const db = await openTestDatabase(engine)
    let reached = () => {}
    const sending = new Promise<void>((resolve) => {
      reached = resolve
    })
    let finish = () => {}
    const finished = new Promise<void>((resolve) => {
      finish = resolve
    })
    const { deliverer, sends } = open(db, async (leads) => {
      reached()
      await finished
      return { outcomes: leads.map(succeed) }
    })
    deliverer.start()
    await save(db, 1)
    const wokenAt = performance.now()
    deliverer.wake()
    await sending
    expect(performance.now() - wokenAt).toBeLessThan(1_000)
    const stopped = deliverer.stop(60_000)
    await save(db, 1)
    deliverer.wake()
    finish()
    await stopped
    expect(sends).toHaveLength(1)
    expect((await readDeliveries(db)).map(({ state }) => state).sort()).toEqual(['sent', 'waiting'])
  })

  it('breaks off a send that outlasts the grace, and tries it anew later', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 1)
    let reached = () => {}
    const sending = new Promise<void>((resolve) => {
      reached = resolve
    })
    const { deliverer } = open(db, async (leads, signal) => {
      reached()
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return { outcomes: leads.map(fail) }
    })
    deliverer.start()
    onTestFinished(() => deliverer.stop(0))
    await sending
    await deliverer.stop(10)
    expect((await readDeliveries(db))[0]).toMatchObject({ state: 'waiting', attempts: 1 })
  })

  it('leaves alone what no channel is set up for', async () => {
    const db = await openTestDatabase(engine)
    await save(db, 1)
    const { deliver } = open(db, sendWell, { changes: { name: 'email' } })
    await deliver()
    expect((await readDeliveries(db))[0]).toMatchObject({
      channel: 'airtable',
      state: 'waiting',
      attempts: 0,
      lastError: null,
    })
  })
})
