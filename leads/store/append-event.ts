import { type Kysely, sql } from 'kysely'
import { parseChanges, type TypedFields } from '../correction.ts'
import { computeChase } from '../deadline.ts'
import { nameCorrection } from '../delivery-reason.ts'
import { pickFields } from '../field-outputs.ts'
import { fieldNames } from '../fields.ts'
import { type EventKind, events as eventTable, type HistoryEvent } from '../history.ts'
import { makeHomeownerKeys, makeSearchText } from '../homeowner-keys.ts'
import type { StoredLead } from '../lead.ts'
import {
  computeLatestChange,
  computeStatus,
  decideUpdate,
  fold,
  isClosed,
  isRemark,
  isShared,
  isValid,
  type LeadState,
  needsCall,
  newState,
  plansCall,
  readNeed,
} from '../lead-state.ts'
import { minuteMs } from '../time-units.ts'
import { hurryCrewRow, moveCrewRow } from './crew-rows.ts'
import { cancelDeliveries, cancelPending, writeDeliveries } from './deliveries.ts'
import { selectEvents } from './find-events.ts'
import { notifyDevices } from './push-devices.ts'
import { type Database, type Engine, storedColumns, type Tables } from './tables.ts'
import { maxRequests } from './today-leads.ts'

/** The email to the homeowner waits this long so that Undo can cancel it. */
const emailDelayMs = 30_000

export type NewEvent = Pick<HistoryEvent, 'id' | 'at' | 'kind' | 'via'> &
  Partial<HistoryEvent> & {
    /** The version that the person's page showed; undefined if unknown. */
    version?: number | undefined
    /** The other requests on the card, with the versions that the card showed. */
    requests?: readonly { id: string; version: number }[] | undefined
    /** True if the person chose only this one of several requests. */
    isAlone?: boolean | undefined
    /** The fields that the page showed. A correction is refused if one of them has changed since. */
    shown?: TypedFields | undefined
  }

/** Decisions that depend on business hours and channels, which the store cannot read. */
export type EventPlan = {
  /** Returns when to call again after this many unanswered calls if the person did not choose a time. */
  computeCallAgainAt?: (lead: StoredLead, attempts: number) => number
  /** Returns the time of the next step after an Undo; null for suspected spam. */
  computeStartOverAt?: (lead: StoredLead) => number | null
  /** The recipients that keep a row for each lead, such as Airtable. */
  rowRecipients: readonly string[]
  /** Recipient names for the email to the homeowner after an unanswered call. */
  emailRecipients?: readonly string[]
  /** After a correction, the countdown for the call starts no later than this. */
  startAt?: number | undefined
  /** When today began. The homeowner gets at most one email about unanswered calls per day. */
  dayStartAt?: number
}

type StorePlan = EventPlan & {
  now: number
  /** True if one of the requests is an emergency. */
  isUrgent: boolean
  /** The number of unanswered calls to this phone number. */
  attempts: number
}

type Appended =
  | { outcome: 'appended' | 'repeated' | 'erased' }
  /** The conflicting event, if there is one. */
  | { outcome: 'refused'; because: HistoryEvent | undefined }

/** Adds an event to a lead's history in a new transaction. */
export const appendEvent = (
  { engine, kysely }: Database,
  leadId: string,
  event: NewEvent,
  plan: EventPlan & { now: number },
): Promise<Appended> =>
  kysely.transaction().execute((trx) => addEvent({ engine, trx }, leadId, event, plan))

/**
 * Adds an event to a lead's history and to the other requests that it is about: checks that it is valid, stores it and
 * the new state, and writes and cancels deliveries. This is the only code that changes the state of a lead.
 */
