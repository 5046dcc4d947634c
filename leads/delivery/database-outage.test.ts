import { describe, expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import {
  openDelivery,
  readStates,
  type Send,
  saveLeads,
  sendWell,
  succeed,
} from '#testing/delivery.ts'
import { testTime as start } from '#testing/saved-leads.ts'
import type { Database } from '../store/tables.ts'
import { systemTimers } from '../timers.ts'

const rename = (db: Database, from: string, to: string) =>
  db.kysely.schema.alterTable(from).renameTo(to).execute()

async function save(count: number) {
  const db = await openTestDatabase('sqlite')
  await saveLeads(db, count)
  return db
}

describe('after the database was unavailable', () => {
  it('records the result of a send', async () => {
    const db = await save(1)
    let pauses = 0
    const send: Send = async (claimed) => {
      await rename(db, 'deliveries', 'away')
      return claimed.map(succeed)
    }
    const pause = async () => {
      pauses += 1
      if (pauses === 3) await rename(db, 'away', 'deliveries')
    }
    await openDelivery(db, send, { pause }).deliver()
    // Three pauses between retries, plus the pause of restMs after the send.
    expect(pauses).toBe(4)
    expect(await readStates(db)).toEqual(['sent'])
  })

  it('resumes its deliveries', async () => {
    const db = await save(1)
    const { deliver, sends } = openDelivery(db, async (claimed) => {
      if (sends.length === 1) await rename(db, 'deliveries', 'away')
      return claimed.map(succeed)
    })
    await deliver()
    await rename(db, 'away', 'deliveries')
    // The clock is now 29 s later, because recording was retried, so the lease has expired.
    await deliver()
    expect(sends).toHaveLength(2)
    expect(await readStates(db)).toEqual(['sent'])
  })
})

it('waits as long as a service asks, although the database did not respond after the send', async () => {
  const db = await save(1)
  // Never renew the lease, as if the database did not respond, and abort the send after 1 ms instead of 2 s before the
  // lease expires.
  const timers = {
    ...systemTimers,
    start: (ms: number, work: () => void) =>
      ms === 60_000 ? () => {} : systemTimers.start(ms === 18_000 ? 1 : ms, work),
  }
  const send: Send = async (leads, signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await rename(db, 'recipients', 'away')
    return leads.map(() => ({ ok: false, error: 'wait', retryAfterMs: 31_000 }))
  }
  const pause = async () => rename(db, 'away', 'recipients')
  await openDelivery(db, send, { timers, pause, renewEveryMs: 60_000 }).deliver()
  const other = openDelivery(db, sendWell, { clock: { at: start + 30_999 } })
  await other.deliver()
  expect(other.sends).toHaveLength(0)
  other.clock.at += 1
  await other.deliver()
  expect(other.sends).toHaveLength(1)
})
