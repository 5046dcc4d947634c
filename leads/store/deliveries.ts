import type { Kysely } from 'kysely'
import type { DeliveryReason } from '../delivery-reason.ts'
import type { StoredLead } from '../lead.ts'
import { type Database, storedColumns, type Tables } from './tables.ts'

/** Returns when the next pending delivery can be claimed, if there is one. */
export async function findNextDueAt(
  { kysely }: Database,
  channel: string,
): Promise<number | undefined> {
  const waiting = kysely
    .selectFrom('deliveries')
    .where('channel', '=', channel)
    .where('state', '=', 'waiting')
  // Two index lookups instead of a scan of all pending deliveries: first the next one without a lease,
  // then the few leased ones before it.
  const free = await waiting
    .select('next_attempt_at as at')
    .whereRef('leased_until', '<=', 'next_attempt_at')
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  const held = await waiting
    .select(['next_attempt_at as from', 'leased_until as until'])
    .$if(free !== undefined, (query) => query.where('next_attempt_at', '<', free?.at ?? 0))
    .execute()
  const dueAts = held.map(({ from, until }) => Math.max(from, until))
  if (free) dueAts.push(free.at)
  if (dueAts.length === 0) return undefined
  const pause = await kysely
    .selectFrom('channels')
    .select('not_before')
    .where('name', '=', channel)
    .executeTakeFirst()
  return Math.max(Math.min(...dueAts), pause?.not_before ?? 0)
}

export type ClaimedLead = { lead: StoredLead; reason: DeliveryReason; attempts: number }

export type Lease = { holder: string; now: number; until: number }

/** Leases a channel's due deliveries, oldest first. Other processes skip them until the lease expires. */
export function claimDue(
  { engine, kysely }: Database,
  channel: string,
  limit: number,
  { holder, now, until }: Lease,
): Promise<ClaimedLead[]> {
  return kysely.transaction().execute(async (trx) => {
    // Two statements, because in one, PostgreSQL may run the limited subquery twice and lock too many rows.
    const due = await trx
      .selectFrom('deliveries')
      .select(['lead_id', 'reason'])
      .where('channel', '=', channel)
      .where('state', '=', 'waiting')
      .where('next_attempt_at', '<=', now)
      .where('leased_until', '<=', now)
      .orderBy('next_attempt_at')
      .limit(limit)
      .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked())
      .execute()
    if (due.length === 0) return []
    const claimed = await trx
      .updateTable('deliveries')
      .set((eb) => ({
        lease_holder: holder,
        leased_until: until,
        attempts: eb('attempts', '+', 1),
      }))
      .where('channel', '=', channel)
      .where((eb) => eb.or(due.map((one) => eb.and(one))))
      .returning(['lead_id', 'reason', 'attempts'])
      .execute()

    const ids = claimed.map(({ lead_id: id }) => id)
    const leads = await trx
      .selectFrom('leads')
      .select(storedColumns)
      .where('id', 'in', ids)
      .orderBy('received_at')
      .execute()
    return leads.flatMap((lead) =>
      claimed.flatMap(({ lead_id: leadId, reason, attempts }) =>
        leadId === lead.id ? [{ lead, reason, attempts }] : [],
      ),
    )
  })
}

const free = { leased_until: 0, lease_holder: null }

/** Selects the holder's claims without a recorded result. */
export const updateClaims = ({ kysely }: Database, channel: string, holder: string) =>
  kysely
    .updateTable('deliveries')
    .where('channel', '=', channel)
    .where('lease_holder', '=', holder)
    .where('state', '=', 'waiting')

/** Releases the holder's claims that were not sent. */
export async function releaseClaims(db: Database, channel: string, holder: string): Promise<void> {
  await updateClaims(db, channel, holder).set(free).execute()
}

export type DeliveryResult = { leadId: string; reason: DeliveryReason } & (
  | { ok: true; note?: string; messageId?: string; isUndeliverable?: boolean }
  | { ok: false; error: string; nextAttemptAt: number }
)

/** The delay before first asking whether a message arrived. */
export const firstCheckMs = 5_000

