import type { Kysely } from 'kysely'
import type { LeadOutcome } from '../lead.ts'
import { writeDeliveries } from './deliveries.ts'
import { notifyDevices } from './push-devices.ts'
import { answeredFirst, cancelEscalations } from './reminders.ts'
import type { Database, Tables } from './tables.ts'

/** Closes a lead and ends its reminders. Counts as the answer if there was none. */
export function recordOutcome(
  { kysely }: Database,
  leadId: string,
  { outcome, person, now }: { outcome: LeadOutcome; person: string; now: number },
): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    const closed = await trx
      .updateTable('leads')
      .set({ outcome, escalate_at: null })
      .where('id', '=', leadId)
      .returning('id')
      .executeTakeFirst()
    if (!closed) return
    const answered = await trx
      .updateTable('leads')
      .set({ answered_at: now, answered_by: 'outcome', answered_name: person })
      .where('id', '=', leadId)
      // Keep the person who answered, even if the name is unknown.
      .where('answered_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (answered) await notifyDevices(trx, leadId, now)
    await cancelEscalations(trx, leadId, answeredFirst, now)
    await sendStatus(trx, leadId, now)
  })
}

/** Reminders count from `reopenedAt` if the deadline has passed. */
type Reopening = { remindAt: number | null; reopenedAt: number; now: number }

/** Removes the outcome, and the answer if the outcome was the answer. */
export function reopenLead(
  { kysely }: Database,
  leadId: string,
  reopening: Reopening,
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
    if (reopened.answered_by === 'outcome') await clearAnswer(trx, leadId, reopening)
    await sendStatus(trx, leadId, reopening.now)
  })
}

/** Undoes "I am calling" unless the lead is closed. */
export function undoAnswer(
  { kysely }: Database,
  leadId: string,
  reopening: Reopening,
): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    if (await clearAnswer(trx, leadId, reopening)) await sendStatus(trx, leadId, reopening.now)
  })
}

/** Returns false if the lead is closed or has no answer. */
async function clearAnswer(
  trx: Kysely<Tables>,
  leadId: string,
  { remindAt, reopenedAt, now }: Reopening,
): Promise<boolean> {
  const cleared = await trx
    .updateTable('leads')
    .set({
      answered_at: null,
      answered_by: null,
      answered_name: null,
      escalate_at: remindAt,
      reopened_at: reopenedAt,
    })
    .where('id', '=', leadId)
    .where('outcome', 'is', null)
    .where('answered_at', 'is not', null)
    .returning('id')
    .executeTakeFirst()
  if (!cleared) return false
  await trx
    .updateTable('deliveries')
    .set({ state: 'cancelled', note: 'The lead was reopened before it was sent.', settled_at: now })
    .where('lead_id', '=', leadId)
    .where('reason', '=', 'answered')
    .where('state', '=', 'waiting')
    .execute()
  await trx
    .updateTable('deliveries')
    .set({ state: 'waiting', note: null, settled_at: null })
    .where('lead_id', '=', leadId)
    .where('note', '=', answeredFirst)
    .where('due_at', '>', now)
    .execute()
  return true
}

const sendStatus = (trx: Kysely<Tables>, leadId: string, now: number): Promise<void> =>
  writeDeliveries(trx, { leadId, channels: ['airtable'], reason: 'outcome' }, now)
