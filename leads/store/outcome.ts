import type { Kysely } from 'kysely'
import type { LeadOutcome } from '../lead.ts'
import { writeDeliveries } from './deliveries.ts'
import { notifyDevices } from './push-devices.ts'
import { cancelEscalations } from './reminders.ts'
import type { Database, Tables } from './tables.ts'

/**
 * Records what became of a lead. Whoever says so has looked at it: nobody is reminded any more, and
 * if nobody had answered, this is the answer.
 */
export function recordOutcome(
  { kysely }: Database,
  leadId: string,
  { outcome, person, now }: { outcome: LeadOutcome; person: string; now: number },
): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    const recorded = await trx
      .updateTable('leads')
      .set((eb) => ({
        outcome,
        escalate_at: null,
        answered_at: eb.fn.coalesce('answered_at', eb.val(now)),
        answered_by: eb.fn.coalesce('answered_by', eb.val('outcome' as const)),
        answered_name: eb.fn.coalesce('answered_name', eb.val(person)),
      }))
      .where('id', '=', leadId)
      .returning('id')
      .executeTakeFirst()
    if (!recorded) return
    await notifyDevices(trx, leadId, now)
    await cancelEscalations(trx, leadId, 'Answered before it was sent.', now)
    await sayAgain(trx, leadId, now)
  })
}

/** Takes it back: a slip of the thumb. A lead that only the outcome had answered waits again. */
export function reopenLead(
  { kysely }: Database,
  leadId: string,
  { remindAt, now }: { remindAt: number | null; now: number },
): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    const reopened = await trx
      .updateTable('leads')
      .set({ outcome: null })
      .where('id', '=', leadId)
      .where('outcome', 'is not', null)
      .returning('answered_by')
      .executeTakeFirst()
    if (!reopened) return
    if (reopened.answered_by === 'outcome')
      await trx
        .updateTable('leads')
        .set({
          answered_at: null,
          answered_by: null,
          answered_name: null,
          escalate_at: remindAt,
        })
        .where('id', '=', leadId)
        .execute()
    await sayAgain(trx, leadId, now)
  })
}

/** What was said to Airtable before is no longer true, sent or not. */
async function sayAgain(trx: Kysely<Tables>, leadId: string, now: number): Promise<void> {
  await trx
    .deleteFrom('deliveries')
    .where('lead_id', '=', leadId)
    .where('reason', '=', 'outcome')
    .execute()
  await writeDeliveries(trx, { leadId, channels: ['airtable'], reason: 'outcome' }, now)
}
