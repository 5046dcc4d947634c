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

/** Entries about people name a person in `about`. They have a separate limit, so that exports do not push them out. */
const selectNewest = ({ kysely }: Database, isAboutPeople: boolean) =>
  kysely
    .selectFrom('deskLog')
    .where('about', isAboutPeople ? 'is not' : 'is', null)
    .orderBy('at', 'desc')
    .orderBy('id')

export async function addEntry(db: Database, entry: LogEntry): Promise<void> {
  await db.kysely.insertInto('deskLog').values(entry).execute()
  const older = selectNewest(db, entry.about !== null)
    .select('id')
    // SQLite requires a limit before an offset.
    .limit(maxEntries)
    .offset(maxEntries)
  await db.kysely.deleteFrom('deskLog').where('id', 'in', older).execute()
}

/** Returns the newest entries first. */
export const listEntries = async (db: Database, limit: number) => ({
  people: await selectNewest(db, true).selectAll().limit(limit).execute(),
  others: await selectNewest(db, false).selectAll().limit(limit).execute(),
})
