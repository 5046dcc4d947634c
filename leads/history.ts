/*
 * The history of a lead: the crew's actions on it, in order. The receipt is not an event, but the lead's own
 * row. The functions here are pure; store/append-event.ts is the only code that writes events.
 */

export const maxNoteLength = 500

export type LeadStatus = 'open' | 'calling' | 'call-again' | 'done' | 'not-a-lead'

/** Events that change the state. Undo takes back the newest of them that is not undone. */
type ChangeKind =
  | 'called'
  | 'no-answer'
  | 'call-again'
  | 'done'
  | 'not-a-lead'
  // Someone set Status in Airtable.
  | 'airtable-status'

export type EventKind = ChangeKind | 'undone' | 'texted' | 'note'

export type HistoryEvent = {
  number: number
  /** The sender creates this ID, so that a retry changes nothing. */
  id: string
  at: number
  kind: EventKind
  /** Null if unknown, because the links in alerts are the same for everyone. */
  person: string | null
  email: string | null
  via: 'desk' | 'link' | 'notification' | 'airtable'
  /** The note, or the Status in Airtable. */
  text: string | null
  /** When to call again, after `no-answer` and `call-again`. */
  callAgainAt: number | null
}

export type LeadState = {
  status: LeadStatus
  /** The first call that was not undone. It keeps the promise, even without an answer. */
  calledAt: number | null
  calledVia: HistoryEvent['via'] | null
  /** The person who is calling, or who called last. Null if unknown. */
  caller: string | null
  callerEmail: string | null
  /** When to call again; null if no call is planned. */
  callAgainAt: number | null
  /** Calls without an answer. */
  attempts: number
  /** Counts changes, but not notes. */
  version: number
  changedAt: number | null
  lastNote: string | null
  lastNoteBy: string | null
}

export const newState: LeadState = {
  status: 'open',
  calledAt: null,
  calledVia: null,
  caller: null,
  callerEmail: null,
  callAgainAt: null,
  attempts: 0,
  version: 0,
  changedAt: null,
  lastNote: null,
  lastNoteBy: null,
}

/** How an event changes the state. */
const changes: Record<ChangeKind, (state: LeadState, event: HistoryEvent) => Partial<LeadState>> = {
  called: (_, event) => ({ status: 'calling', callAgainAt: null, ...nameCaller(event) }),
  'airtable-status': (_, event) => ({ status: 'calling', callAgainAt: null, ...nameCaller(event) }),
  'no-answer': ({ attempts }, event) => ({
    status: 'call-again',
    attempts: attempts + 1,
    callAgainAt: event.callAgainAt,
    ...nameCaller(event),
  }),
  'call-again': (_, { callAgainAt }) => ({ callAgainAt }),
  done: (state, event) => ({ status: 'done', callAgainAt: null, ...nameFirst(state, event) }),
  'not-a-lead': (state, event) => ({
    status: 'not-a-lead',
    callAgainAt: null,
    ...nameFirst(state, event),
  }),
}

const nameCaller = ({ person, email }: HistoryEvent) => ({ caller: person, callerEmail: email })

/** Closing an uncalled lead counts as the call. */
const nameFirst = ({ calledAt }: LeadState, event: HistoryEvent) =>
  calledAt === null && nameCaller(event)

type Change = HistoryEvent & { kind: ChangeKind }

/** Returns true if Undo can take back events of this kind. */
export const isChangeKind = (kind: EventKind): kind is ChangeKind => kind in changes

const isChange = (event: HistoryEvent): event is Change => isChangeKind(event.kind)

/** Maps the number of each undone event to the Undo that took it back. */
export function mapUndone(events: readonly HistoryEvent[]): Map<number, HistoryEvent> {
  const undone = new Map<number, HistoryEvent>()
  const changed: HistoryEvent[] = []
  for (const event of events)
    if (isChange(event)) changed.push(event)
    else if (event.kind === 'undone') undone.set(changed.pop()?.number ?? 0, event)
  return undone
}

/** Returns the change that Undo would take back. */
export function computeLatestChange(events: readonly HistoryEvent[]): HistoryEvent | undefined {
  const undone = mapUndone(events)
  return events.findLast((event) => isChange(event) && !undone.has(event.number))
}

/**
 * One call is about all requests from a homeowner. It is recorded with the same event ID on each request that
 * needs one. The result of that call, another time for the next one, and Undo follow the ID: they apply to
 * each request whose latest change is the same. Returns whether an event applies to the other request.
 */
export function isShared(
  kind: EventKind,
  events: readonly HistoryEvent[],
  ofOther: readonly HistoryEvent[],
): boolean {
  if (kind === 'note' || kind === 'texted') return false
  if (kind === 'called') return isValid(kind, fold(ofOther), undefined)
  // Someone called without pressing “I’m calling” first. Another request to call again keeps its time, because
  // this may be the call that was recorded there.
  if (kind === 'no-answer' && fold(events).status !== 'calling' && fold(ofOther).status === 'open')
    return true
  const latest = computeLatestChange(events)
  return latest !== undefined && computeLatestChange(ofOther)?.id === latest.id
}

