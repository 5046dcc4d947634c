import type { Kysely } from 'kysely'
import type { Database, Tables } from './tables.ts'

export async function listCrew({ kysely }: Database): Promise<string[]> {
  const rows = await kysely.selectFrom('deskCrew').select('email').orderBy('email').execute()
  return rows.map(({ email }) => email)
}

/** Returns false if the email address was already added. */
export function addCrew({ kysely }: Database, email: string): Promise<boolean> {
  return kysely.transaction().execute(async (trx) => {
    const added = await insertEmail(trx, 'deskCrew', email)
    // This person may have been an owner before their email address was removed from .env. They return as crew.
    if (added) await trx.deleteFrom('deskOwners').where('email', '=', email).execute()
    return added
  })
}

async function insertEmail(
  kysely: Kysely<Tables>,
  table: 'deskCrew' | 'deskOwners',
  email: string,
): Promise<boolean> {
  const added = await kysely
    .insertInto(table)
    .values({ email })
    .onConflict((conflict) => conflict.doNothing())
    .returning('email')
    .executeTakeFirst()
  return added !== undefined
}

/** Lists the owners from the settings, and people promoted on the desk who can still sign in. */
export async function listOwners(
  { kysely }: Database,
  { ownerEmails, deskEmails }: { ownerEmails: readonly string[]; deskEmails: readonly string[] },
): Promise<string[]> {
  const made = await kysely
    .selectFrom('deskOwners')
    .leftJoin('deskCrew', 'deskCrew.email', 'deskOwners.email')
    .select(['deskOwners.email', 'deskCrew.email as crewEmail'])
    .execute()
  const current = made.filter(({ email, crewEmail }) => crewEmail || deskEmails.includes(email))
  return [...ownerEmails, ...current.map(({ email }) => email)]
}

/** Returns false if the person was already made an owner. */
export const makeOwner = ({ kysely }: Database, email: string): Promise<boolean> =>
  insertEmail(kysely, 'deskOwners', email)

/** Returns false if nobody made this person an owner. */
export async function unmakeOwner({ kysely }: Database, email: string): Promise<boolean> {
  const { numDeletedRows } = await kysely
    .deleteFrom('deskOwners')
    .where('email', '=', email)
    .executeTakeFirst()
  return numDeletedRows > 0
}

/** Removes a person with their sessions, links, and push devices. Returns false if there was no such person. */
export function removeCrew({ kysely }: Database, email: string): Promise<boolean> {
  return kysely.transaction().execute(async (trx) => {
    const removed = await trx
      .deleteFrom('deskCrew')
      .where('email', '=', email)
      .returning('email')
      .executeTakeFirst()
    await trx.deleteFrom('deskOwners').where('email', '=', email).execute()
    await trx.deleteFrom('deskLinks').where('email', '=', email).execute()
    const ended = await trx
      .deleteFrom('deskSessions')
      .where('email', '=', email)
      .returning('id')
      .execute()
    for (const { id } of ended)
      await trx.deleteFrom('pushDevices').where('sessionId', '=', id).execute()
    return removed !== undefined
  })
}

export type LogEntry = Tables['deskLog']

// Far more than the desk shows.
const maxLogEntries = 200

/**
 * An entry about a person has that person in `about`. Such entries have a separate limit so that exports don't push
 * them out.
 */
const selectLog = ({ kysely }: Database, isAboutPeople: boolean) =>
  kysely
    .selectFrom('deskLog')
    .where('about', isAboutPeople ? 'is not' : 'is', null)
    .orderBy('at', 'desc')
    .orderBy('id')

export async function addLogEntry(db: Database, entry: LogEntry): Promise<void> {
  await db.kysely.insertInto('deskLog').values(entry).execute()
  const older = selectLog(db, entry.about !== null)
    .select('id')
    // SQLite requires a limit before an offset.
    .limit(maxLogEntries)
    .offset(maxLogEntries)
  await db.kysely.deleteFrom('deskLog').where('id', 'in', older).execute()
}

/** Returns the newest entries first. */
export const listLogEntries = async (db: Database, limit: number) => ({
  people: await selectLog(db, true).selectAll().limit(limit).execute(),
  others: await selectLog(db, false).selectAll().limit(limit).execute(),
})
