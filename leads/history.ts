/*
 * The history of a lead: what happened to it after it arrived, in order. This file has one entry per event, and
 * statuses.ts has one per status; the desk, notifications, Airtable, the report, and the CSV file use these entries.
 * lead-state.ts computes the state, and store/append-event.ts writes events.
 */

import type { LeadStatus, Sale } from './statuses.ts'

export const maxNoteLength = 500

export type EventKind =
  | 'called'
  | 'no-answer'
  | 'call-again'
  | 'moved'
  | 'done'
  | Sale
  | 'never-reached'
  | 'not-a-lead'
  | 'airtable-status'
  | 'no-result'
  | 'texted'
  | 'note'
  | 'corrected'
  | 'undone'

/**
 * Where the desk offers an event, and which input it takes. `results`: among the results of a call. `sale`: later, as
 * the result of this one request. `own`: a separate button. Null: not on the desk.
 */
type Place =
  | { place: 'sale'; takes: 'date' | 'amount' | 'reason' }
  | { place: 'results' | 'own' | null; takes?: 'text' | 'time' | 'fields' | undefined }

type Event = {
  button: string
  /**
   * Follows the name in the history. May contain {when}, {called}, {time}, {at}, {text}, {details}, {changes},
   * {firstName}, and {undone}.
   */
  sentence: string
  /**
   * The status after the event, or `same` if the event keeps the status. Null for remarks, which change neither the
   * status nor the version, and for Undo, which takes back the newest change.
   */
  becomes: LeadStatus | 'same' | null
  /** `started` for the start of a call; `answered` or `unanswered` for its result. Null for all other events. */
  call: 'started' | 'answered' | 'unanswered' | null
  /** Valid only after this many unanswered calls. */
  afterAttempts?: number
  /** Replaces the status's notice after someone presses the button. May contain {next}. */
  notice?: string
} & Place

export const events: Record<EventKind, Event> = {
  called: {
    button: 'I’m {calling}',
    place: 'own',
    sentence: '{called}{when}',
    becomes: 'calling',
    call: 'started',
  },
  'no-answer': {
    button: 'No answer',
    place: 'results',
    sentence: '{called}{when}, no answer',
    becomes: 'call-again',
    call: 'unanswered',
  },
  'call-again': {
    button: 'Call again…',
    place: 'results',
    sentence: '{called}{when} and agreed to {call} again {at}',
    becomes: 'agreed',
    call: 'answered',
    takes: 'time',
  },
  moved: {
    button: 'Change the time',
    place: 'own',
    sentence: 'rescheduled{when}: next {call} {at}',
    becomes: 'same',
    call: null,
    takes: 'time',
    notice: 'time changed. {next}',
  },
  done: {
    button: 'Done',
    place: 'results',
    sentence: 'marked this as done{when}',
    becomes: 'done',
    call: 'answered',
  },
  appointment: {
    button: 'Appointment',
    place: 'sale',
    sentence: 'made an appointment{when}{details}',
    becomes: 'appointment',
    call: null,
    takes: 'date',
  },
  won: {
    button: 'Won',
    place: 'sale',
    sentence: 'marked this as won{when}{details}',
    becomes: 'won',
    call: null,
    takes: 'amount',
  },
  lost: {
    button: 'Lost',
    place: 'sale',
    sentence: 'marked this as lost{when}{details}',
    becomes: 'lost',
    call: null,
    takes: 'reason',
  },
  'never-reached': {
    button: 'Never reached',
    place: 'results',
    sentence: 'marked this as never reached{when}',
    becomes: 'never-reached',
    call: null,
    afterAttempts: 5,
  },
  'not-a-lead': {
    button: 'Not a lead',
    place: 'results',
    sentence: 'marked this as not a lead{when}',
    becomes: 'not-a-lead',
    call: null,
  },
  'airtable-status': {
    button: 'Status in Airtable',
    place: null,
    sentence: 'set Status to {text} in Airtable{when}',
    becomes: 'airtable',
    call: null,
  },
  // The site records this event and plans another call. The event does not count as an unanswered call.
  'no-result': {
    button: 'No result',
    place: null,
    sentence: 'moved this to “Call again”{when} because the call had no result',
    becomes: 'no-result',
    call: null,
  },
  texted: {
    button: 'Text',
    place: 'own',
    // A tap does not show whether the text was sent.
    sentence: 'started a text message{firstName}{when}',
    becomes: null,
    call: null,
    notice: 'the crew can see that you started a text message.',
  },
  note: {
    button: 'Note',
    place: 'own',
    sentence: 'wrote{when}: {text}',
    becomes: null,
    call: null,
    takes: 'text',
    notice: 'note added.',
  },
  // A correction is a remark, so it doesn't make a colleague's page stale, and Undo still takes back the last call.
  corrected: {
    button: 'Correct the details',
    place: 'own',
    sentence: 'changed {changes}{when}',
    becomes: null,
    call: null,
    takes: 'fields',
    notice: 'details corrected.',
  },
  undone: {
    button: 'Undo',
    place: 'own',
    sentence: 'undid {undone}{when}',
    becomes: null,
    call: null,
  },
}

export const eventKinds = Object.keys(events) as EventKind[]

export type HistoryEvent = {
  number: number
  /** The desk creates the IDs of its own events, so that a retry does not add a second event. */
  id: string
  at: number
  kind: EventKind
  /** Null if unknown, such as for the link in an alert, which is the same for everyone. */
  person: string | null
  email: string | null
  via: 'desk' | 'link' | 'notification' | 'airtable' | 'site'
  /** The note, the Status in Airtable, the details of a sale, or the changes of a correction. */
  text: string | null
  /** When to call again, if the event plans a call. */
  callAgainAt: number | null
}
