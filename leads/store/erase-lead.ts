import { sql } from 'kysely'
import type { Database } from './tables.ts'

const checkpointTries = 50
const checkpointPauseMs = 100

/** Deletes a lead and its deliveries. */
export async function eraseLead(db: Database, id: string): Promise<void> {
  await db.kysely.deleteFrom('leads').where('id', '=', id).execute()
  if (db.engine === 'sqlite') await rewriteFile(db)
}

/** Even with secure_delete, SQLite leaves old copies of moved rows in unused parts of a page. */
async function rewriteFile({ kysely }: Database): Promise<void> {
  await sql`vacuum`.execute(kysely)
  // The write-ahead log has old pages, too. Retry, because another process may be reading it.
  for (let tries = 0; tries < checkpointTries; tries++) {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(kysely)
    if (!rows[0]?.busy) return
    await new Promise((resolve) => setTimeout(resolve, checkpointPauseMs))
  }
}
