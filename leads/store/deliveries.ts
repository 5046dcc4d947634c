import { type Kysely, type NotNull, sql, type Updateable } from 'kysely'
import { correctionReasons, type DeliveryReason } from '../delivery-reason.ts'
import type { CancelReason } from '../lead-state.ts'
import type { Database, Tables } from './tables.ts'

export type DeliveryResult = { leadId: string; reason: DeliveryReason; revision: number } & (
  | { ok: true; note?: string; messageId?: string }
  /** `nextAttemptAt` is null if the delivery is not retried. */
  | { ok: false; error: string; nextAttemptAt: number | null }
)

// Use literals: if a parameter decided which index SQLite can use, SQLite would plan the query each time it runs.
export const waiting = sql.lit('waiting' as const)
const asking = sql.lit('asking' as const)

/** The delay before first asking whether a message arrived. */
export const firstQuestionMs = 5_000

export function recordResults(
  { kysely }: Database,
  recipient: string,
  results: readonly DeliveryResult[],
  {
    holder,
    now,
    arrivesWhenSent = false,
    burstAt,
  }: {
    holder: string
    now: number
    arrivesWhenSent?: boolean | undefined
    /** When the next message about a burst of leads may be sent. */
    burstAt?: number | undefined
  },
): Promise<void> {
  const record = async (trx: Kysely<Tables>) => {
    if (burstAt !== undefined)
      await trx.updateTable('recipients').set({ burstAt }).where('name', '=', recipient).execute()
    // Lock rows in the order of their leads, as events do, to prevent deadlocks.
    for (const result of results.toSorted((a, b) => (a.leadId < b.leadId ? -1 : 1))) {
      const delivery = trx
        .updateTable('deliveries')
        .where('leadId', '=', result.leadId)
        .where('recipient', '=', recipient)
        .where('reason', '=', result.reason)
        // If the delivery was reset in the meantime, it must be sent again.
        .where('revision', '=', result.revision)
        .set(makeResultFields(result, now))
      if (result.ok)
        await delivery.$if(arrivesWhenSent, (query) => query.set({ arrivedAt: now })).execute()
      // A holder that lost its lease may record a success but not a failure, because the next holder may succeed.
      else
        await delivery
          // Do not retry a delivery that was canceled in the meantime, such as one to a device that is gone.
          .$if(result.nextAttemptAt !== null, (query) => query.where('state', '=', waiting))
          .where(({ exists, selectFrom }) =>
            exists(
              selectFrom('recipients')
                .select('name')
                .where('name', '=', recipient)
                .where('holder', '=', holder),
            ),
          )
          .execute()
    }
  }
  // Most alerts are sent one at a time, and one statement needs no transaction.
  const isOne = results.length === 1 && burstAt === undefined
  return isOne ? record(kysely) : kysely.transaction().execute(record)
}

function makeResultFields(result: DeliveryResult, now: number): Updateable<Tables['deliveries']> {
  if (!result.ok && result.nextAttemptAt === null)
    return { state: 'failed', lastError: result.error, settledAt: now }
  if (!result.ok) return { lastError: result.error, nextAttemptAt: result.nextAttemptAt ?? now }
  const { messageId, note = null } = result
  if (messageId === undefined) return { state: 'sent', note, settledAt: now }
  const question = { messageId, nextAttemptAt: now + firstQuestionMs }
  return { state: 'asking', note, settledAt: now, ...question }
}

/**
 * Marks a channel's pending messages as expired if they were due before this time. For an alert, the lead's deadline
 * (its arrival, for suspected spam) must be before this time, too. Returns the IDs of the leads.
 */
export async function expireDeliveries(
  { kysely }: Database,
  kind: string,
  { before, now, isAlert }: { before: number; now: number; isAlert: boolean },
): Promise<string[]> {
  const expired = await kysely
    .updateTable('deliveries')
    .set({ state: 'expired', settledAt: now })
    .where('state', '=', waiting)
    .where((eb) =>
      eb.or([eb('recipient', '=', kind), eb('recipient', 'like', sql.lit(`${kind}-%`))]),
    )
    // Use the due time, not the lead's arrival, so that a message for later, such as a reminder of a call tomorrow,
    // does not expire early.
    .where('dueAt', '<=', before)
    .$if(isAlert, (query) =>
      query.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('leads')
            .select('leads.id')
            .whereRef('leads.id', '=', 'deliveries.leadId')
            .where((eb) => eb.fn.coalesce('leads.deadlineAt', 'leads.receivedAt'), '<=', before),
        ),
      ),
    )
    .returning('leadId')
    .execute()
  return expired.map(({ leadId }) => leadId)
}

