import { type Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { openTestDatabase } from '#testing/database.ts'
import { waitUntil } from '#testing/processes.ts'
import { storeLead } from '#testing/saved-leads.ts'
import { retryDeliveries } from './deliveries.ts'
import type { Tables } from './tables.ts'

// SQLite has one writer.
it('makes deliveries due past a settlement that is half done', async () => {
  const db = await openTestDatabase('postgres')
  const [first, second] = [await storeLead(db), await storeLead(db)]
  const touch = (trx: Kysely<Tables>, id: string) =>
    trx.updateTable('deliveries').set({ note: 'met' }).where('lead_id', '=', id).execute()
  const isBlocked = async () => {
    const blocked = sql`select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
    return (await blocked.execute(db.kysely)).rows.length > 0
  }
  const retried = await db.kysely.transaction().execute(async (settlement) => {
    await touch(settlement, second)
    const retry = retryDeliveries(db, 'all', Date.now()).catch(String)
    await Promise.race([retry, waitUntil(isBlocked)])
    // The one that holds this row and waits for the other would wait forever.
    await touch(settlement, first)
    return retry
  })
  expect(retried).toBe(2)
})