export async function addEvent(
  { engine, trx }: { engine: Engine; trx: Kysely<Tables> },
  leadId: string,
  { version, requests, isAlone, shown, ...given }: NewEvent,
  plan: EventPlan & { now: number },
): Promise<Appended> {
  const leads = await trx
    .selectFrom('leads')
    .select(storedColumns)
    .where('id', 'in', selectConcerned(leadId))
    // Two processes may add an event at the same time, so lock the leads in the order of their IDs. SQLite has one
    // writer anyway.
    .orderBy('leads.id')
    .$if(engine === 'postgres', (query) => query.forUpdate())
    .execute()
  const lead = leads.find(({ id }) => id === leadId)
  if (!lead) return { outcome: 'erased' }
  const all = await selectEvents(trx).where('leadId', 'in', selectConcerned(leadId)).execute()
  const byLead = Map.groupBy(all, (event) => event.leadId)
  const listOwn = ({ id }: StoredLead) => byLead.get(id) ?? []
  const events = listOwn(lead)
  if (events.some(({ id }) => id === given.id)) return { outcome: 'repeated' }
  const { phoneKey } = makeHomeownerKeys(lead)
  const isOutdated = fieldNames.some((name) => (shown?.[name] ?? lead[name]) !== lead[name])
  const isSameNumber = (one: StoredLead) =>
    phoneKey !== null && makeHomeownerKeys(one).phoneKey === phoneKey
  const called = leads.filter((one) => one === lead || (isSameNumber(one) && !isClosed(one)))
  const attempts = Math.max(...called.map((one) => one.attempts))
  if (isOutdated || !isValid(given.kind, { ...lead, attempts }, version))
    return {
      outcome: 'refused',
      because: events.findLast(({ kind }) => (isOutdated ? kind === given.kind : !isRemark(kind))),
    }
  const latest = computeLatestChange(events)
  const concerned = leads.filter((one) => {
    if (one === lead || isAlone) return one === lead
    const shown = requests?.find(({ id }) => id === one.id)
    const relation = {
      isSameCall: latest !== undefined && computeLatestChange(listOwn(one))?.id === latest.id,
      isSameNumber: isSameNumber(one),
      shownVersion: shown?.version,
      now: plan.now,
    }
    return (
      isShared(given.kind, lead, { ...one, attempts }, relation) ||
      (!shown && isSameNumber(one) && isBeyondCard(one))
    )
  })
  const isUrgent = concerned.some(({ serviceType }) => serviceType === 'emergency')
  for (const one of concerned) {
    // One call about several requests causes one email.
    const emails = one === lead ? {} : { emailRecipients: [] }
    await store(trx, one, listOwn(one), given, { ...plan, ...emails, isUrgent, attempts })
  }
  return { outcome: 'appended' }

  /** A full card may omit requests. Returns true if the event closes this one, too, because nobody has changed it. */
  function isBeyondCard({ status, version, receivedAt }: StoredLead): boolean {
    const isFull = (requests?.length ?? 0) >= maxRequests - 1
    const closes = isClosed({ status: computeStatus(status, given.kind) })
    // A newer request may be missing from the count that the page shows.
    const isCounted = receivedAt < plan.now - minuteMs
    return isFull && closes && isCounted && version === 0 && isValid(given.kind, newState, 0)
  }
}

/**
 * Selects the lead, the requests with its number, and those that share one of its calls, whose numbers may differ. Uses
 * a subquery, because a list of IDs could exceed the limit on parameters.
 */
const selectConcerned = (leadId: string) =>
  sql<string>`(
    select id from leads where id = ${leadId}
    union
    select same_number.id from leads
      join leads as same_number on same_number.phone_key = leads.phone_key
      where leads.id = ${leadId} and leads.suspect is null and same_number.suspect is null
    union
    select same_call.lead_id from lead_events
      join lead_events as same_call on same_call.id = lead_events.id
      where lead_events.lead_id = ${leadId})`

/** Stores an event and the lead's new state, and updates the queue. */
async function store(
  trx: Kysely<Tables>,
  lead: StoredLead,
  events: readonly HistoryEvent[],
  given: Omit<NewEvent, 'version' | 'requests' | 'isAlone' | 'shown'>,
  plan: StorePlan,
): Promise<void> {
  const event = { ...unknown, ...given, number: events.length + 1 }
  if (event.callAgainAt === null && plansCall(event.kind))
    event.callAgainAt = plan.computeCallAgainAt?.(lead, plan.attempts + 1) ?? event.at
  await trx
    .insertInto('leadEvents')
    .values({ leadId: lead.id, ...event })
    .execute()
  const after = fold([...events, event])
  const notes = [...events, event].flatMap(({ kind, text }) => (kind === 'note' ? [text] : []))
  const changes = event.kind === 'corrected' ? parseChanges(event.text) : []
  const corrected = {
    ...lead,
    ...Object.fromEntries(changes.map(([name, , value]) => [name, value])),
  }
  await trx
    .updateTable('leads')
    .set({
      ...after,
      ...(isRemark(event.kind) && {
        ...pickFields(corrected),
        ...makeHomeownerKeys(corrected),
        searchText: makeSearchText(corrected, notes),
      }),
    })
    .where('id', '=', lead.id)
    .execute()
  for (const [name] of changes)
    await writeDeliveries(
      trx,
      { leadId: lead.id, recipients: plan.rowRecipients, reason: nameCorrection(name) },
      plan.now,
    )
  // The email about a call without an answer names the number that was called.
  if (corrected.phone !== lead.phone)
    await cancelPending(trx, { leadId: lead.id, because: 'corrected', now: plan.now })
      .where('reason', '=', 'unreached')
      .execute()
  await hurry(trx, corrected, plan)
  if (!isRemark(event.kind)) await reconcileRows(trx, lead, event.kind, after, plan)
}

