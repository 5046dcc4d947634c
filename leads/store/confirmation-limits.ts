import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import { normalizeEmail } from '../repeats.ts'
import type { Database, Tables } from './tables.ts'

const dayMs = 24 * 3_600_000
const limits = { address: 1, network: 20, all: 200 }

const formatDay = (at: number) => new Date(at).toISOString().slice(0, 10)
const hash = (text: string) => createHash('sha256').update(text).digest('hex')

export const nameAddress = (email: string): string => hash(normalizeEmail(email))

/** Counts one confirmation. Returns false if the network, the address, or all of them have reached the daily limit. */
export async function countConfirmation(
  trx: Kysely<Tables>,
  { email, network }: { email: string; network: string },
  now: number,
): Promise<boolean> {
  // Always in this order, so that two transactions cannot deadlock. The network comes first, so that
  // one over its limit cannot use up the confirmations of addresses.
  if (!(await countUse(trx, `network:${hash(network)}`, limits.network, now))) return false
  if (!(await countUse(trx, nameAddress(email), limits.address, now))) return false
  const used = await countUse(trx, 'all', limits.all, now)
  // Yesterday's rows may be in use around midnight.
  if (used === 1)
    await trx
      .deleteFrom('confirmation_limits')
      .where('day', '<', formatDay(now - dayMs))
      .execute()
  return used !== undefined
}

export type ReachedLimit = { kind: 'network' | 'all'; emails: number; until: number }

/** Returns the limit that is reached today (UTC). */
export async function findConfirmationLimit(
  { kysely }: Database,
  now: number,
): Promise<ReachedLimit | undefined> {
  const reached = await kysely
    .selectFrom('confirmation_limits')
    .select('name')
    .where('day', '=', formatDay(now))
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
  return { kind, emails: limits[kind], until: Date.parse(formatDay(now + dayMs)) }
}

/** Returns the new count, or undefined if the limit is reached. */
export async function countUse(trx: Kysely<Tables>, name: string, limit: number, now: number) {
  const counted = await trx
    .insertInto('confirmation_limits')
    .values({ name, day: formatDay(now), used: 1 })
    .onConflict((conflict) =>
      conflict
        .columns(['name', 'day'])
        .doUpdateSet((eb) => ({ used: eb('confirmation_limits.used', '+', 1) }))
        .where('confirmation_limits.used', '<', limit),
    )
    .returning('used')
    .executeTakeFirst()
  return counted?.used
}
