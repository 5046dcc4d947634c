import { type Kysely, sql } from 'kysely'
import { dayMs, minuteMs } from '../time-units.ts'
import { countUse, takeBackUse } from './limits.ts'
import { serverEmail } from './live-sessions.ts'
import type { Database, Tables } from './tables.ts'

export const linkMs = 15 * minuteMs
const invitationMs = 7 * dayMs
// One network gets a third, so that a stranger cannot use up all links for someone else's email address.
const maxUnusedLinks = { network: 3, address: 9 }
export const maxWrongCodes = 10
// Keep counting after the limit, because a response without a write would be faster.
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
    // PostgreSQL runs transactions in parallel, so a burst could exceed the limit. SQLite has one writer.
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
    // After the clock was set back, earlier links would otherwise block the email address for too long.
    .where('expiresAt', '<=', now + linkMs)

const isLimited = (unused: readonly { network: string }[], network: string): boolean =>
  unused.length >= maxUnusedLinks.address ||
  unused.filter((link) => link.network === network).length >= maxUnusedLinks.network

/** Lists the email addresses that get no new link now, at least on one network. */
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
export type InTransaction = Pick<Database, 'kysely'>

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
 * Returns true if the code works, and deletes it with its link. Counts a code before comparing it, so that
 * guesses at the same time cannot exceed the limit, and takes the count back if it is right. Takes the same steps for
 * every code, so that the response time does not show who can sign in.
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