/**
 * If the lead is waiting for us to open, starts its countdown now and alerts the crew. Keeps the deadline. If a call is
 * in progress, asks for the result sooner. If the reminders wait until we open because of an Undo, sends one now.
 */
async function hurry(trx: Kysely<Tables>, lead: StoredLead, plan: EventPlan): Promise<void> {
  const { id, promiseStartAt, deadlineAt, changedAt } = lead
  const { startAt } = plan
  if (startAt === undefined) return
  const need = readNeed(lead)
  if (need === 'result' && changedAt !== null)
    await moveCrewRow(trx, id, changedAt + computeChase(true).askAfterMs)
  if (promiseStartAt === null || deadlineAt === null) return
  const latestAt = plan.computeStartOverAt?.(lead)
  if (promiseStartAt > startAt) {
    await trx.updateTable('leads').set({ promiseStartAt: startAt }).where('id', '=', id).execute()
    if (need === 'first-call') await moveCrewRow(trx, id, startAt)
  } else if (need === 'first-call' && changedAt !== null && deadlineAt < startAt && latestAt)
    // A step that was planned for the deadline or earlier still sends a reminder.
    await hurryCrewRow(trx, id, { latestAt, dueAt: deadlineAt, nextAttemptAt: startAt })
}

const unknown = { person: null, email: null, text: null, callAgainAt: null }

/** Cancels, moves, and writes a lead's rows in the queue to match the lead's new state. */
async function reconcileRows(
  trx: Kysely<Tables>,
  before: StoredLead,
  kind: EventKind,
  after: LeadState,
  plan: StorePlan,
): Promise<void> {
  const { now, rowRecipients, emailRecipients = [] } = plan
  const leadId = before.id
  const { call, becomes } = eventTable[kind]
  const need = readNeed(after)
  const isMoved = becomes === 'same'
  const isUnreached = need === 'next-call' && after.attempts > 0 && call !== 'answered'
  const because = kind === 'undone' ? 'undone' : isMoved ? 'replaced' : 'called'
  await cancelDeliveries(trx, { leadId, keeps: isUnreached ? ['unreached'] : [], because, now })
  const update = decideUpdate(before, after)
  if (update) await writeDeliveries(trx, { leadId, recipients: rowRecipients, reason: update }, now)
  if (!isMoved && (needsCall(before) || needsCall(after))) await notifyDevices(trx, leadId, now)
  if (call === 'unanswered' && !(await isEmailed(trx, before, plan)))
    await writeDeliveries(
      trx,
      { leadId, recipients: emailRecipients, reason: 'unreached' },
      now + emailDelayMs,
    )
  const stepAt = computeStepAt()
  // After an Undo, the time of the planned call may already have passed. The late reminder is still the first of two.
  const isLate = after.callAgainAt !== null && after.callAgainAt < now
  await moveCrewRow(trx, leadId, isLate ? after.callAgainAt : stepAt, stepAt ?? undefined)

  function computeStepAt(): number | null {
    if (need === 'nothing') return null
    if (need === 'result') return (after.changedAt ?? now) + computeChase(plan.isUrgent).askAfterMs
    if (after.callAgainAt !== null && after.callAgainAt >= now) return after.callAgainAt
    const startOverAt = plan.computeStartOverAt?.(before) ?? null
    return startOverAt ?? (after.callAgainAt === null ? null : now)
  }
}

/** Returns true if the homeowner got or will get an email about an unanswered call today. */
async function isEmailed(
  trx: Kysely<Tables>,
  { id }: StoredLead,
  { dayStartAt = 0 }: EventPlan,
): Promise<boolean> {
  const found = await trx
    .selectFrom('deliveries')
    .select('leadId')
    .where('leadId', 'in', selectConcerned(id))
    .where('reason', '=', 'unreached')
    // A canceled email that was already being sent may still arrive.
    .where(sql<boolean>`(state <> 'cancelled' or (attempts > 0 and last_error is null))`)
    .where('dueAt', '>=', dayStartAt)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
