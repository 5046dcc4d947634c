import type { EventKind } from './history.ts'

/** The next step for a lead. The Today screen groups leads by it. */
export type Need = 'first-call' | 'next-call' | 'result' | 'nothing'

export type LeadStatus =
  | 'open'
  | 'calling'
  | 'call-again'
  | 'agreed'
  | 'no-result'
  | 'airtable'
  | 'done'
  | Sale
  | 'never-reached'
  | 'not-a-lead'

const sales = ['appointment', 'won', 'lost'] as const
/** The result of a request after the call. Each one is a status and the event that sets it. See sale.ts. */
export type Sale = (typeof sales)[number]

type Status = {
  /** The name on the desk, in its filter, and in the CSV file. The filter lists the statuses in this file's order. */
  label: string
  /** False for advertisers and others whom the promise does not cover. The report leaves them out. */
  isLead: boolean
  /** The choice in Airtable’s Status column. */
  airtable: string
  /** Shown on phones and read by screen readers. May contain {who}, {name}, {called}, and {calling}. */
  news: string
  /**
   * Follows the homeowner’s name in the message after someone presses a button. May contain {next}, {call}, {called},
   * and {calling}.
   */
  notice: string
  /** The message shown after Undo returns a lead to this status. May contain {next}, {call}, {called}, and {calling}. */
  again: string
  /** Events that are valid from any page, even a stale one. */
  accepts?: readonly EventKind[]
  /**
   * Events that are valid only from a page that shows the current version. A stale page must not count a call twice,
   * override a colleague’s decision, or undo it. Undo always requires the current version, so it isn’t listed.
   */
  ifCurrent: readonly EventKind[]
} & (
  | { needs: 'first-call' | 'result' }
  | {
      needs: 'next-call'
      /** Why someone should call again. The card and reminders show it. May contain {tries}, {who}, and {called}. */
      why: string
      /** The homeowner agreed to the time, so an unanswered call about another request does not change it. */
      isAgreed?: true
    }
  /** `card` is the text on the lead’s card. May contain {firstCall} and {sale}. */
  | { needs: 'nothing'; card: string; mark: 'check' | 'cross' }
)

export const statuses: Record<LeadStatus, Status> = {
  open: {
    label: 'To call',
    needs: 'first-call',
    isLead: true,
    airtable: 'New',
    news: 'Nobody has {called} {name} yet',
    notice: 'nobody has {called} yet.',
    again: 'Nobody has {called} yet.',
    accepts: ['called', 'no-answer', 'call-again', 'done', 'not-a-lead'],
    ifCurrent: ['airtable-status'],
  },
  calling: {
    label: 'Being called',
    needs: 'result',
    isLead: true,
    airtable: 'Called',
    news: '{who} is {calling} {name}',
    notice: 'the crew can see that you’re {calling}.',
    again: 'The crew can see that you’re {calling}.',
    accepts: ['no-answer', 'call-again', 'done', 'never-reached', 'not-a-lead'],
    ifCurrent: ['airtable-status', 'no-result'],
  },
  'call-again': {
    label: 'Call again',
    needs: 'next-call',
    isLead: true,
    airtable: 'Called',
    why: 'no answer ({tries})',
    news: 'No answer from {name}',
    notice: 'no answer. {next}',
    again: 'The homeowner didn’t answer. {next}',
    accepts: ['called', 'moved', 'done', 'never-reached', 'not-a-lead'],
    ifCurrent: ['no-answer', 'airtable-status'],
  },
  // The homeowner answered and asked for another call.
  agreed: {
    label: 'Callback set',
    needs: 'next-call',
    isLead: true,
    airtable: 'Called',
    why: 'we agreed to another {call}',
    isAgreed: true,
    news: '{who} agreed to {call} {name} again',
    notice: 'time saved. {next}',
    again: 'We agreed to another {call}. {next}',
    accepts: ['called', 'moved', 'done', 'never-reached', 'not-a-lead'],
    ifCurrent: ['no-answer', 'airtable-status', ...sales],
  },
  // The caller may still enter the result, even from an older page.
  'no-result': {
    label: 'No result',
    needs: 'next-call',
    isLead: true,
    airtable: 'Called',
    why: '{who} {called} but didn’t enter a result',
    news: '{who} {called} {name} but didn’t enter a result',
    notice: 'nobody entered a result. {next}',
    again: 'The earlier {call} still has no result. {next}',
    accepts: ['called', 'no-answer', 'call-again', 'moved', 'done', 'never-reached', 'not-a-lead'],
    ifCurrent: ['airtable-status'],
  },
  // Someone set Status in Airtable. That is a result, but the crew may still add another one.
  airtable: {
    label: 'Handled in Airtable',
    needs: 'nothing',
    isLead: true,
    airtable: 'Called',
    card: '{firstCall}',
    mark: 'check',
    news: '{name}’s Status was set in Airtable',
    notice: 'Status set in Airtable.',
    again: 'The status set in Airtable applies again.',
    accepts: ['no-answer', 'call-again', 'done', 'not-a-lead'],
    ifCurrent: sales,
  },
  done: {
    label: 'Done',
    needs: 'nothing',
    isLead: true,
    airtable: 'Done',
    card: 'Done: {firstCall}',
    mark: 'check',
    news: '{name}’s request was closed as done',
    notice: 'marked as done.',
    again: 'The lead is marked as done again.',
    ifCurrent: [...sales, 'not-a-lead'],
  },
  appointment: {
    label: 'Appointment',
    needs: 'nothing',
    isLead: true,
    airtable: 'Done',
    card: '{sale}',
    mark: 'check',
    news: '{name} has an appointment',
    notice: 'appointment saved.',
    again: 'The lead has an appointment, as before.',
    ifCurrent: sales,
  },
  won: {
    label: 'Won',
    needs: 'nothing',
    isLead: true,
    airtable: 'Done',
    card: '{sale}',
    mark: 'check',
    news: '{name}’s request was marked as won',
    notice: 'marked as won.',
    again: 'The lead is marked as won, as before.',
    ifCurrent: sales,
  },
  lost: {
    label: 'Lost',
    needs: 'nothing',
    isLead: true,
    airtable: 'Done',
    card: '{sale}',
    mark: 'cross',
    news: '{name}’s request was marked as lost',
    notice: 'marked as lost.',
    again: 'The lead is marked as lost, as before.',
    ifCurrent: sales,
  },
  'never-reached': {
    label: 'Never reached',
    needs: 'nothing',
    isLead: true,
    airtable: 'Never reached',
    card: 'Never reached: {firstCall}',
    mark: 'cross',
    news: '{name} was marked as never reached',
    notice: 'marked as never reached.',
    again: 'The lead is marked “Never reached” again.',
    ifCurrent: ['done', 'not-a-lead'],
  },
  'not-a-lead': {
    label: 'Not a lead',
    needs: 'nothing',
    isLead: false,
    airtable: 'Not a lead',
    card: 'Not a lead',
    mark: 'cross',
    news: '{name} was marked as not a lead',
    notice: 'marked as not a lead.',
    again: 'The lead is marked “Not a lead” again.',
    ifCurrent: ['done'],
  },
}

export const statusKinds = Object.keys(statuses) as LeadStatus[]

export const listStatuses = (...needs: Need[]): LeadStatus[] =>
  statusKinds.filter((status) => needs.includes(statuses[status].needs))
