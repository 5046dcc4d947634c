import type { Transaction } from 'kysely'
import { isPublicAddress } from '../client-address.ts'
import type { Tables } from './tables.ts'

const hourMs = 3_600_000
const firstOfBurst = 20

/**
 * Returns true for the 20th uncalled lead from one network within an hour, and for later ones. Texts and
 * notifications about such leads are combined. A proxy's address does not count, because all visitors
 * share it.
 */
export async function isInBurst(
  trx: Transaction<Tables>,
  client: { client_address: string; client_network: string },
  { now, mayShareAddress }: { now: number; mayShareAddress: boolean },
): Promise<boolean> {
  if (!isPublicAddress(client.client_address)) return false
  const latest = trx
    .selectFrom('leads')
    .select('id')
    .where('received_at', '<=', now)
    .orderBy('received_at', 'desc')
    .limit(1)
  const earlier = await latest
    .where('client_network', '=', client.client_network)
    .where('received_at', '>', now - hourMs)
    .where('status', '=', 'open')
    .where('suspect', 'is', null)
    .offset(firstOfBurst - 2)
    .executeTakeFirst()
  if (!earlier || !mayShareAddress) return earlier !== undefined
  // A forged header does not turn this off on a site that gets other leads.
  const other = await latest
    .where('client_network', '!=', client.client_network)
    .where('received_at', '>', now - 48 * hourMs)
    .executeTakeFirst()
  return other !== undefined
}
