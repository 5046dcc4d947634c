import { sql } from 'kysely'
import type { Database } from './tables.ts'

const checkpointTries = 50
const checkpointPauseMs = 100

/** Deletes a lead and its deliveries. */
export async function eraseLead(db: Database, id: string): Promise<void> {
  await db.kysely.deleteFrom('leads').where('id', '=', id).execute()
  if (db.engine === 'sqlite') await rewriteFile(db)
}

/** SQLite keeps old copies of moved rows between the cells of a page, even with secure_delete. */
async function rewriteFile({ kysely }: Database): Promise<void> {
  await sql`vacuum`.execute(kysely)
  // The write-ahead log has old pages, too. It cannot be emptied while another process reads it.
  for (let tries = 0; tries < checkpointTries; tries++) {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(kysely)
    if (!rows[0]?.busy) return
    await new Promise((resolve) => setTimeout(resolve, checkpointPauseMs))
  }
}