export function recordResults(
  { kysely }: Database,
  channel: string,
  results: readonly DeliveryResult[],
  {
    holder,
    now,
    arrivesWhenSent = false,
  }: { holder: string; now: number; arrivesWhenSent?: boolean | undefined },
): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    for (const result of results) {
      const delivery = trx
        .updateTable('deliveries')
        .where('lead_id', '=', result.leadId)
        .where('channel', '=', channel)
        .where('reason', '=', result.reason)
      if (result.ok)
        await delivery
          .set({ ...free, settled_at: now, note: result.note ?? null })
          .set({ state: result.isUndeliverable ? 'failed' : 'sent' })
          .$if(arrivesWhenSent, (query) => query.set({ arrived_at: now }))
          .$if(result.messageId !== undefined, (query) =>
            query.set({ message_id: result.messageId ?? null, check_at: now + firstCheckMs }),
          )
          // If the answer or outcome changed in the meantime, the delivery was reset and must be sent again.
          .$if(result.reason === 'answered' || result.reason === 'outcome', (query) =>
            query.where('lease_holder', '=', holder),
          )
          .execute()
      // A holder that lost its lease may report a success, but must not schedule a retry.
      else
        await delivery
          .set({ ...free, last_error: result.error, next_attempt_at: result.nextAttemptAt })
          .where('lease_holder', '=', holder)
          .where('state', '=', 'waiting')
          .execute()
    }
  })
}

/**
 * Marks a channel's undelivered messages as expired if they were due before this time. For an alert, the
 * lead's deadline (its receipt, for suspected spam) must be before this time, too. Returns the leads.
 */
export async function expireDeliveries(
  { kysely }: Database,
  kind: string,
  { before, now, isAlert }: { before: number; now: number; isAlert: boolean },
): Promise<string[]> {
  const expired = await kysely
    .updateTable('deliveries')
    .set({ state: 'expired', settled_at: now })
    .where('state', '=', 'waiting')
    .where('leased_until', '<=', now)
    .where((eb) => eb.or([eb('channel', '=', kind), eb('channel', 'like', `${kind}-%`)]))
    // A message that was planned later, such as about an answer the next day, also gets a full day.
    .where('due_at', '<=', before)
    .$if(isAlert, (query) =>
      query.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('leads')
            .select('leads.id')
            .whereRef('leads.id', '=', 'deliveries.lead_id')
            .where((eb) => eb.fn.coalesce('leads.deadline_at', 'leads.received_at'), '<=', before),
        ),
      ),
    )
    .returning('lead_id')
    .execute()
  return expired.map(({ lead_id: leadId }) => leadId)
}

/** Makes pending deliveries due now and returns how many. Those that wait for the opening stay as they are. */
export async function retryDeliveries(
  { engine, kysely }: Database,
  leadId: string | 'all',
  now: number,
  channel: string | 'all' = 'all',
): Promise<number> {
  let waiting = kysely
    .selectFrom('deliveries')
    .select(['lead_id', 'channel', 'reason'])
    .where('state', '=', 'waiting')
    .where('due_at', '<=', now)
    // Waiting for a row that a sender has locked could cause a deadlock.
    .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked())
  if (leadId !== 'all') waiting = waiting.where('lead_id', '=', leadId)
  if (channel !== 'all') waiting = waiting.where('channel', '=', channel)
  const retried = await kysely
    .updateTable('deliveries')
    .set({ next_attempt_at: now })
    .where((eb) =>
      eb(
        eb.refTuple('lead_id', 'channel', 'reason'),
        'in',
        waiting.$asTuple('lead_id', 'channel', 'reason'),
      ),
    )
    .returning('lead_id')
    .execute()
  return retried.length
}

type NewDeliveries = { leadId: string; channels: readonly string[]; reason: DeliveryReason }

/** Returns rows that are due at this time. The table's defaults fill the other columns. */
export const makeDeliveries = ({ leadId, channels, reason }: NewDeliveries, dueAt: number) =>
  channels.map((channel) => ({
    ...{ lead_id: leadId, channel, reason },
    ...{ next_attempt_at: dueAt, due_at: dueAt },
  }))

/** Writes deliveries that are due at this time. Resets existing ones, so that they are sent again. */
export async function writeDeliveries(
  trx: Kysely<Tables>,
  deliveries: NewDeliveries,
  dueAt: number,
): Promise<void> {
  if (deliveries.channels.length === 0) return
  await trx
    .insertInto('deliveries')
    .values(makeDeliveries(deliveries, dueAt))
    .onConflict((conflict) =>
      conflict.columns(['lead_id', 'channel', 'reason']).doUpdateSet({
        state: 'waiting',
        attempts: 0,
        next_attempt_at: dueAt,
        ...free,
        last_error: null,
        note: null,
        due_at: dueAt,
        settled_at: null,
        message_id: null,
        check_at: null,
        arrived_at: null,
        tapped_at: null,
      }),
    )
    .execute()
}