/** Returns the state of a lead after these events. */
export function fold(events: readonly HistoryEvent[]): LeadState {
  const undone = mapUndone(events)
  let state = newState
  for (const event of events)
    if (isChange(event) && !undone.has(event.number))
      state = {
        ...state,
        ...changes[event.kind](state, event),
        calledAt: state.calledAt ?? event.at,
        calledVia: state.calledVia ?? event.via,
      }
  const changed = events.filter((event) => isChange(event) || event.kind === 'undone')
  const note = events.findLast(({ kind }) => kind === 'note')
  return {
    ...state,
    version: changed.length,
    changedAt: changed.at(-1)?.at ?? null,
    lastNote: note?.text ?? null,
    lastNoteBy: note?.person ?? null,
  }
}

/**
 * In which states an event is valid: from any page, or only from a page that shows the current version.
 * A stale page must not count a call twice, override a colleague's decision, or undo it.
 */
const valid: Record<
  ChangeKind | 'undone',
  { always: readonly LeadStatus[]; ifCurrent: readonly LeadStatus[] }
> = {
  called: { always: ['open', 'call-again'], ifCurrent: [] },
  'airtable-status': { always: [], ifCurrent: ['open'] },
  'no-answer': { always: ['open', 'calling'], ifCurrent: ['call-again'] },
  'call-again': { always: ['call-again'], ifCurrent: [] },
  done: { always: ['open', 'calling', 'call-again'], ifCurrent: ['not-a-lead'] },
  'not-a-lead': { always: ['open', 'calling', 'call-again'], ifCurrent: ['done'] },
  undone: { always: [], ifCurrent: ['calling', 'call-again', 'done', 'not-a-lead'] },
}

/** `shownVersion` is the one on the person's page; undefined if unknown. */
export function isValid(
  kind: EventKind,
  { status, version }: Pick<LeadState, 'status' | 'version'>,
  shownVersion: number | undefined,
): boolean {
  if (kind === 'note' || kind === 'texted') return true
  const { always, ifCurrent } = valid[kind]
  return always.includes(status) || (shownVersion === version && ifCurrent.includes(status))
}

/** Why a delivery was cancelled. */
export type CancelReason =
  | 'called'
  | 'undone'
  // A later reminder or another time for the call.
  | 'replaced'
  | 'device-gone'
  | 'restored'

export type Effects = {
  /** Cancel pending reminders, and alerts that wait until we open. */
  cancelReminders?: CancelReason
  /** Cancel the pending email to the homeowner. */
  cancelEmail?: CancelReason | false
  /** Cancel pending messages that someone is calling. */
  cancelCall?: boolean
  /** Restore the alerts that wait until we open. */
  restoreAlerts?: boolean
  /** When to remind the crew next. By default, as planned before. */
  reminder?: 'never' | 'at-call-again' | 'start-over'
  /** Send the time of the first call or the outcome to Airtable. */
  sendToAirtable?: 'called' | 'outcome' | false
  /** Replace the notifications on phones. */
  replaceNotifications?: boolean
  /** Email the homeowner that we tried to call, once per lead. */
  emailHomeowner?: boolean
}

/** Decides what follows from an event. */
export function decideEffects(before: LeadState, kind: EventKind, after: LeadState): Effects {
  const isFirst = before.calledAt === null
  const calls: Effects = {
    cancelReminders: 'called',
    cancelEmail: 'called',
    reminder: 'never',
    sendToAirtable: isFirst && 'called',
    replaceNotifications: true,
  }
  const closes: Effects = {
    ...calls,
    sendToAirtable: 'outcome',
    replaceNotifications: before.status === 'open' || before.status === 'call-again',
  }
  const effects: Record<EventKind, Effects> = {
    called: calls,
    'airtable-status': calls,
    'no-answer': { ...calls, cancelEmail: false, reminder: 'at-call-again', emailHomeowner: true },
    'call-again': { cancelReminders: 'replaced', reminder: 'at-call-again' },
    done: closes,
    'not-a-lead': closes,
    undone: {
      cancelReminders: 'undone',
      cancelEmail: after.attempts === 0 && 'undone',
      cancelCall: after.calledAt === null,
      restoreAlerts: after.status === 'open',
      reminder: afterUndo[after.status],
      sendToAirtable: 'outcome',
      replaceNotifications: true,
    },
    texted: {},
    note: {},
  }
  return effects[kind]
}

const afterUndo = {
  open: 'start-over',
  'call-again': 'at-call-again',
  calling: 'never',
  done: 'never',
  'not-a-lead': 'never',
} as const satisfies Record<LeadStatus, Effects['reminder']>
