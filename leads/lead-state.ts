import { isDueAgain } from './deadline.ts'
import { type EventKind, events, type HistoryEvent } from './history.ts'
import { describeSale } from './sale.ts'
import { type LeadStatus, type Need, statuses } from './statuses.ts'

export type LeadState = typeof newState

/** The state of a lead before its first event. */
export const newState = {
  status: 'open' as LeadStatus,
  /** The time of the first call that was not undone. A call without an answer also keeps the promise. */
  calledAt: null as number | null,
  calledVia: null as HistoryEvent['via'] | null,
  /** The person who is calling, or who called last. Null if unknown. */
  caller: null as string | null,
  callerEmail: null as string | null,
  /** When to call again; null if no call is planned. */
  callAgainAt: null as number | null,
  /** Calls without an answer. */
  attempts: 0,
  /** Counts changes and Undo, but not remarks. */
  version: 0,
  changedAt: null as number | null,
  /** The date of the appointment, the amount in dollars, or why the sale was lost. */
  saleDetails: null as string | null,
  lastNote: null as string | null,
  lastNoteBy: null as string | null,
}

/** Returns true if Undo can take back events of this kind. */
export const isChangeKind = (kind: EventKind): boolean => events[kind].becomes !== null

/** Remarks, such as notes, are always valid. They change neither the status nor the version, and are not undone. */
export const isRemark = (kind: EventKind): boolean => !isChangeKind(kind) && kind !== 'undone'

/** Returns the status after an event that is not an Undo. */
export function computeStatus(before: LeadStatus, kind: EventKind): LeadStatus {
  const { becomes } = events[kind]
  return becomes === null || becomes === 'same' ? before : becomes
}

export const plansCall = (kind: EventKind): boolean =>
  events[kind].takes === 'time' || statuses[computeStatus('open', kind)].needs === 'next-call'

const isChange = ({ kind }: HistoryEvent) => isChangeKind(kind)

export const readNeed = ({ status }: Pick<LeadState, 'status'>): Need => statuses[status].needs

export const isClosed = (state: Pick<LeadState, 'status'>): boolean => readNeed(state) === 'nothing'

/** Returns true if someone may claim the first call, or the next one. */
export const needsCall = (state: Pick<LeadState, 'status'>): boolean =>
  readNeed(state) === 'first-call' || readNeed(state) === 'next-call'

function change(state: LeadState, event: HistoryEvent): LeadState {
  const { call, place } = events[event.kind]
  const status = computeStatus(state.status, event.kind)
  const need = statuses[status].needs
  // Closing an uncalled lead counts as the call.
  const isCaller = state.calledAt === null || (call !== null && need !== 'nothing')
  return {
    ...state,
    status,
    calledAt: state.calledAt ?? event.at,
    calledVia: state.calledVia ?? event.via,
    ...(isCaller && { caller: event.person, callerEmail: event.email }),
    callAgainAt: need === 'next-call' ? event.callAgainAt : null,
    attempts: state.attempts + (call === 'unanswered' ? 1 : 0),
    saleDetails: place === 'sale' ? event.text : null,
  }
}

/** Maps the number of each undone event to the Undo that took it back. */
export function mapUndone(history: readonly HistoryEvent[]): Map<number, HistoryEvent> {
  const undone = new Map<number, HistoryEvent>()
  const changed: HistoryEvent[] = []
  for (const event of history)
    if (isChange(event)) changed.push(event)
    else if (event.kind === 'undone') undone.set(changed.pop()?.number ?? 0, event)
  return undone
}

/** Returns the change that Undo would take back. */
export function computeLatestChange(history: readonly HistoryEvent[]): HistoryEvent | undefined {
  const undone = mapUndone(history)
  return history.findLast((event) => isChange(event) && !undone.has(event.number))
}

/** Returns the state of a lead after these events. */
export function fold(history: readonly HistoryEvent[]): LeadState {
  const undone = mapUndone(history)
  const state = history
    .filter((event) => isChange(event) && !undone.has(event.number))
    .reduce(change, newState)
  const changed = history.filter(({ kind }) => !isRemark(kind))
  const note = history.findLast(({ kind }) => kind === 'note')
  return {
    ...state,
    version: changed.length,
    changedAt: changed.at(-1)?.at ?? null,
    lastNote: note?.text ?? null,
    lastNoteBy: note?.person ?? null,
  }
}

