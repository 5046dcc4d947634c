import { type Kysely, sql } from 'kysely'
import { type Access, selectLiveSessions, serverEmail, sessionMs } from './live-sessions.ts'
import { moveDevice, removeDevices } from './push-devices.ts'
import type { Database, Tables } from './tables.ts'

export type Session = {
  id: string
  email: string
  person: string
  device: string
  seenAt: number
}

// The desk shows minutes, so do not write on every request.
const seenEveryMs = 60_000

const sessionColumns = ['id', 'email', 'person', 'device', 'seen_at as seenAt'] as const

const linkMs = 15 * 60_000
export const maxUnusedLinks = 3

type Link = { tokenHash: string; email: string; requester: string; requestedAt: number }

/**
 * Returns false if the address has three unused links. They still work, so a stranger who requests
 * links for an address locks nobody out. Links from the server have no limit.
 */
export function saveLink({ engine, kysely }: Database, link: Link): Promise<boolean> {
  const { tokenHash, email, requester, requestedAt: now } = link
  return kysely.transaction().execute(async (trx) => {
    // PostgreSQL runs transactions in parallel, so a burst could exceed the limit. SQLite has one writer.
    if (engine === 'postgres')
      await sql`select pg_advisory_xact_lock(hashtextextended(${email}, 0))`.execute(trx)
    await trx.deleteFrom('desk_links').where('expires_at', '<=', now).execute()
    if ((await selectLimitedAddresses(trx, now).where('email', '=', email).execute()).length > 0)
      return false
    await trx
      .insertInto('desk_links')
      .values({ token_hash: tokenHash, email, requester, expires_at: now + linkMs })
      .execute()
    return true
  })
}

const selectLimitedAddresses = (kysely: Kysely<Tables>, now: number) =>
  kysely
    .selectFrom('desk_links')
    .select('email')
    .where('email', '!=', serverEmail)
    .where('expires_at', '>', now)
    // After the clock was set back, earlier links would otherwise block the address for too long.
    .where('expires_at', '<=', now + linkMs)
    .groupBy('email')
    .having((eb) => eb.fn.countAll(), '>=', maxUnusedLinks)

/** Lists the addresses that get no new link now. */
export async function listLimitedAddresses({ kysely }: Database, now: number): Promise<string[]> {
  const rows = await selectLimitedAddresses(kysely, now).orderBy('email').execute()
  return rows.map(({ email }) => email)
}

