import { sql } from 'kysely'
import { nameAddress } from './confirmation-limits.ts'
import type { Database } from './tables.ts'

const checkpointTries = 50
const checkpointPauseMs = 100

/** Deletes a lead, its deliveries, and the hash of its email address. */
export async function eraseLead(
  db: Database,
  id: string,
  pause: (ms: number) => Promise<void>,
): Promise<void> {
  await db.kysely.transaction().execute(async (trx) => {
    const erased = await trx.deleteFrom('leads').where('id', '=', id).returning('email').execute()
    const names = erased.map(({ email }) => nameAddress(email))
    if (names.length > 0)
      await trx.deleteFrom('confirmation_limits').where('name', 'in', names).execute()
  })
  if (db.engine === 'sqlite') await rewriteFile(db, pause)
}

/** Even with secure_delete, SQLite leaves old copies of moved rows in unused parts of a page. */
async function rewriteFile(
  { kysely }: Database,
  pause: (ms: number) => Promise<void>,
): Promise<void> {
  await sql`vacuum`.execute(kysely)
  // The write-ahead log has old pages, too. Retry, because another process may be reading it.
  for (let tries = 0; tries < checkpointTries; tries++) {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(kysely)
    if (!rows[0]?.busy) return
    await pause(checkpointPauseMs)
  }
}
