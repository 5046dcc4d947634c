import type { Transaction } from 'kysely'
import type { Tables } from './tables.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/**
 * Limits per client and per network. Daily limits keep a slow flood from filling the disk, and network
 * limits keep a client from changing addresses. They are wide enough for an office or a town behind one
 * carrier's addresses.
 */
const listLimits = (limitPerMinute: number) =>
  [
    { column: 'client_address', windowMs: minuteMs, leads: limitPerMinute },
    { column: 'client_address', windowMs: dayMs, leads: limitPerMinute * 100 },
    { column: 'client_network', windowMs: minuteMs, leads: limitPerMinute * 5 },
    { column: 'client_network', windowMs: dayMs, leads: limitPerMinute * 500 },
  ] as const

/** Returns how long this client has to wait before its next lead, or undefined. */
export async function findRateLimit(
  trx: Transaction<Tables>,
  client: { client_address: string; client_network: string },
  { now, limitPerMinute }: { now: number; limitPerMinute: number },
): Promise<number | undefined> {
  if (limitPerMinute <= 0) return undefined
  for (const { column, windowMs, leads } of listLimits(limitPerMinute)) {
    // Once this row has left the window, there is room for one more lead.
    const deciding = await trx
      .selectFrom('leads')
      .select('received_at')
      .where(column, '=', client[column])
      .where('received_at', '>', now - windowMs)
      .orderBy('received_at', 'desc')
      .offset(leads - 1)
      .limit(1)
      .executeTakeFirst()
    if (deciding) return deciding.received_at + windowMs - now
  }
  return undefined
}