/** `shownVersion` is the version that the person's page shows; undefined if unknown. */
export function isValid(
  kind: EventKind,
  { status, version, attempts }: Pick<LeadState, 'status' | 'version' | 'attempts'>,
  shownVersion: number | undefined,
): boolean {
  const { accepts = [], ifCurrent } = statuses[status]
  const isCurrent = shownVersion === version
  if (kind === 'undone') return isCurrent && status !== newState.status
  // If a press of “I’m calling” reaches the server late, it must not replace a call that a colleague has planned since.
  const isStart = events[kind].call === 'started'
  if (isStart && readNeed({ status }) === 'next-call' && shownVersion !== undefined && !isCurrent)
    return false
  if (attempts < (events[kind].afterAttempts ?? 0)) return false
  return isRemark(kind) || accepts.includes(kind) || (isCurrent && ifCurrent.includes(kind))
}

/** How another request relates to the one whose button someone pressed. */
type Relation = {
  /** True if both have the same latest change. */
  isSameCall: boolean
  /** After a correction, requests that share an earlier call may have different numbers. */
  isSameNumber: boolean
  /** Undefined if the person's card did not show the other request. */
  shownVersion: number | undefined
  now: number
}

/**
 * Returns true if an event applies to another request, too. A call is recorded with one event ID on each request that
 * has the same phone number and needs a call. Its result, a new time for the next call, and Undo apply to the requests
 * whose latest change has that ID. A sale belongs to one request, because otherwise one roof would count several times.
 */
export function isShared(
  kind: EventKind,
  lead: LeadState,
  other: LeadState,
  { isSameCall, isSameNumber, shownVersion, now }: Relation,
): boolean {
  const { call, place } = events[kind]
  if (isRemark(kind) || place === 'sale') return false
  if (kind === 'undone') return isSameCall
  // If the crew later changes how one request was closed, the others keep their results.
  if (isClosed(other)) return false
  const isStart = call === 'started'
  const status = statuses[other.status]
  const isAgreed = status.needs === 'next-call' && status.isAgreed
  const isUnreached = isStart || call === 'unanswered'
  // Before an agreed time, only a call that reached the homeowner changes it.
  if (isAgreed && isUnreached && !isSameCall && !isDueAgain(other, now)) return false
  const isFirst = status.needs === 'first-call'
  const isPlan = call !== null && plansCall(kind)
  // True if someone called without pressing “I’m calling” first. A request that waits for its next call may already
  // have this call, so change it only if it shares the latest change or if the card showed its current version.
  const isNewCall = isPlan && readNeed(lead) !== 'result'
  const isSame = isNewCall ? isSameNumber && (isFirst || isSameCall) : isSameCall
  if (!isStart && isSame) return true
  if (shownVersion === undefined) return isStart && isSameNumber && isValid(kind, other, undefined)
  // The card must have shown the current version, so that nobody changes what a colleague has just planned.
  const isCurrent = shownVersion === other.version
  // A homeowner who answers agrees on one call about all requests, including those that wait for another call.
  if (isPlan && call === 'answered' && status.needs === 'next-call') return isCurrent
  return (isCurrent || (isFirst && (isStart || isPlan))) && isValid(kind, other, shownVersion)
}

export type CancelReason =
  | 'called'
  | 'undone'
  // A later reminder or a new time for the call replaced it.
  | 'replaced'
  | 'corrected'
  | 'device-gone'
  | 'restored'

/** Returns the update of the lead's row in Airtable, if it needs one. */
export function decideUpdate(before: LeadState, after: LeadState) {
  const isSame =
    statuses[before.status].airtable === statuses[after.status].airtable &&
    before.calledAt === after.calledAt &&
    describeSale(before) === describeSale(after)
  if (isSame) return undefined
  // A first call must not overwrite a Status that someone has just set in Airtable.
  const isCall = !isClosed(after) || after.calledVia === 'airtable'
  return before.calledAt === null && isCall ? 'called' : 'outcome'
}
