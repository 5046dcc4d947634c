import { type ExpressionBuilder, type Kysely, sql } from 'kysely'
import type { DeliveryReason } from '../delivery-reason.ts'
import type { CancelReason } from '../history.ts'
import type { Database, Tables } from './tables.ts'

/** Fields of a delivery that no process is sending. */
export const free = { leased_until: 0, lease_holder: null }

export type DeliveryResult = { leadId: string; reason: DeliveryReason } & (
  | { ok: true; note?: string; messageId?: string; isUndeliverable?: boolean }
  | { ok: false; error: string; nextAttemptAt: number }
)

// A literal, because with a parameter that decides whether a partial index can be used, SQLite would plan the
// query again each time.
export const waiting = sql.lit('waiting' as const)

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
  const record = async (trx: Kysely<Tables>) => {
    // Always in this order, so that an event on several leads cannot cause a deadlock.
    for (const result of results.toSorted((a, b) => (a.leadId < b.leadId ? -1 : 1))) {
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
          // If the state changed in the meantime, the delivery was reset and must be sent again.
          .$if(result.reason === 'called' || result.reason === 'outcome', (query) =>
            query.where('lease_holder', '=', holder),
          )
          .execute()
      // A holder that lost its lease may report a success, but must not schedule a retry.
      else
        await delivery
          .set({ ...free, last_error: result.error, next_attempt_at: result.nextAttemptAt })
          .where('lease_holder', '=', holder)
          .where('state', '=', waiting)
          .execute()
    }
  }
  // Most alerts are sent one by one, and one statement needs no transaction.
  return results.length === 1 ? record(kysely) : kysely.transaction().execute(record)
}

/** Returns when the oldest pending delivery was due. */
export async function findOldestDueAt({ kysely }: Database): Promise<number> {
  const { at } = await kysely
    .selectFrom('deliveries')
    .select((eb) => eb.fn.min<number | null>('due_at').as('at'))
    .where('state', '=', waiting)
    .executeTakeFirstOrThrow()
  return at ?? Number.POSITIVE_INFINITY
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
    .where('state', '=', waiting)
    .where('leased_until', '<=', now)
    .where((eb) => eb.or([eb('channel', '=', kind), eb('channel', 'like', `${kind}-%`)]))
    // A message for a later time, such as a reminder of a call the next day, also gets a full day.
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

/** Makes pending deliveries due now and returns how many. Those that wait until we open stay as they are. */
export async function retryDeliveries(
  { engine, kysely }: Database,
  leadId: string | 'all',
  now: number,
  channel: string | 'all' = 'all',
): Promise<number> {
  let pending = kysely
    .selectFrom('deliveries')
    .select(['lead_id', 'channel', 'reason'])
    .where('state', '=', waiting)
    .where('due_at', '<=', now)
    // Waiting for a row that a sender has locked could cause a deadlock.
    .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked())
  if (leadId !== 'all') pending = pending.where('lead_id', '=', leadId)
  if (channel !== 'all') pending = pending.where('channel', '=', channel)
  const retried = await kysely
    .updateTable('deliveries')
    .set({ next_attempt_at: now })
    .where((eb) =>
      eb(
        eb.refTuple('lead_id', 'channel', 'reason'),
        'in',
        pending.$asTuple('lead_id', 'channel', 'reason'),
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
    lead_id: leadId,
    channel,
    reason,
    next_attempt_at: dueAt,
    due_at: dueAt,
  }))

/** Adds deliveries that are due at this time. Keeps existing ones as they are. */
export async function addMissingDeliveries(
  { kysely }: Database,
  deliveries: NewDeliveries,
  dueAt: number,
): Promise<void> {
  if (deliveries.channels.length === 0) return
  await kysely
    .insertInto('deliveries')
    .values(makeDeliveries(deliveries, dueAt))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Writes deliveries that are due at this time. Resets existing ones, so that they are sent again, or with
 * `once` only those that were cancelled.
 */
export async function writeDeliveries(
  trx: Kysely<Tables>,
  deliveries: NewDeliveries,
  dueAt: number,
  { once = false } = {},
): Promise<void> {
  if (deliveries.channels.length === 0) return
  await trx
    .insertInto('deliveries')
    .values(makeDeliveries(deliveries, dueAt))
    .onConflict((conflict) => {
      const reset = conflict.columns(['lead_id', 'channel', 'reason']).doUpdateSet({
        state: 'waiting',
        attempts: 0,
        next_attempt_at: dueAt,
        ...free,
        last_error: null,
        note: null,
        cancel_reason: null,
        due_at: dueAt,
        settled_at: null,
        message_id: null,
        check_at: null,
        arrived_at: null,
        tapped_at: null,
      })
      return once ? reset.where('deliveries.state', '=', 'cancelled') : reset
    })
    .execute()
}

/** Selects pending deliveries by what they are for. */
const isFor = {
  reminders: (eb: DeliveryExpression, now: number) =>
    eb.or([
      eb('reason', 'not in', ['received', 'called', 'outcome', 'unreached']),
      // An alert that waits until we open is not needed once someone has called. After the clock was set
      // back, other messages may be due later, too.
      eb.and([
        eb('reason', '=', 'received'),
        eb('due_at', '>', now),
        eb('due_at', '>', (lead) =>
          lead
            .selectFrom('leads')
            .select('received_at')
            .whereRef('leads.id', '=', 'deliveries.lead_id'),
        ),
      ]),
    ]),
  email: (eb: DeliveryExpression) => eb('reason', '=', 'unreached'),
  call: (eb: DeliveryExpression) => eb('reason', '=', 'called'),
}
type DeliveryExpression = ExpressionBuilder<Tables, 'deliveries'>

/**
 * Cancels a lead's pending deliveries, including those that are being sent: a failed one is not retried,
 * and a delivered one is still recorded as sent.
 */
export async function cancelDeliveries(
  trx: Kysely<Tables>,
  what: keyof typeof isFor,
  { leadId, because, now }: { leadId: string; because: CancelReason; now: number },
): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set({ state: 'cancelled', cancel_reason: because, settled_at: now })
    .where('lead_id', '=', leadId)
    .where('state', '=', waiting)
    .where((eb) => isFor[what](eb, now))
    .execute()
}

/** Restores the alerts that wait until we open and that a call has cancelled. */
export async function restoreAlerts(trx: Kysely<Tables>, leadId: string, now: number) {
  await trx
    .updateTable('deliveries')
    .set({ state: 'waiting', cancel_reason: null, settled_at: null })
    .where('lead_id', '=', leadId)
    .where('reason', '=', 'received')
    .where('cancel_reason', '=', 'called')
    .where('due_at', '>', now)
    .execute()
}
