import type { Generated, Kysely, Transaction } from 'kysely'
import type { DeliveryReason } from '../delivery-reason.ts'
import { selectedFields, toStoredFields } from '../field-outputs.ts'
import type { Lead } from '../fields.ts'
import type { CancelReason, EventKind, HistoryEvent, LeadStatus } from '../history.ts'
import type { Schedule } from '../hours.ts'

/** Declares the type of a column. Only the names exist at run time. */
const column = <Type>() => undefined as Type

export const tables = {
  leads: {
    ...toStoredFields({} as Lead),
    id: column<string>(),
    search_text: column<string>(),
    phone_key: column<string | null>(),
    email_key: column<string | null>(),
    name_key: column<string | null>(),
    address_key: column<string | null>(),
    received_at: column<number>(),
    promise_start_at: column<number | null>(),
    deadline_at: column<number | null>(),
    client_address: column<string>(),
    client_network: column<string>(),
    idempotency_key: column<string | null>(),
    body_hash: column<string>(),
    suspect: column<string | null>(),
    in_burst: column<Generated<number>>(),
    consent: column<string | null>(),
    source: column<string | null>(),
    status: column<Generated<LeadStatus>>(),
    called_at: column<number | null>(),
    called_via: column<HistoryEvent['via'] | null>(),
    caller: column<string | null>(),
    caller_email: column<string | null>(),
    call_again_at: column<number | null>(),
    call_attempts: column<Generated<number>>(),
    version: column<Generated<number>>(),
    changed_at: column<number | null>(),
    last_note: column<string | null>(),
    last_note_by: column<string | null>(),
    escalate_at: column<number | null>(),
  },
  lead_events: {
    lead_id: column<string>(),
    number: column<number>(),
    id: column<string>(),
    at: column<number>(),
    kind: column<EventKind>(),
    person: column<string | null>(),
    email: column<string | null>(),
    via: column<HistoryEvent['via']>(),
    text: column<string | null>(),
    call_again_at: column<number | null>(),
  },
  deliveries: {
    lead_id: column<string>(),
    channel: column<string>(),
    reason: column<DeliveryReason>(),
    state: column<Generated<DeliveryState>>(),
    attempts: column<Generated<number>>(),
    next_attempt_at: column<number>(),
    leased_until: column<Generated<number>>(),
    lease_holder: column<string | null>(),
    last_error: column<string | null>(),
    note: column<string | null>(),
    cancel_reason: column<CancelReason | null>(),
    due_at: column<number>(),
    settled_at: column<number | null>(),
    message_id: column<string | null>(),
    check_at: column<number | null>(),
    arrived_at: column<number | null>(),
    tapped_at: column<number | null>(),
  },
  channels: {
    name: column<string>(),
    lease_holder: column<string | null>(),
    leased_until: column<number>(),
    not_before: column<number>(),
    combine_at: column<Generated<number>>(),
  },
  settings: { name: column<string>(), value: column<string>() },
  desk_links: {
    token_hash: column<string>(),
    email: column<string>(),
    requester: column<string>(),
    expires_at: column<number>(),
  },
  desk_crew: { email: column<string>() },
  desk_owners: { email: column<string>() },
  desk_log: {
    id: column<string>(),
    at: column<number>(),
    person: column<string>(),
    email: column<string>(),
    action: column<string>(),
    about: column<string | null>(),
  },
  desk_sessions: {
    id: column<string>(),
    token_hash: column<string>(),
    email: column<string>(),
    person: column<string>(),
    device: column<string>(),
    seen_at: column<number>(),
  },
  push_devices: {
    id: column<string>(),
    session_id: column<string>(),
    endpoint: column<string>(),
    p256dh: column<string>(),
    auth: column<string>(),
    person: column<string>(),
    name: column<string>(),
    schedule: column<Schedule>(),
    created_at: column<number>(),
    /** When the push service reported the device as gone. */
    gone_at: column<number | null>(),
    /** When the device last reported that it had shown a notification. */
    shown_at: column<number | null>(),
  },
  page_versions: {
    number: column<number>(),
    saved_at: column<number>(),
    person: column<string>(),
    email: column<string>(),
    content: column<string>(),
    published_at: column<number | null>(),
  },
  confirmation_limits: { name: column<string>(), day: column<string>(), used: column<number>() },
}

export type Tables = typeof tables

export type Engine = 'sqlite' | 'postgres'

export type Transact = <Result>(
  work: (trx: Transaction<Tables>) => Promise<Result>,
) => Promise<Result>

export type Database = {
  engine: Engine
  kysely: Kysely<Tables>
  /** Runs the transaction that stores a lead. */
  transact: Transact
  /** True if SQLite's file was deleted or replaced. Reads still work, but every write is lost when the site stops. */
  isFileGone?: () => boolean
}

export class DatabaseFileGone extends Error {
  override name = 'DatabaseFileGone'
}

/**
 * `sent`: the service accepted the message. `failed`: the service reported later that it did not arrive, or
 * the recipient is gone. `cancelled`: no longer needed. `expired`: not sent in time.
 */
export type DeliveryState = 'waiting' | 'sent' | 'failed' | 'cancelled' | 'expired'

export const storedColumns = [
  'leads.id',
  ...selectedFields,
  'leads.received_at as receivedAt',
  'leads.promise_start_at as promiseStartAt',
  'leads.deadline_at as deadlineAt',
  'leads.suspect',
  'leads.in_burst as inBurst',
  'leads.consent',
  'leads.source',
  'leads.status',
  'leads.called_at as calledAt',
  'leads.called_via as calledVia',
  'leads.caller',
  'leads.caller_email as callerEmail',
  'leads.call_again_at as callAgainAt',
  'leads.call_attempts as attempts',
  'leads.version',
  'leads.changed_at as changedAt',
  'leads.last_note as lastNote',
  'leads.last_note_by as lastNoteBy',
] as const
