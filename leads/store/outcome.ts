import type { LeadOutcome } from '../lead.ts'
import { type Database, makeDelivery } from './tables.ts'

/** Records what became of a lead. Whoever says so has looked at it: nobody is reminded any more. */
export function recordOutcome(
  { kysely }: Database,
  leadId: string,
  { outcome, person, now }: { outcome: LeadOutcome; person: string; now: number },
): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    await trx
      .updateTable('leads')
      .set((eb) => ({
        outcome,
        escalate_at: null,
        answered_at: eb.fn.coalesce('answered_at', eb.val(now)),
        answered_by: eb.fn.coalesce('answered_by', eb.val('desk' as const)),
        answered_name: eb.fn.coalesce('answered_name', eb.val(person)),
      }))
      .where('id', '=', leadId)
      .execute()
    await trx
      .updateTable('deliveries')
      .set({ state: 'cancelled', note: 'Answered before it was sent.', settled_at: now })
      .where('lead_id', '=', leadId)
      .where('state', '=', 'waiting')
      .where('occasion', 'not in', ['received', 'answered', 'status', 'outcome'])
      .execute()
    await trx
      .insertInto('deliveries')
      .values(makeDelivery(leadId, 'airtable', 'outcome', now))
      .onConflict((conflict) =>
        conflict
          .columns(['lead_id', 'channel', 'occasion'])
          .doUpdateSet({ state: 'waiting', next_attempt_at: now, settled_at: null }),
      )
      .execute()
  })
}
