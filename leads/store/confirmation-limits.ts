import { createHash } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

const dayMs = 24 * 3_600_000
const perAddress = 1
const perDay = 200

const formatDay = (at: number) => new Date(at).toISOString().slice(0, 10)

/** One mailbox can have many addresses: mail services ignore case, dots, and everything after a plus sign. */
export function nameAddress(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@')
  const mailbox = `${local.replace(/\+.*|\./g, '')}@${domain}`
  return createHash('sha256').update(mailbox).digest('hex')
}

/** Counts one confirmation. Returns false if the address or all of them have reached the daily limit. */
export async function countConfirmation(
  trx: Kysely<Tables>,
  email: string,
  now: number,
): Promise<boolean> {
  // Always in this order, so that two transactions cannot deadlock.
  if (!(await countUse(trx, nameAddress(email), perAddress, now))) return false
  const used = await countUse(trx, 'all', perDay, now)
  // Yesterday's rows may be in use around midnight.
  if (used === 1)
    await trx
      .deleteFrom('confirmation_limits')
      .where('day', '<', formatDay(now - dayMs))
      .execute()
  return used !== undefined
}

/** Returns the new count, or undefined if the limit is reached. */
async function countUse(trx: Kysely<Tables>, name: string, limit: number, now: number) {
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
