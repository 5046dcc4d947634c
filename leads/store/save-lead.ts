import { sql, type Transaction } from 'kysely'
import { computeNetwork } from '../client-address.ts'
import { toStoredFields } from '../field-outputs.ts'
import type { Lead } from '../fields.ts'
import type { Visit } from '../lead.ts'
import { makeHomeownerKeys } from '../repeats.ts'
import { addEvent, type NewEvent } from './append-event.ts'
import { isInBurst } from './burst.ts'
import { countConfirmation } from './confirmation-limits.ts'
import { makeDeliveries } from './deliveries.ts'
import { findRateLimit } from './rate-limit.ts'
import { makeSearchText } from './search-leads.ts'
import type { Database, Tables } from './tables.ts'

type SavedLead =
  | { outcome: 'saved' | 'repeated'; leadId: string }
  | { outcome: 'conflict' }
  | { outcome: 'limited'; retryAfterMs: number }

/** Where a new lead goes, and when. */
export type DeliveryPlan = {
  channels: readonly string[]
  /** Channels that get the lead when its promise starts. */
  channelsAtOpening?: readonly string[]
  /** When staff get the first reminder; undefined for no reminders. */
  escalateAt?: number | undefined
}

export type NewLead = DeliveryPlan & {
  lead: Lead
  visit: Visit
  bodyHash: string
  clientAddress: string
  /** The address may be a proxy's, because the request's headers do not match TRUSTED_PROXIES. */
  mayShareAddress?: boolean
  /** Stores the lead under the first key unless one of the keys exists. */
  idempotencyKeys: readonly string[]
  promiseStartAt: number | null
  deadlineAt: number | null
  /** The call during which someone added the lead. */
  event?: NewEvent
}

/** Stores a lead and its deliveries in one transaction, which is durable on return. */
export function saveLead(
  { engine, transact }: Database,
  newLead: NewLead,
  { now, limitPerMinute, makeId }: { now: number; limitPerMinute: number; makeId: () => string },
): Promise<SavedLead> {
  const { lead, bodyHash, clientAddress, idempotencyKeys } = newLead
  const clientNetwork = computeNetwork(clientAddress)
  return transact(async (trx): Promise<SavedLead> => {
    // PostgreSQL runs transactions in parallel, and none sees the others' uncommitted leads, so a burst
    // could exceed the limit. SQLite has one writer.
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

    // The insert below checks a single key.
    const repeated = idempotencyKeys.length > 1 && (await findRepeated())
    if (repeated) return repeated

    const client = { client_address: clientAddress, client_network: clientNetwork }
    const retryAfterMs = await findRateLimit(trx, client, { now, limitPerMinute })
    if (retryAfterMs !== undefined)
      return (await findRepeated()) ?? { outcome: 'limited', retryAfterMs }

    const { mayShareAddress = false } = newLead
    const inBurst =
      newLead.visit.suspect === null && (await isInBurst(trx, client, { now, mayShareAddress }))
    const id = makeId()
    const inserted = await insertLead(trx, newLead, { id, now, inBurst })
    if (!inserted) return (await findRepeated()) ?? { outcome: 'conflict' }

    const { channelsAtOpening = [], promiseStartAt } = newLead
    const received = { leadId: id, reason: 'received' as const }
    const mayConfirm =
      newLead.channels.includes('confirmation') &&
      (await countConfirmation(trx, { email: lead.email, network: clientNetwork }, now))
    const channels = newLead.channels.filter((name) => name !== 'confirmation' || mayConfirm)
    const deliveries = [
      ...makeDeliveries({ ...received, channels }, now),
      ...makeDeliveries({ ...received, channels: channelsAtOpening }, promiseStartAt ?? now),
    ]
    if (deliveries.length > 0) await trx.insertInto('deliveries').values(deliveries).execute()
    if (newLead.event) await addEvent({ engine, trx }, id, newLead.event, { now })
    return { outcome: 'saved', leadId: id }
  })
}

/** Returns undefined if a lead has the same idempotency key. */
export const insertLead = (
  trx: Transaction<Tables>,
  newLead: NewLead,
  { id, now, inBurst = false }: { id: string; now: number; inBurst?: boolean },
) =>
  trx
    .insertInto('leads')
    .values({
      id,
      ...toStoredFields(newLead.lead),
      search_text: makeSearchText(newLead.lead),
      ...makeHomeownerKeys(newLead.lead),
      received_at: now,
      promise_start_at: newLead.promiseStartAt,
      deadline_at: newLead.deadlineAt,
      client_address: newLead.clientAddress,
      client_network: computeNetwork(newLead.clientAddress),
      idempotency_key: newLead.idempotencyKeys[0] ?? null,
      body_hash: newLead.bodyHash,
      ...newLead.visit,
      in_burst: inBurst ? 1 : 0,
      escalate_at: newLead.escalateAt ?? null,
    })
    .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
    .returning('id')
    .executeTakeFirst()
