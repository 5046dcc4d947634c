import type { ExpressionBuilder, NotNull } from 'kysely'
import type { ReminderReason } from '../delivery-reason.ts'
import { cancelDeliveries, writeDeliveries } from './deliveries.ts'
import { type Database, storedColumns, type Tables } from './tables.ts'

/** Returns when the next lead needs a reminder or a check in Airtable. */
export async function findNextReminderAt({ kysely }: Database): Promise<number | undefined> {
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

const needsCall = (eb: ExpressionBuilder<Tables, 'leads'>) =>
  eb('status', 'in', ['open', 'call-again'])

export type UncalledLead = Awaited<ReturnType<typeof listUncalled>>[number]

/** Lists the leads that need a reminder or a check in Airtable, oldest first. */
export const listUncalled = ({ kysely }: Database, now: number, limit: number) =>
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
      // The last change of an open lead was an Undo.
      'changed_at as reopenedAt',
      // Set while Airtable still shows the Status from before an Undo.
      'pending.reason as pendingReason',
    ])
    .select((eb) =>
      eb
        .selectFrom('lead_events')
        .select('text')
        .whereRef('lead_id', '=', 'leads.id')
        .where('kind', '=', 'airtable-status')
        .orderBy('number', 'desc')
        .limit(1)
        // An open lead has only undone events.
        .as('undoneStatus'),
    )
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
export function writeReminder(
  { kysely }: Database,
  { id, escalateAt }: UncalledLead,
  reason: ReminderReason | undefined,
  { channels, nextAt, now }: { channels: readonly string[]; nextAt: number | null; now: number },
): Promise<boolean> {
  return kysely.transaction().execute(async (trx) => {
    const reminded = await trx
      .updateTable('leads')
      .set({ escalate_at: nextAt })
      .where('id', '=', id)
      // Every change of the state changes this, too.
      .where('escalate_at', '=', escalateAt)
      .returning('id')
      .executeTakeFirst()
    if (!reminded) return false
    if (!reason || channels.length === 0) return true
    await cancelDeliveries(trx, 'reminders', { leadId: id, because: 'replaced', now })
    await writeDeliveries(trx, { leadId: id, channels, reason }, now)
    return true
  })
}
