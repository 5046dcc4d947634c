import type { Kysely, Updateable } from 'kysely'
import {
  decideEffects,
  type Effects,
  fold,
  type HistoryEvent,
  isShared,
  isValid,
  type LeadState,
} from '../history.ts'
import type { StoredLead } from '../lead.ts'
import { foldText } from '../safe-text.ts'
import { cancelDeliveries, restoreAlerts, writeDeliveries } from './deliveries.ts'
import { listRepeats } from './list-repeats.ts'
import { notifyDevices } from './push-devices.ts'
import { type Database, type Engine, storedColumns, type Tables } from './tables.ts'

/** Undo cancels the email to the homeowner within this time. */
const emailDelayMs = 30_000

export type NewEvent = Pick<HistoryEvent, 'id' | 'at' | 'kind' | 'via'> &
  Partial<HistoryEvent> & {
    /** The version that the person's page showed; undefined if unknown. */
    version?: number | undefined
  }

/** Decisions that depend on business hours and channels, which the store does not know. */
export type EventPlan = {
  /** Returns `at`, or when the company next opens if it is closed then. */
  computeCallStart?: (lead: StoredLead, at: number) => number
  /** Returns when to remind the crew first after an Undo; null for suspected spam. */
  computeStartOverAt?: (lead: StoredLead) => number | null
  /** The channels for the email to the homeowner. */
  emailChannels?: readonly string[]
}

type Appended =
  | { outcome: 'appended' | 'repeated' | 'erased' }
  /** The event that happened instead, if there is one. */
  | { outcome: 'refused'; because: HistoryEvent | undefined }

/** Adds an event to a lead's history in a separate transaction. */
export const appendEvent = (
  { engine, kysely }: Database,
  leadId: string,
  event: NewEvent,
  plan: EventPlan & { now: number },
): Promise<Appended> =>
  kysely.transaction().execute((trx) => addEvent({ engine, trx }, leadId, event, plan))

/**
 * Adds an event to a lead's history, and to the homeowner's other requests that it is about: checks that it
 * is valid, stores it and the new state, and writes and cancels deliveries. This is the only code that
 * changes the state of a lead.
 */
export async function addEvent(
  { engine, trx }: { engine: Engine; trx: Kysely<Tables> },
  leadId: string,
  { version, ...given }: NewEvent,
  plan: EventPlan & { now: number },
): Promise<Appended> {
  const [found] = await selectLeads(trx, [leadId]).execute()
  if (!found) return { outcome: 'erased' }
  const repeats = await listRepeats({ kysely: trx }, found)
  const leads = await selectLeads(trx, [leadId, ...repeats.map(({ id }) => id)])
    // Two processes may add an event at the same time, so lock the leads, always in this order. SQLite has
    // one writer anyway.
    .orderBy('leads.id')
    .$if(engine === 'postgres', (query) => query.forUpdate())
    .execute()
  const lead = leads.find(({ id }) => id === leadId)
  if (!lead) return { outcome: 'erased' }
  const all = await listEvents(
    trx,
    leads.map(({ id }) => id),
  )
  const listOwn = ({ id }: StoredLead) => all.filter((event) => event.leadId === id)
  const events = listOwn(lead)
  if (events.some(({ id }) => id === given.id)) return { outcome: 'repeated' }
  const before = fold(events)
  if (!isValid(given.kind, before, version))
    return {
      outcome: 'refused',
      because: events.findLast(({ kind }) => kind !== 'note' && kind !== 'texted'),
    }
  for (const one of leads)
    if (one === lead) await store(trx, lead, events, given, plan)
    else if (isShared(given.kind, events, listOwn(one)))
      // The homeowner gets one email about the call.
      await store(trx, one, listOwn(one), given, { ...plan, emailChannels: [] })
  return { outcome: 'appended' }
}

const selectLeads = (trx: Kysely<Tables>, ids: readonly string[]) =>
  trx
    .selectFrom('leads')
    .select([...storedColumns, 'search_text as searchText'])
    .where('id', 'in', ids)

/** Stores an event, the new state, and what follows from it. */
async function store(
  trx: Kysely<Tables>,
  lead: StoredLead & { searchText: string },
  events: readonly HistoryEvent[],
  given: Omit<NewEvent, 'version'>,
  { now, computeCallStart = (_, at) => at, ...plan }: EventPlan & { now: number },
): Promise<void> {
  const { callAgainAt: fromAt, ...columns } = { ...unknown, ...given, number: events.length + 1 }
  // For each request separately, because we call about emergencies while we are closed, too.
  const callAgainAt = fromAt === null ? null : computeCallStart(lead, fromAt)
  const event = { ...columns, callAgainAt }
  await trx
    .insertInto('lead_events')
    .values({ lead_id: lead.id, ...columns, call_again_at: callAgainAt })
    .execute()
  const after = fold([...events, event])
  const effects = decideEffects(fold(events), event.kind, after)
  const note = event.kind === 'note' ? ` ${foldText(event.text ?? '')}` : ''
  await trx
    .updateTable('leads')
    .set({
      ...toRow(after),
      ...(effects.reminder && {
        escalate_at: lead.deadlineAt === null ? null : computeReminderAt(),
      }),
      search_text: lead.searchText + note,
    })
    .where('id', '=', lead.id)
    .execute()
  await applyEffects(trx, lead.id, effects, { ...plan, now })

  function computeReminderAt(): number | null {
    if (effects.reminder === 'never') return null
    // After an Undo, the time for the call may have passed.
    if (after.callAgainAt !== null && after.callAgainAt > now) return after.callAgainAt
    return plan.computeStartOverAt?.(lead) ?? null
  }
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
})

async function applyEffects(
  trx: Kysely<Tables>,
  leadId: string,
  effects: Effects,
  { now, emailChannels = [] }: Pick<EventPlan, 'emailChannels'> & { now: number },
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
    await writeDeliveries(trx, email, now + emailDelayMs, { once: true })
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
