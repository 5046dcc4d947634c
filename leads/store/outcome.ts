import type { Kysely } from 'kysely'
import type { LeadOutcome, StoredLead } from '../lead.ts'
import { writeDeliveries } from './deliveries.ts'
import { notifyDevices } from './push-devices.ts'
import { addAnswer, answeredFirst, cancelEscalations } from './reminders.ts'
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
      .set({ outcome, escalate_at: null, call_again_at: null })
      .where('id', '=', leadId)
      .returning('call_attempts')
      .executeTakeFirst()
    if (!closed) return
    const answer = { answeredAt: now, answeredBy: 'outcome', answeredName: person, now } as const
    const isAnswer = await addAnswer(trx, leadId, answer)
    // Also replace a notification to call again.
    if (isAnswer || closed.call_attempts > 0) await notifyDevices(trx, leadId, now)
    await cancelEscalations(trx, leadId, answeredFirst, now)
    await sendStatus(trx, leadId, now)
  })
}

/** Records a call that reached nobody. It counts as the answer if there was none. */
export function recordNoAnswer(
  { kysely }: Database,
  leadId: string,
  plan: {
    /** The attempts that the caller knows of, so that a double tap counts once. */
    attempts: number
    callAgainAt: number
    remindAt: number | null
    person: string
    /** The channels for the email to the homeowner. */
    channels: readonly string[]
    now: number
  },
): Promise<void> {
  const { attempts, callAgainAt, remindAt, person, channels, now } = plan
  return kysely.transaction().execute(async (trx) => {
    const counted = await trx
      .updateTable('leads')
      .set({ call_attempts: attempts + 1, call_again_at: callAgainAt, escalate_at: remindAt })
      .where('id', '=', leadId)
      .where('outcome', 'is', null)
      .where('call_attempts', '=', attempts)
      .returning('id')
      .executeTakeFirst()
    if (!counted) return
    await cancelEscalations(trx, leadId, answeredFirst, now, ['unreached'])
    const answer = { answeredAt: now, answeredBy: 'no-answer', answeredName: person, now } as const
    if (await addAnswer(trx, leadId, answer))
      await writeDeliveries(trx, { leadId, channels: ['airtable'], reason: 'answered' }, now)
    await notifyDevices(trx, leadId, now)
    await writeDeliveries(trx, { leadId, channels, reason: 'unreached' }, now)
  })
}

/** The state that a page showed, so that a late Undo cannot revert someone else's change. */
type ShownState = Pick<StoredLead, 'outcome' | 'answeredAt' | 'callAttempts' | 'callAgainAt'>

/** Reminders count from `reopenedAt` if the deadline has passed. */
type Reopening = { remindAt: number | null; reopenedAt: number; now: number }

/** Undoes the last outcome, "No answer", or "I’m calling". Returns false if nothing was undone. */
export function undoLast(
  { kysely }: Database,
  leadId: string,
  { outcome, answeredAt, callAttempts, callAgainAt }: ShownState,
  reopening: Reopening,
): Promise<boolean> {
  const { remindAt, reopenedAt, now } = reopening
  const isNoAnswer = callAgainAt !== null
  const attempts = isNoAnswer ? callAttempts - 1 : callAttempts
  // An earlier call went unanswered too, so the lead still needs another call.
  const isDueAgain = attempts > 0
  return kysely.transaction().execute(async (trx) => {
    const undone = await trx
      .updateTable('leads')
      .set({
        outcome: null,
        call_attempts: attempts,
        call_again_at: isDueAgain ? reopenedAt : null,
        escalate_at: isDueAgain ? remindAt : null,
      })
      .where('id', '=', leadId)
      .where('outcome', 'is not distinct from', outcome)
      .where('answered_at', '=', answeredAt)
      .where('call_attempts', '=', callAttempts)
      .where('call_again_at', 'is not distinct from', callAgainAt)
      .returning('answered_by')
      .executeTakeFirst()
    if (!undone) return false
    if (isNoAnswer) await cancelEscalations(trx, leadId, 'Undone before it was sent.', now)
    // Keep an answer that came before the undone action.
    const source = outcome ? 'outcome' : isNoAnswer ? 'no-answer' : undone.answered_by
    if (!isDueAgain && undone.answered_by === source) await clearAnswer(trx, leadId, reopening)
    await sendStatus(trx, leadId, now)
    return true
  })
}

async function clearAnswer(
  trx: Kysely<Tables>,
  leadId: string,
  { remindAt, reopenedAt, now }: Reopening,
): Promise<void> {
  const answer = { answered_at: null, answered_by: null, answered_name: null }
  await trx
    .updateTable('leads')
    .set({ ...answer, escalate_at: remindAt, reopened_at: reopenedAt })
    .where('id', '=', leadId)
    .execute()
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
}

const sendStatus = (trx: Kysely<Tables>, leadId: string, now: number): Promise<void> =>
  writeDeliveries(trx, { leadId, channels: ['airtable'], reason: 'outcome' }, now)
