import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { dayMs, minuteMs } from '../time-units.ts'
import { countUse, takeBackUse } from './limits.ts'
import type { Database, Tables } from './tables.ts'

/** Stored in place of an email address for sign-in links that are printed on the server. */
export const serverEmail = 'owner'

/**
 * Stored in place of an email address for sessions that started with such a link. Contains the name that the person
 * entered then, to tell these people apart even after a name change. Because of the space, it cannot be an email
 * address.
 */
export const nameServerPerson = (person: string): string => `${serverEmail} ${person}`

export const isServerPerson = (email: string): boolean => email.startsWith(`${serverEmail} `)

export const linkMs = 15 * minuteMs
const invitationMs = 7 * dayMs
// One network gets a third so that a stranger cannot use up all links for someone else's email address.
const maxUnusedLinks = { network: 3, address: 9 }
const maxWrongCodes = 10
// Keep counting after the limit, because a faster response without a write would show that it is reached.
const maxCountedCodes = 1_000_000

type Link = {
  tokenHash: string
  /** The hash of a code that works instead of the link. */
  codeHash?: string
  isInvitation?: boolean
  email: string
  requester: string
  /** The hash of the network that requested it. */
  network?: string
  requestedAt: number
}

/**
 * Returns false if the email address has too many unused links, which still work. Invitations and links from the
 * server have no limit.
 */
export function saveLink({ engine, kysely }: Database, link: Link): Promise<boolean> {
  const { codeHash, isInvitation = false, network = '', requestedAt: now, ...given } = link
  return kysely.transaction().execute(async (trx) => {
    // PostgreSQL runs transactions in parallel, so simultaneous requests could exceed the limit. SQLite has one writer.
    if (engine === 'postgres')
      await sql`select pg_advisory_xact_lock(hashtextextended(${given.email}, 0))`.execute(trx)
    await trx.deleteFrom('deskLinks').where('expiresAt', '<=', now).execute()
    const unused = await selectUnused(trx, now).where('email', '=', given.email).execute()
    if (!isInvitation && isLimited(unused, network)) return false
    await trx
      .insertInto('deskLinks')
      .values({
        ...given,
        codeHash: codeHash ?? null,
        isInvitation: Number(isInvitation),
        network,
        expiresAt: now + (isInvitation ? invitationMs : linkMs),
      })
      .execute()
    return true
  })
}

const selectUnused = (kysely: Kysely<Tables>, now: number) =>
  kysely
    .selectFrom('deskLinks')
    .select(['email', 'network'])
    .where('email', '!=', serverEmail)
    .where('expiresAt', '>', now)
    // Ignore links from before the clock was set back, which would block the email address for too long.
    .where('expiresAt', '<=', now + linkMs)

const isLimited = (unused: readonly { network: string }[], network: string): boolean =>
  unused.length >= maxUnusedLinks.address ||
  unused.filter((link) => link.network === network).length >= maxUnusedLinks.network

/** Lists the email addresses for which at least one network cannot request another link yet. */
export async function listLimitedAddresses({ kysely }: Database, now: number): Promise<string[]> {
  const rows = await selectUnused(kysely, now).orderBy('email').execute()
  return [...Map.groupBy(rows, ({ email }) => email)]
    .filter(([, unused]) => unused.some(({ network }) => isLimited(unused, network)))
    .map(([email]) => email)
}

export async function findLink(
  { kysely }: Database,
  tokenHash: string,
  now: number,
): Promise<{ requester: string; requestedAt: number; isInvitation: boolean } | undefined> {
  const link = await kysely
    .selectFrom('deskLinks')
    .select(['requester', 'isInvitation', 'expiresAt'])
    .where('tokenHash', '=', tokenHash)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  if (!link) return undefined
  const isInvitation = link.isInvitation === 1
  const requestedAt = link.expiresAt - (isInvitation ? invitationMs : linkMs)
  return { requester: link.requester, requestedAt, isInvitation }
}

/** Requires a transaction, so that nobody can be removed between using a link or a code and starting the session. */
type InTransaction = Pick<Database, 'kysely'>

/** Returns the link's email and deletes the link, because it works once. */
export async function consumeLink(
  { kysely }: InTransaction,
  tokenHash: string,
  now: number,
): Promise<string | undefined> {
  const link = await kysely
    .deleteFrom('deskLinks')
    .where('tokenHash', '=', tokenHash)
    .returning(['email', 'expiresAt'])
    .executeTakeFirst()
  return link && link.expiresAt > now ? link.email : undefined
}

/**
 * Returns true if the code works, and deletes it with its link. Counts a code before comparing it so that simultaneous
 * guesses cannot exceed the limit, and undoes the count if the code is right. Takes the same steps for every code so
 * that the response time does not show who can sign in.
 */
export async function consumeCode(
  { kysely }: InTransaction,
  { email, codeHash, counter }: { email: string; codeHash: string; counter: string },
  now: number,
): Promise<boolean> {
  const tried = (await countUse(kysely, counter, maxCountedCodes, now)) ?? maxCountedCodes
  const { numDeletedRows } = await kysely
    .deleteFrom('deskLinks')
    .where('email', '=', email)
    .where('codeHash', '=', tried <= maxWrongCodes ? codeHash : '')
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  if (numDeletedRows === 0n) return false
  await takeBackUse(kysely, counter, now)
  return true
}

export const sessionMs = 30 * dayMs

/** `deskEmails` are the email addresses from the environment. An automatic request does not extend the session. */
export type Access = { deskEmails: readonly string[]; now: number; isAutomatic?: boolean }

/** Selects sessions used within the last 30 days by someone who may still sign in. */
export const selectLiveSessions = (
  kysely: Kysely<Tables>,
  { deskEmails, now }: Access,
): SelectQueryBuilder<Tables, 'deskSessions', object> =>
  kysely
    .selectFrom('deskSessions')
    .where('seenAt', '>', now - sessionMs)
    .where((eb) =>
      eb.or([
        // If the pattern were a parameter, SQLite would compile the statement each time it runs.
        eb('email', 'like', sql.lit(`${serverEmail} %`)),
        ...deskEmails.map((email) => eb('email', '=', email)),
        eb('email', 'in', eb.selectFrom('deskCrew').select('email')),
      ]),
    )

export type StoredSession = Omit<Tables['deskSessions'], 'tokenHash'>

// Store the time of last use at most once a minute, because the desk shows it to the minute.
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
  if (replaced)
    await kysely
      .updateTable('pushDevices')
      .set({ sessionId: id, person })
      .where('sessionId', '=', replaced.id)
      .execute()
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
    // Use the same order as signing in so that two transactions cannot deadlock.
    if (id === 'all') await trx.deleteFrom('deskLinks').execute()
    const sessions = trx.deleteFrom('deskSessions')
    await (id === 'all' ? sessions : sessions.where('id', '=', id)).execute()
    const devices = trx.deleteFrom('pushDevices')
    await (id === 'all' ? devices : devices.where('sessionId', '=', id)).execute()
  })
}
