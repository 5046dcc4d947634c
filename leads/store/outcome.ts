import type { LeadOutcome } from '../lead.ts'
import { tellDevices } from './push-devices.ts'
import { cancelEscalations } from './reminders.ts'
import { type Database, writeDeliveries } from './tables.ts'

/** Records what became of a lead; null: nothing yet, after all. Whoever says so has looked at it: nobody is reminded any more. */
export function recordOutcome(
  { kysely }: Database,
  leadId: string,
  { outcome, person, now }: { outcome: LeadOutcome | null; person: string; now: number },
): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    const recorded = await trx
      .updateTable('leads')
      .set((eb) => ({
        outcome,
        escalate_at: null,
        answered_at: eb.fn.coalesce('answered_at', eb.val(now)),
        answered_by: eb.fn.coalesce('answered_by', eb.val('desk' as const)),
        answered_name: eb.fn.coalesce('answered_name', eb.val(person)),
      }))
      .where('id', '=', leadId)
      .returning('id')
      .executeTakeFirst()
    if (!recorded) return
    await tellDevices(trx, leadId, now)
    await cancelEscalations(trx, leadId, 'Answered before it was sent.', now)
    // What was said before is no longer true, sent or not.
    await trx
      .deleteFrom('deliveries')
      .where('lead_id', '=', leadId)
      .where('occasion', '=', 'outcome')
      .execute()
    await writeDeliveries(trx, { leadId, channels: ['airtable'], occasion: 'outcome' }, now)
  })
}
