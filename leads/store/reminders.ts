import type { ExpressionBuilder, Kysely, NotNull } from 'kysely'
import type { DeliveryReason, ReminderReason } from '../delivery-reason.ts'
import type { AnswerSource } from '../lead.ts'
import { writeDeliveries } from './deliveries.ts'
import { notifyDevices } from './push-devices.ts'
import { type Database, storedColumns, type Tables } from './tables.ts'

/** Returns when the next lead needs a reminder or a check in Airtable. */
export async function findNextEscalationAt({ kysely }: Database): Promise<number | undefined> {
  // order by stops at the first index entry; min() would not, because of the second condition.
  const next = await kysely
    .selectFrom('leads')
    .select('escalate_at as at')
    .where('escalate_at', 'is not', null)
    .where(needsCall)
    .orderBy('escalate_at')
    .limit(1)
    .executeTakeFirst()
  return next?.at ?? undefined
}

/** Leads without an answer, and those to call again. */
const needsCall = (eb: ExpressionBuilder<Tables, 'leads'>) =>
  eb.or([eb('answered_at', 'is', null), eb('call_again_at', 'is not', null)])

export type UnansweredLead = Awaited<ReturnType<typeof listUnanswered>>[number]

/** Lists the leads that need a reminder or a check in Airtable, oldest first. */
export const listUnanswered = ({ kysely }: Database, now: number, limit: number) =>
  kysely
    .selectFrom('leads')
    .leftJoin('deliveries as pending', (join) =>
      join
        .onRef('pending.lead_id', '=', 'leads.id')
        .on('pending.channel', '=', 'airtable')
        .on('pending.reason', '=', 'outcome')
        .on('pending.state', '=', 'waiting'),
    )
    .select([
      ...storedColumns,
      'escalate_at as escalateAt',
      'reopened_at as reopenedAt',
      // Set while Airtable still shows the Status from before the lead was reopened.
      'pending.reason as pendingReason',
    ])
    .where('escalate_at', '<=', now)
    .where('deadline_at', 'is not', null)
    .where(needsCall)
    .orderBy('escalate_at')
    .limit(limit)
    .$narrowType<{ promiseStartAt: NotNull; deadlineAt: NotNull; escalateAt: NotNull }>()
    .execute()

/**
 * Writes the deliveries of a reminder and cancels earlier ones that are still pending. Returns false if
 * someone has called or another process was first.
 */
export function escalateLead(
  { kysely }: Database,
  { id, escalateAt }: UnansweredLead,
  reason: ReminderReason | undefined,
  { channels, nextAt, now }: { channels: readonly string[]; nextAt: number | null; now: number },
): Promise<boolean> {
  return kysely.transaction().execute(async (trx) => {
    const escalated = await trx
      .updateTable('leads')
      .set({ escalate_at: nextAt })
      .where('id', '=', id)
      // Every answer, outcome, and call without an answer changes this.
      .where('escalate_at', '=', escalateAt)
      .returning('id')
      .executeTakeFirst()
    if (!escalated) return false
    if (!reason || channels.length === 0) return true
    await cancelEscalations(trx, id, 'A later reminder replaced it.', now, ['unreached'])
    await writeDeliveries(trx, { leadId: id, channels, reason }, now)
    return true
  })
}

export const answeredFirst = 'Answered before it was sent.'

export async function cancelEscalations(
  trx: Kysely<Tables>,
  leadId: string,
  note: string,
  now: number,
  keep: readonly DeliveryReason[] = [],
): Promise<void> {
  // Include reminders that are being sent: a failed one is not retried, and a delivered one is still
  // recorded as sent.
  await trx
    .updateTable('deliveries')
    .set({ state: 'cancelled', note, settled_at: now })
    .where('lead_id', '=', leadId)
    .where('state', '=', 'waiting')
    .where((eb) =>
      eb.or([
        eb('reason', 'not in', ['received', 'answered', 'outcome', ...keep]),
        // An alert that waits until we open is not needed once someone has called.
        eb('due_at', '>', now),
      ]),
    )
    .execute()
}

type NewAnswer = {
  answeredAt: number
  answeredBy: AnswerSource
  answeredName?: string | null
  now: number
}

/** Returns false if the lead already has an answer, which it keeps, even one without a name. */
export async function addAnswer(
  trx: Kysely<Tables>,
  leadId: string,
  { answeredAt, answeredBy, answeredName = null }: NewAnswer,
): Promise<boolean> {
  const added = await trx
    .updateTable('leads')
    .set({ answered_at: answeredAt, answered_by: answeredBy, answered_name: answeredName })
    .where('id', '=', leadId)
    .where('answered_at', 'is', null)
    .returning('id')
    .executeTakeFirst()
  return added !== undefined
}

/** Records the first answer or the next call. Returns false if someone else is already calling. */
export function recordAnswer(
  { kysely }: Database,
  leadId: string,
  answer: NewAnswer,
): Promise<boolean> {
  const { now } = answer
  return kysely.transaction().execute(async (trx) => {
    const isAnswer = await addAnswer(trx, leadId, answer)
    const called = await trx
      .updateTable('leads')
      .set({ escalate_at: null, call_again_at: null })
      .where('id', '=', leadId)
      .$if(!isAnswer, (query) => query.where('call_again_at', 'is not', null))
      .returning('id')
      .executeTakeFirst()
    if (called) {
      await cancelEscalations(trx, leadId, answeredFirst, now)
      await notifyDevices(trx, leadId, now)
    }
    if (isAnswer)
      await writeDeliveries(trx, { leadId, channels: ['airtable'], reason: 'answered' }, now)
    return called !== undefined
  })
}
