import { sql } from 'kysely'
import type { Database } from './tables.ts'

const checkpointTries = 50
const checkpointPauseMs = 100

/** Deletes a lead and its deliveries. False when there is no such lead. */
export async function eraseLead(db: Database, id: string): Promise<boolean> {
  const { engine, kysely } = db
  // SQLite leaves the bytes of a deleted row in the file, and those of changed pages in the log
  // beside it. A person who asks to be forgotten means those too.
  if (engine === 'sqlite') await sql`pragma secure_delete = on`.execute(kysely)
  const erased = await kysely
    .deleteFrom('leads')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (engine === 'sqlite') await emptyLog(db)
  return erased !== undefined
}

/** Waits for those who read the log, and stops nobody else meanwhile. */
async function emptyLog({ kysely }: Database): Promise<void> {
  for (let tries = 0; tries < checkpointTries; tries++) {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(kysely)
    if (!rows[0]?.busy) return
    await new Promise((resolve) => setTimeout(resolve, checkpointPauseMs))
  }
}
