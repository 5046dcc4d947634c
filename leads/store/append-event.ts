import type { Kysely, Updateable } from 'kysely'
import {
  decideEffects,
  type Effects,
  fold,
  type HistoryEvent,
  isValid,
  type LeadState,
} from '../history.ts'
import {
  cancelDeliveries,
  restoreAlerts,
  writeDeliveries,
  writeUnsentDeliveries,
} from './deliveries.ts'
import { notifyDevices } from './push-devices.ts'
import { foldText } from './search-leads.ts'
import type { Database, Tables } from './tables.ts'

/** Undo cancels the email to the homeowner within this time. */
export const emailDelayMs = 30_000

export type NewEvent = Pick<HistoryEvent, 'id' | 'at' | 'kind' | 'via'> &
  Partial<HistoryEvent> & {
    /** The version that the person's page showed; undefined if unknown. */
    version?: number | undefined
  }

/** What the store cannot decide: it depends on business hours and channels. */
export type EventPlan = {
  /** When to remind the crew first after an Undo; null for suspected spam. */
  startOverAt?: number | null
  /** The channels for the email to the homeowner. */
  emailChannels?: readonly string[]
}

export type Appended =
  | { outcome: 'appended' | 'repeated' | 'erased' }
  /** The event that happened instead, if there is one. */
  | { outcome: 'refused'; because: HistoryEvent | undefined }

/**
 * Adds an event to a lead's history: checks that it is valid, stores it and the new state, and writes and
 * cancels deliveries, in one transaction. This is the only code that changes the state of a lead.
 */
export function appendEvent(
  { engine, kysely }: Database,
  leadId: string,
  { version, ...given }: NewEvent,
  { now, ...plan }: EventPlan & { now: number },
): Promise<Appended> {
  return kysely.transaction().execute(async (trx): Promise<Appended> => {
    const lead = await trx
      .selectFrom('leads')
      .select(['deadline_at', 'search_text'])
      .where('id', '=', leadId)
      // Two processes may add an event at the same time. SQLite has one writer anyway.
      .$if(engine === 'postgres', (query) => query.forUpdate())
      .executeTakeFirst()
    if (!lead) return { outcome: 'erased' }
    const events = await listEvents(trx, [leadId])
    if (events.some(({ id }) => id === given.id)) return { outcome: 'repeated' }
    const before = fold(events)
    if (!isValid(given.kind, before, version))
      return {
        outcome: 'refused',
        because: events.findLast(({ kind }) => kind !== 'note' && kind !== 'texted'),
      }
    const event = { ...unknown, ...given, number: events.length + 1 }
    const { callAgainAt, ...columns } = event
    await trx
      .insertInto('lead_events')
      .values({ lead_id: leadId, ...columns, call_again_at: callAgainAt })
      .execute()
    const after = fold([...events, event])
    const effects = decideEffects(before, event.kind, after)
    const note = event.kind === 'note' ? ` ${foldText(event.text ?? '')}` : ''
    await trx
      .updateTable('leads')
      .set({
        ...toRow(after),
        ...(effects.reminder && {
          escalate_at: lead.deadline_at === null ? null : computeReminderAt(),
        }),
        search_text: lead.search_text + note,
      })
      .where('id', '=', leadId)
      .execute()
    await applyEffects(trx, leadId, effects, { ...plan, now })
    return { outcome: 'appended' }

    function computeReminderAt(): number | null {
      if (effects.reminder === 'never') return null
      const { callAgainAt } = after
      // After an Undo, the time for the call may have passed.
      return callAgainAt !== null && callAgainAt > now ? callAgainAt : (plan.startOverAt ?? null)
    }
  })
}

const unknown = { person: null, email: null, text: null, callAgainAt: null }

const toRow = (state: LeadState): Updateable<Tables['leads']> => ({
  status: state.status,
  called_at: state.calledAt,
  called_via: state.calledVia,
  caller: state.caller,
  caller_email: state.callerEmail,
  call_again_at: state.callAgainAt,
  call_attempts: state.attempts,
  version: state.version,
  changed_at: state.changedAt,
  last_note: state.lastNote,
  last_note_by: state.lastNoteBy,
  last_note_at: state.lastNoteAt,
})

async function applyEffects(
  trx: Kysely<Tables>,
  leadId: string,
  effects: Effects,
  { now, emailChannels = [] }: EventPlan & { now: number },
): Promise<void> {
  const cancel = { leadId, now }
  if (effects.cancelReminders)
    await cancelDeliveries(trx, 'reminders', { ...cancel, because: effects.cancelReminders })
  if (effects.cancelEmail)
    await cancelDeliveries(trx, 'email', { ...cancel, because: effects.cancelEmail })
  if (effects.cancelCall) await cancelDeliveries(trx, 'call', { ...cancel, because: 'undone' })
  if (effects.restoreAlerts) await restoreAlerts(trx, leadId, now)
  if (effects.sendToAirtable) {
    const reason = effects.sendToAirtable
    await writeDeliveries(trx, { leadId, channels: ['airtable'], reason }, now)
  }
  if (effects.replaceNotifications) await notifyDevices(trx, leadId, now)
  if (effects.emailHomeowner) {
    const email = { leadId, channels: emailChannels, reason: 'unreached' as const }
    await writeUnsentDeliveries(trx, email, now + emailDelayMs)
  }
}

export type StoredEvent = Awaited<ReturnType<typeof listEvents>>[number]

/** Selects events in order. */
export const selectEvents = (kysely: Kysely<Tables>) =>
  kysely
    .selectFrom('lead_events')
    .select([
      'lead_id as leadId',
      'number',
      'lead_events.id',
      'at',
      'kind',
      'person',
      'via',
      'text',
    ])
    .select(['lead_events.email', 'lead_events.call_again_at as callAgainAt'])
    .orderBy('lead_id')
    .orderBy('number')

export const listEvents = (kysely: Kysely<Tables>, leadIds: readonly string[]) =>
  selectEvents(kysely).where('lead_id', 'in', leadIds).execute()
