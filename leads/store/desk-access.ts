import type { Kysely } from 'kysely'
import { minuteMs } from '../time-units.ts'
import { type Access, selectLiveSessions, sessionMs } from './live-sessions.ts'
import { moveDevice, removeDevices } from './push-devices.ts'
import type { InTransaction } from './sign-in-links.ts'
import type { Database, Tables } from './tables.ts'

export type StoredSession = {
  id: string
  email: string
  person: string
  device: string
  seenAt: number
}

// The desk shows minutes, so do not write on every request.
const seenEveryMs = minuteMs

const sessionColumns = ['id', 'email', 'person', 'device', 'seenAt'] as const

/** Replaces the browser's earlier session, even an expired one, and keeps its push device. */
export async function saveSession(
  { kysely }: InTransaction,
  session: StoredSession,
  { tokenHash, replacedHash }: { tokenHash: string; replacedHash: string | undefined },
): Promise<void> {
  const { id, email, person, device, seenAt } = session
  const replaced =
    replacedHash &&
    (await kysely
      .deleteFrom('deskSessions')
      .where('tokenHash', '=', replacedHash)
      .returning('id')
      .executeTakeFirst())
  if (replaced) await moveDevice(kysely, replaced.id, { sessionId: id, person })
  await kysely
    .deleteFrom('deskSessions')
    .where('seenAt', '<=', seenAt - sessionMs)
    .execute()
  await kysely
    .insertInto('deskSessions')
    .values({ id, tokenHash, email, person, device, seenAt })
    .execute()
}

/**
 * Finds a live session and extends it, unless the request is automatic. `isExtended` means that the cookie must be
 * extended, too. `isMadeOwner` means that an owner promoted this person on the desk.
 */
export async function findSession(
  { kysely }: Database,
  tokenHash: string,
  access: Access,
): Promise<(StoredSession & { isExtended: boolean; isMadeOwner: boolean }) | undefined> {
  const session = await selectLiveSessions(kysely, access)
    .select(sessionColumns)
    .select((eb) =>
      eb
        .selectFrom('deskOwners')
        .select('email')
        .whereRef('deskOwners.email', '=', 'deskSessions.email')
        .as('ownerEmail'),
    )
    .where('tokenHash', '=', tokenHash)
    .executeTakeFirst()
  if (!session) return undefined
  const isExtended = !access.isAutomatic && access.now - session.seenAt > seenEveryMs
  if (isExtended)
    await kysely
      .updateTable('deskSessions')
      .set({ seenAt: access.now })
      .where('id', '=', session.id)
      .execute()
  const { ownerEmail, ...found } = session
  return { ...found, isExtended, isMadeOwner: ownerEmail !== null }
}

export function listSessions({ kysely }: Database, access: Access): Promise<StoredSession[]> {
  return selectLiveSessions(kysely, access)
    .select(sessionColumns)
    .orderBy('seenAt', 'desc')
    .execute()
}

export async function renamePerson({ kysely }: Database, id: string, person: string) {
  await kysely.updateTable('pushDevices').set({ person }).where('sessionId', '=', id).execute()
  await kysely.updateTable('deskSessions').set({ person }).where('id', '=', id).execute()
}

/** Ends one session and removes its push device, or ends all of them and also deletes unused links. */
export function endSessions({ kysely }: Database, id: string | 'all'): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    // In the same order as signing in, so that two transactions cannot deadlock.
    if (id === 'all') await trx.deleteFrom('deskLinks').execute()
    const query = trx.deleteFrom('deskSessions')
    await (id === 'all' ? query : query.where('id', '=', id)).execute()
    await removeDevices(trx, id === 'all' ? 'all' : { sessionId: id })
  })
}

export async function listCrew({ kysely }: Database): Promise<string[]> {
  const rows = await kysely.selectFrom('deskCrew').select('email').orderBy('email').execute()
  return rows.map(({ email }) => email)
}

/** Returns false if the address was already added. */
export function addCrew({ kysely }: Database, email: string): Promise<boolean> {
  return kysely.transaction().execute(async (trx) => {
    const added = await insertEmail(trx, 'deskCrew', email)
    // This email address may have been an owner's until it was removed from .env.
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

export async function listMadeOwners({ kysely }: Database): Promise<string[]> {
  const rows = await kysely.selectFrom('deskOwners').select('email').execute()
  return rows.map(({ email }) => email)
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

/** Also ends the person's sessions and removes their links and push devices. Returns false if there was no such person. */
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
    for (const { id } of ended) await removeDevices(trx, { sessionId: id })
    return removed !== undefined
  })
}
