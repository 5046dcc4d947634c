import type { Transaction } from 'kysely'
import type { Tables } from './tables.ts'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/**
 * What one client may send, and all clients of one network: a day's worth so that nobody fills the
 * disk however patient, a network's worth so that nobody does by changing addresses. Multiples of
 * the limit per minute, wide enough for an office or a whole town behind one carrier's addresses.
 */
const listLimits = (limitPerMinute: number) =>
  [
    { column: 'client_address', windowMs: minuteMs, leads: limitPerMinute },
    { column: 'client_address', windowMs: dayMs, leads: limitPerMinute * 100 },
    { column: 'client_network', windowMs: minuteMs, leads: limitPerMinute * 5 },
    { column: 'client_network', windowMs: dayMs, leads: limitPerMinute * 500 },
  ] as const

/** How long this client has to wait before its next lead; undefined: not at all. */
export async function findRateLimit(
  trx: Transaction<Tables>,
  client: { client_address: string; client_network: string },
  { now, limitPerMinute }: { now: number; limitPerMinute: number },
): Promise<number | undefined> {
  if (limitPerMinute <= 0) return undefined
  for (const { column, windowMs, leads } of listLimits(limitPerMinute)) {
    // The row whose age decides: once it has left the window there is room for one more.
    const deciding = await trx
      .selectFrom('leads')
      .select('received_at')
      .where(column, '=', client[column])
      .where('received_at', '>', now - windowMs)
      // Later than now: the clock has been set back since, and nobody shall wait for that.
      .where('received_at', '<=', now + minuteMs)
      .orderBy('received_at', 'desc')
      .offset(leads - 1)
      .limit(1)
      .executeTakeFirst()
    if (deciding) return deciding.received_at + windowMs - now
  }
  return undefined
}
