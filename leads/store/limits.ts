import type { Kysely, Transaction } from 'kysely'
import { isPublicAddress } from '../client-address.ts'
import { hash } from '../hash.ts'
import { normalizeEmail } from '../homeowner-keys.ts'
import { dayMs, hourMs, minuteMs } from '../time-units.ts'
import type { Database, Tables } from './tables.ts'

const keepAddressMs = 2 * dayMs

/** How many leads a network may send per minute. */
export const computeNetworkLimit = (limitPerMinute: number) => limitPerMinute * 5

/**
 * Daily limits stop a slow flood from filling the disk. Network limits stop a client that changes its IP address, and
 * still allow for an office, or a town whose carrier shares IP addresses.
 */
const listLimits = (limitPerMinute: number) =>
  [
    { column: 'clientAddress', windowMs: minuteMs, leads: limitPerMinute },
    { column: 'clientAddress', windowMs: dayMs, leads: limitPerMinute * 100 },
    { column: 'clientNetwork', windowMs: minuteMs, leads: computeNetworkLimit(limitPerMinute) },
    { column: 'clientNetwork', windowMs: dayMs, leads: computeNetworkLimit(limitPerMinute) * 100 },
  ] as const

/** Returns how long a client at its limit must wait; undefined if it is below. */
export async function findRateLimit(
  trx: Transaction<Tables>,
  client: { clientAddress: string; clientNetwork: string },
  { now, limitPerMinute }: { now: number; limitPerMinute: number },
): Promise<number | undefined> {
  if (limitPerMinute <= 0) return undefined
  for (const { column, windowMs, leads } of listLimits(limitPerMinute)) {
    // The next lead is accepted when this row leaves the window.
    const oldest = await trx
      .selectFrom('leads')
      .select('receivedAt')
      // The index starts with the network, so filter by it even for the limits per IP address.
      .where('clientNetwork', '=', client.clientNetwork)
      .where(column, '=', client[column])
      .where('receivedAt', '>', now - windowMs)
      // Ignore leads from the future, which were received before the clock was set back.
      .where('receivedAt', '<=', now)
      .orderBy('receivedAt', 'desc')
      .offset(leads - 1)
      .limit(1)
      .executeTakeFirst()
    if (oldest) return oldest.receivedAt + windowMs - now
  }
  return undefined
}

/** Removes the IP addresses of visitors and the counts that no limit needs anymore. */
export async function forgetAddresses({ kysely }: Database, now: number): Promise<void> {
  await kysely
    .updateTable('leads')
    .set({ clientAddress: '', clientNetwork: '' })
    // Most leads have no network anymore, so the index on this column finds the few that still have one.
    .where('clientNetwork', '>', '')
    .where('receivedAt', '<', now - keepAddressMs)
    .execute()
  // Keep yesterday's rows, which may be in use around midnight.
  await kysely
    .deleteFrom('confirmationLimits')
    .where('day', '<', formatUtcDay(now - dayMs))
    .execute()
}

const firstOfBurst = 20

/**
 * Returns true for the 20th uncalled lead from one network within an hour, and for later ones. Texts and
 * notifications about such leads are combined. A proxy's IP address does not count, because all
 * visitors share it.
 */
export async function isInBurst(
  trx: Transaction<Tables>,
  client: { clientAddress: string; clientNetwork: string },
  { now, mayShareAddress }: { now: number; mayShareAddress: boolean },
): Promise<boolean> {
  if (!isPublicAddress(client.clientAddress)) return false
  const latest = trx
    .selectFrom('leads')
    .select('id')
    .where('receivedAt', '<=', now)
    .orderBy('receivedAt', 'desc')
    .limit(1)
  const earlier = await latest
    .where('clientNetwork', '=', client.clientNetwork)
    .where('receivedAt', '>', now - hourMs)
    .where('status', '=', 'open')
    .where('suspect', 'is', null)
    .offset(firstOfBurst - 2)
    .executeTakeFirst()
  if (!earlier || !mayShareAddress) return earlier !== undefined
  // A forged header can set `mayShareAddress`, so it alone must not hide a burst: leads from other networks show that
  // visitors have separate IP addresses.
  const other = await latest
    .where('clientNetwork', '!=', client.clientNetwork)
    .where('receivedAt', '>', now - 48 * hourMs)
    .executeTakeFirst()
  return other !== undefined
}

const limits = { address: 1, network: 20, all: 200 }

const formatUtcDay = (at: number) => new Date(at).toISOString().slice(0, 10)

export const nameAddress = (email: string): string => hash(normalizeEmail(email))

/** Counts one confirmation. Returns false if the network, the email address, or the site is at its daily limit. */
export async function countConfirmation(
  trx: Kysely<Tables>,
  { email, network }: { email: string; network: string },
  now: number,
): Promise<boolean> {
  // Use this order so that two transactions cannot deadlock. The network comes first, so that a network over its limit
  // cannot use up the confirmations of email addresses.
  if (!(await countUse(trx, `network:${hash(network)}`, limits.network, now))) return false
  if (!(await countUse(trx, nameAddress(email), limits.address, now))) return false
  return (await countUse(trx, 'all', limits.all, now)) !== undefined
}

export type ReachedLimit = { kind: 'network' | 'all'; emails: number; until: number }

/** Returns the limit that today's (UTC) confirmations have reached. */
export async function findConfirmationLimit(
  { kysely }: Database,
  now: number,
): Promise<ReachedLimit | undefined> {
  const reached = await kysely
    .selectFrom('confirmationLimits')
    .select('name')
    .where('day', '=', formatUtcDay(now))
    .where((eb) =>
      eb.or([
        eb('name', '=', 'all').and('used', '>=', limits.all),
        eb('name', 'like', 'network:%').and('used', '>=', limits.network),
      ]),
    )
    .orderBy('name')
    .executeTakeFirst()
  if (!reached) return undefined
  const kind = reached.name === 'all' ? 'all' : 'network'
  return { kind, emails: limits[kind], until: Date.parse(formatUtcDay(now + dayMs)) }
}

/** Returns the new count, or undefined if the limit is reached. */
export async function countUse(trx: Kysely<Tables>, name: string, limit: number, now: number) {
  const counted = await trx
    .insertInto('confirmationLimits')
    .values({ name, day: formatUtcDay(now), used: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['name', 'day'])
        .doUpdateSet((eb) => ({ used: eb('confirmationLimits.used', '+', 1) }))
        .where('confirmationLimits.used', '<', limit),
    )
    .returning('used')
    .executeTakeFirst()
  return counted?.used
}

export async function takeBackUse(trx: Kysely<Tables>, name: string, now: number) {
  await trx
    .updateTable('confirmationLimits')
    .set((eb) => ({ used: eb('used', '-', 1) }))
    .where('name', '=', name)
    .where('day', '=', formatUtcDay(now))
    .execute()
}
