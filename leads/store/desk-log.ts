import type { Database } from './tables.ts'

export type LogEntry = {
  id: string
  at: number
  person: string
  email: string
  action: string
  about: string | null
}

// Far more than the desk shows.
const maxEntries = 200

export async function addEntry({ kysely }: Database, entry: LogEntry): Promise<void> {
  await kysely.insertInto('desk_log').values(entry).execute()
  await kysely
    .deleteFrom('desk_log')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('desk_log')
        .select('id')
        .orderBy('at', 'desc')
        .orderBy('id')
        // SQLite requires a limit before an offset.
        .limit(maxEntries)
        .offset(maxEntries),
    )
    .execute()
}

/** Returns the newest entries first. */
export const listEntries = ({ kysely }: Database, limit: number): Promise<LogEntry[]> =>
  kysely
    .selectFrom('desk_log')
    .selectAll()
    .orderBy('at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
