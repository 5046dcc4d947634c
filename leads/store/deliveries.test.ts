import { type Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { waitUntil } from '#testing/processes.ts'
import { storeLead } from '#testing/saved-leads.ts'
import { retryDeliveries } from './deliveries.ts'
import type { Tables } from './tables.ts'

// SQLite has one writer, so this can happen only on PostgreSQL.
it('retries deliveries without a deadlock while results are being recorded', async () => {
  const db = await openTestDatabase('postgres')
  const [first, second] = [await storeLead(db), await storeLead(db)]
  const touch = (trx: Kysely<Tables>, id: string) =>
    trx.updateTable('deliveries').set({ note: 'touched' }).where('lead_id', '=', id).execute()
  const isBlocked = async () => {
    const blocked = sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
    return (await blocked.execute(db.kysely)).rows.length > 0
  }
  const retried = await db.kysely.transaction().execute(async (recording) => {
    await touch(recording, second)
    const retry = retryDeliveries(db, 'all', Date.now()).catch(String)
    await Promise.race([retry, waitUntil(isBlocked)])
    // If the retry had locked this row and waited for the other, this would be a deadlock.
    await touch(recording, first)
    return retry
  })
  expect(retried).toBe(2)
})
