import { sql } from 'kysely'
import type { Database } from './tables.ts'

/** Deletes a lead and its deliveries. False when there is no such lead. */
export async function eraseLead({ engine, kysely }: Database, id: string): Promise<boolean> {
  // SQLite leaves the bytes of a deleted row in the file, and those of changed pages in the log
  // beside it. A person who asks to be forgotten means those too.
  if (engine === 'sqlite') {
    await sql`pragma secure_delete = on`.execute(kysely)
    // Emptying the log waits for those who read it, or does nothing and says no error.
    await sql`pragma busy_timeout = 5000`.execute(kysely)
  }
  const erased = await kysely
    .deleteFrom('leads')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (engine === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(kysely)
  return erased !== undefined
}
