import { describe, expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { openDelivery, readStates, type Send, saveLeads, succeed } from '#testing/delivery.ts'
import type { Database } from '../store/tables.ts'

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