/** Schedules an immediate attempt for pending messages that are due. Returns their recipients. */
export async function retryDeliveries(
  { engine, kysely }: Database,
  leadId: string | 'all',
  now: number,
  recipient: string | 'all' = 'all',
): Promise<string[]> {
  let pending = kysely
    .selectFrom('deliveries')
    .select(['leadId', 'recipient', 'reason'])
    .where('state', '=', waiting)
    .where('isMessage', '=', 1)
    .where('dueAt', '<=', now)
    // Skip rows that a sender has locked, because waiting for them could cause a deadlock.
    .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked())
  if (leadId !== 'all') pending = pending.where('leadId', '=', leadId)
  if (recipient !== 'all') pending = pending.where('recipient', '=', recipient)
  const retried = await kysely
    .updateTable('deliveries')
    .set({ nextAttemptAt: now })
    .where((eb) =>
      eb(
        eb.refTuple('leadId', 'recipient', 'reason'),
        'in',
        pending.$asTuple('leadId', 'recipient', 'reason'),
      ),
    )
    .returning('recipient')
    .execute()
  return retried.map((message) => message.recipient)
}

type NewDeliveries = { leadId: string; recipients: readonly string[]; reason: DeliveryReason }

/** Returns rows that are due at this time. The table's defaults fill the other columns. */
export const makeDeliveries = ({ leadId, recipients, reason }: NewDeliveries, dueAt: number) =>
  recipients.map((recipient) => ({
    leadId,
    recipient,
    reason,
    isMessage: 1,
    nextAttemptAt: dueAt,
    dueAt,
  }))

/**
 * Writes deliveries that are due at this time. Resets existing ones so that they are sent again; with `once`, resets
 * only those in the state `cancelled`.
 */
export async function writeDeliveries(
  trx: Kysely<Tables>,
  deliveries: NewDeliveries,
  dueAt: number,
  { once = false } = {},
): Promise<void> {
  if (deliveries.recipients.length === 0) return
  await trx
    .insertInto('deliveries')
    .values(makeDeliveries(deliveries, dueAt))
    .onConflict((conflict) => {
      const reset = conflict.columns(['leadId', 'recipient', 'reason']).doUpdateSet((eb) => ({
        revision: eb('deliveries.revision', '+', 1),
        state: 'waiting',
        attempts: 0,
        nextAttemptAt: dueAt,
        lastError: null,
        note: null,
        cancelReason: null,
        dueAt,
        settledAt: null,
        messageId: null,
        arrivedAt: null,
        tappedAt: null,
      }))
      return once ? reset.where('deliveries.state', '=', 'cancelled') : reset
    })
    .execute()
}

// Messages that a change to the lead's state does not cancel.
const notReminders = ['received', 'called', 'outcome', ...correctionReasons] as const

type Cancellation = { leadId: string; because: CancelReason; now: number }

/** A delivery that is being sent is recorded as sent if it succeeds, and is not retried if it fails. */
export const cancelPending = (trx: Kysely<Tables>, { leadId, because, now }: Cancellation) =>
  trx
    .updateTable('deliveries')
    .set({ state: 'cancelled', cancelReason: because, settledAt: now })
    .where('leadId', '=', leadId)
    .where('state', '=', waiting)
    .where('isMessage', '=', 1)

/**
 * Cancels a lead's pending reminders, questions about a call, and emails about an unanswered call, except for the
 * reasons in `keeps`.
 */
export async function cancelDeliveries(
  trx: Kysely<Tables>,
  { keeps, ...cancellation }: Cancellation & { keeps: readonly DeliveryReason[] },
): Promise<void> {
  await cancelPending(trx, cancellation)
    .where('reason', 'not in', [...notReminders, ...keeps])
    .execute()
}

export type SentMessage = Awaited<ReturnType<typeof listQuestions>>[number]

/** Lists messages to ask about now, including those to removed recipients. Several deliveries may share a message. */
export const listQuestions = ({ kysely }: Database, now: number, limit: number) =>
  kysely
    .selectFrom('deliveries')
    .select(['recipient', 'messageId', 'settledAt as sentAt'])
    .where('state', '=', asking)
    .where('nextAttemptAt', '<=', now)
    .groupBy(['recipient', 'messageId', 'settledAt'])
    .orderBy((eb) => eb.fn.min('nextAttemptAt'))
    .limit(limit)
    .$narrowType<{ messageId: NotNull; sentAt: NotNull }>()
    .execute()

/** Records whether a message arrived, or when to ask again. */
export async function recordAnswer(
  { kysely }: Database,
  { recipient, messageId }: SentMessage,
  changes: Updateable<Tables['deliveries']>,
): Promise<void> {
  await kysely
    .updateTable('deliveries')
    .set(changes)
    .where('recipient', '=', recipient)
    .where('messageId', '=', messageId)
    .where('state', '=', asking)
    .execute()
}

export const listMessageDeliveries = (
  { kysely }: Database,
  { recipient, messageId }: Pick<SentMessage, 'recipient' | 'messageId'>,
) =>
  kysely
    .selectFrom('deliveries')
    .select(['leadId', 'reason'])
    .where('recipient', '=', recipient)
    .where('messageId', '=', messageId)
    .execute()
