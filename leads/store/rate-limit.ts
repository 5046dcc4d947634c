import type { Transaction } from 'kysely'
import type { Database, Tables } from './tables.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
const keepAddressMs = 2 * dayMs

/**
 * Daily limits stop a slow flood from filling the disk. Network limits stop a client that changes
 * addresses, and still allow an office or a town that shares its carrier's addresses.
 */
const listLimits = (limitPerMinute: number) =>
  [
    { column: 'client_address', windowMs: minuteMs, leads: limitPerMinute },
    { column: 'client_address', windowMs: dayMs, leads: limitPerMinute * 100 },
    { column: 'client_network', windowMs: minuteMs, leads: limitPerMinute * 5 },
    { column: 'client_network', windowMs: dayMs, leads: limitPerMinute * 500 },
  ] as const

/** Returns how long a client over the limit must wait. */
export async function findRateLimit(
  trx: Transaction<Tables>,
  client: { client_address: string; client_network: string },
  { now, limitPerMinute }: { now: number; limitPerMinute: number },
): Promise<number | undefined> {
  if (limitPerMinute <= 0) return undefined
  for (const { column, windowMs, leads } of listLimits(limitPerMinute)) {
    // The next lead is accepted when this row leaves the window.
    const oldest = await trx
      .selectFrom('leads')
      .select('received_at')
      // The index begins with the network, also for the limits per address.
      .where('client_network', '=', client.client_network)
      .where(column, '=', client[column])
      .where('received_at', '>', now - windowMs)
      // Leads from the future were received before the clock was set back.
      .where('received_at', '<=', now)
      .orderBy('received_at', 'desc')
      .offset(leads - 1)
      .limit(1)
      .executeTakeFirst()
    if (oldest) return oldest.received_at + windowMs - now
  }
  return undefined
}

/** Removes the addresses of visitors that no limit needs anymore. */
export async function forgetAddresses({ kysely }: Database, now: number): Promise<void> {
  await kysely
    .updateTable('leads')
    .set({ client_address: '', client_network: '' })
    // The index on this column then has only the leads from the last two days.
    .where('client_network', '>', '')
    .where('received_at', '<', now - keepAddressMs)
    .execute()
}