export async function findLink(
  { kysely }: Database,
  tokenHash: string,
  now: number,
): Promise<Pick<Link, 'requester' | 'requestedAt'> | undefined> {
  const link = await kysely
    .selectFrom('desk_links')
    .select(['requester', 'expires_at'])
    .where('token_hash', '=', tokenHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
  return link && { requester: link.requester, requestedAt: link.expires_at - linkMs }
}

/** Returns the link's email and deletes the link, because it works once. */
export async function consumeLink(
  { kysely }: Database,
  tokenHash: string,
  now: number,
): Promise<string | undefined> {
  const link = await kysely
    .deleteFrom('desk_links')
    .where('token_hash', '=', tokenHash)
    .returning(['email', 'expires_at'])
    .executeTakeFirst()
  return link && link.expires_at > now ? link.email : undefined
}

/** Replaces the browser's earlier session, even an expired one, and keeps its push device. */
export function saveSession(
  { kysely }: Database,
  session: Session,
  { tokenHash, replacedHash }: { tokenHash: string; replacedHash: string | undefined },
): Promise<void> {
  const { id, email, person, device, seenAt } = session
  return kysely.transaction().execute(async (trx) => {
    const replaced =
      replacedHash &&
      (await trx
        .deleteFrom('desk_sessions')
        .where('token_hash', '=', replacedHash)
        .returning('id')
        .executeTakeFirst())
    if (replaced) await moveDevice(trx, replaced.id, { sessionId: id, person })
    await trx
      .deleteFrom('desk_sessions')
      .where('seen_at', '<=', seenAt - sessionMs)
      .execute()
    await trx
      .insertInto('desk_sessions')
      .values({ id, token_hash: tokenHash, email, person, device, seen_at: seenAt })
      .execute()
  })
}

/**
 * Finds a live session and extends it, unless the request is automatic. If `isExtended`, the cookie must be
 * extended, too. `isMadeOwner` if an owner made this person one on the desk.
 */
export async function findSession(
  { kysely }: Database,
  tokenHash: string,
  access: Access,
): Promise<(Session & { isExtended: boolean; isMadeOwner: boolean }) | undefined> {
  const session = await selectLiveSessions(kysely, access)
    .select(sessionColumns)
    .select((eb) =>
      eb
        .selectFrom('desk_owners')
        .select('email')
        .whereRef('desk_owners.email', '=', 'desk_sessions.email')
        .as('ownerEmail'),
    )
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  if (!session) return undefined
  const isExtended = !access.isAutomatic && access.now - session.seenAt > seenEveryMs
  if (isExtended)
    await kysely
      .updateTable('desk_sessions')
      .set({ seen_at: access.now })
      .where('id', '=', session.id)
      .execute()
  const { ownerEmail, ...found } = session
  return { ...found, isExtended, isMadeOwner: ownerEmail !== null }
}

export function listSessions({ kysely }: Database, access: Access): Promise<Session[]> {
  return selectLiveSessions(kysely, access)
    .select(sessionColumns)
    .orderBy('seen_at', 'desc')
    .execute()
}

export async function renamePerson({ kysely }: Database, id: string, person: string) {
  await kysely.updateTable('push_devices').set({ person }).where('session_id', '=', id).execute()
  await kysely.updateTable('desk_sessions').set({ person }).where('id', '=', id).execute()
}

/** Ends one session and removes its push device, or ends all of them and also deletes unused links. */
export function endSessions({ kysely }: Database, id: string | 'all', now: number): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    const query = trx.deleteFrom('desk_sessions')
    await (id === 'all' ? query : query.where('id', '=', id)).execute()
    if (id === 'all') await trx.deleteFrom('desk_links').execute()
    await removeDevices(trx, id === 'all' ? 'all' : { sessionId: id }, now)
  })
}

export async function listCrew({ kysely }: Database): Promise<string[]> {
  const rows = await kysely.selectFrom('desk_crew').select('email').orderBy('email').execute()
  return rows.map(({ email }) => email)
}

/** Returns false if the address was already added. */
export function addCrew({ kysely }: Database, email: string): Promise<boolean> {
  return kysely.transaction().execute(async (trx) => {
    const added = await insertEmail(trx, 'desk_crew', email)
    // The address may have been an owner's until it was removed from .env.
    if (added) await trx.deleteFrom('desk_owners').where('email', '=', email).execute()
    return added
  })
}

async function insertEmail(
  kysely: Kysely<Tables>,
  table: 'desk_crew' | 'desk_owners',
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
  const rows = await kysely.selectFrom('desk_owners').select('email').execute()
  return rows.map(({ email }) => email)
}

/** Returns false if the person was already made an owner. */
export const makeOwner = ({ kysely }: Database, email: string): Promise<boolean> =>
  insertEmail(kysely, 'desk_owners', email)

/** Returns false if nobody made this person an owner. */
export async function unmakeOwner({ kysely }: Database, email: string): Promise<boolean> {
  const { numDeletedRows } = await kysely
    .deleteFrom('desk_owners')
    .where('email', '=', email)
    .executeTakeFirst()
  return numDeletedRows > 0
}

/** Also ends the person's sessions and removes their links and push devices. Returns false if there was no such person. */
export function removeCrew({ kysely }: Database, email: string, now: number): Promise<boolean> {
  return kysely.transaction().execute(async (trx) => {
    const removed = await trx
      .deleteFrom('desk_crew')
      .where('email', '=', email)
      .returning('email')
      .executeTakeFirst()
    await trx.deleteFrom('desk_owners').where('email', '=', email).execute()
    await trx.deleteFrom('desk_links').where('email', '=', email).execute()
    const ended = await trx
      .deleteFrom('desk_sessions')
      .where('email', '=', email)
      .returning('id')
      .execute()
    for (const { id } of ended) await removeDevices(trx, { sessionId: id }, now)
    return removed !== undefined
  })
}
