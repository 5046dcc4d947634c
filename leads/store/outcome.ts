import type { Kysely } from 'kysely'
import type { LeadOutcome } from '../lead.ts'
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

/** Reminders count from `reopenedAt` if the deadline has passed. `attempts` are those before the change. */
type Reopening = { remindAt: number | null; reopenedAt: number; attempts?: number; now: number }

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
    await callAgainNow(trx, leadId, reopening)
    if (reopened.answered_by === 'outcome') await clearAnswer(trx, leadId, reopening)
    await sendStatus(trx, leadId, reopening.now)
  })
}

/** Undoes the last "I am calling" unless the lead is closed. */
export function undoAnswer(
  { kysely }: Database,
  leadId: string,
  reopening: Reopening,
): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    await callAgainNow(trx, leadId, reopening)
    if (await clearAnswer(trx, leadId, reopening)) await sendStatus(trx, leadId, reopening.now)
  })
}

/** Undoes the last "No answer" unless someone has called again or closed the lead. */
export function undoNoAnswer(
  { kysely }: Database,
  leadId: string,
  reopening: Reopening,
): Promise<void> {
  const { attempts = 0, now } = reopening
  return kysely.transaction().execute(async (trx) => {
    const undone = await trx
      .updateTable('leads')
      .set({ call_attempts: attempts - 1, call_again_at: null, escalate_at: null })
      .where('id', '=', leadId)
      .where('call_attempts', '=', attempts)
      .where('call_again_at', 'is not', null)
      .returning('answered_by')
      .executeTakeFirst()
    if (!undone) return
    await cancelEscalations(trx, leadId, 'Undone before it was sent.', now)
    // An earlier call reached nobody either.
    await callAgainNow(trx, leadId, reopening)
    if (undone.answered_by === 'no-answer') await clearAnswer(trx, leadId, reopening)
    await sendStatus(trx, leadId, now)
  })
}

/** Makes a lead due again if nobody has reached the homeowner. Keeps the first answer. */
async function callAgainNow(
  trx: Kysely<Tables>,
  leadId: string,
  { remindAt, reopenedAt }: Reopening,
): Promise<void> {
  await trx
    .updateTable('leads')
    .set({ call_again_at: reopenedAt, escalate_at: remindAt })
    .where('id', '=', leadId)
    .where('outcome', 'is', null)
    .where('call_attempts', '>', 0)
    .where('call_again_at', 'is', null)
    .execute()
}

/** Returns false if the lead is closed, has no answer, or was called without reaching anyone. */
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
    .where('call_attempts', '=', 0)
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
