import { sql } from 'kysely'
import { findNetwork } from '../client-address.ts'
import type { Lead, LeadDetails } from '../lead.ts'
import { findRateLimit } from './rate-limit.ts'
import { type Database, writeDeliveries } from './tables.ts'

type SavedLead =
  | { outcome: 'saved' | 'repeated'; leadId: string }
  | { outcome: 'conflict' }
  | { outcome: 'limited'; retryAfterMs: number }

export type NewLead = {
  lead: Lead
  details: LeadDetails
  bodyHash: string
  clientAddress: string
  /** The lead is stored unless one of these keys is already; it is stored under the first. */
  idempotencyKeys: readonly string[]
  channels: readonly string[]
  /** When staff are first reminded if nobody has answered; left out: never. */
  escalateAt?: number | undefined
}

/** Stores a lead and its deliveries, all or nothing. When it returns, the commit is durable. */
export function saveLead(
  { engine, kysely, transact = (work) => kysely.transaction().execute(work) }: Database,
  { lead, details, bodyHash, clientAddress, idempotencyKeys, channels, escalateAt }: NewLead,
  { now, limitPerMinute }: { now: number; limitPerMinute: number },
): Promise<SavedLead> {
  const clientNetwork = findNetwork(clientAddress)
  return transact(async (trx): Promise<SavedLead> => {
    // Postgres runs one client's requests side by side, each blind to the others' uncommitted
    // leads: without this lock a burst passes the limit. SQLite has one writer anyway.
    if (engine === 'postgres' && limitPerMinute > 0)
      await sql`select pg_advisory_xact_lock(hashtextextended(${clientNetwork}, 0))`.execute(trx)

    const findRepeated = async () => {
      if (idempotencyKeys.length === 0) return undefined
      const earlier = await trx
        .selectFrom('leads')
        .select(['id', 'body_hash'])
        .where('idempotency_key', 'in', idempotencyKeys)
        .executeTakeFirst()
      if (!earlier) return undefined
      if (earlier.body_hash !== bodyHash) return { outcome: 'conflict' } as const
      return { outcome: 'repeated', leadId: earlier.id } as const
    }

    const repeated = await findRepeated()
    if (repeated) return repeated

    const client = { client_address: clientAddress, client_network: clientNetwork }
    const retryAfterMs = await findRateLimit(trx, client, { now, limitPerMinute })
    if (retryAfterMs !== undefined) return { outcome: 'limited', retryAfterMs }

    const id = crypto.randomUUID()
    const { serviceType, ...fields } = lead
    const inserted = await trx
      .insertInto('leads')
      .values({
        id,
        ...fields,
        service_type: serviceType,
        received_at: now,
        ...client,
        idempotency_key: idempotencyKeys[0] ?? null,
        body_hash: bodyHash,
        ...details,
        escalate_at: escalateAt ?? null,
      })
      .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
      .returning('id')
      .executeTakeFirst()
    // The same key came at the same moment over another address, and its transaction was first.
    if (!inserted) return (await findRepeated()) ?? { outcome: 'conflict' }

    await writeDeliveries(trx, { leadId: id, channels, occasion: 'received' }, now)
    return { outcome: 'saved', leadId: id }
  })
}
