import type { Generated, Kysely, Transaction } from 'kysely'
import type { DeliveryReason } from '../delivery-reason.ts'
import { type StoredFields, selectedFields } from '../field-outputs.ts'
import type { Schedule } from '../hours.ts'
import type { AnswerSource, LeadOutcome } from '../lead.ts'

export type Tables = {
  leads: StoredFields & {
    id: string
    search_text: string
    received_at: number
    promise_start_at: number | null
    deadline_at: number | null
    client_address: string
    client_network: string
    idempotency_key: string | null
    body_hash: string
    suspect: string | null
    consent: string | null
    source: string | null
    answered_at: number | null
    answered_by: AnswerSource | null
    escalate_at: number | null
    reopened_at: number | null
    answered_name: string | null
    outcome: LeadOutcome | null
    call_attempts: Generated<number>
    call_again_at: number | null
  }
  deliveries: {
    lead_id: string
    channel: string
    reason: DeliveryReason
    state: Generated<DeliveryState>
    attempts: Generated<number>
    next_attempt_at: number
    leased_until: Generated<number>
    lease_holder: string | null
    last_error: string | null
    note: string | null
    due_at: number
    settled_at: number | null
    message_id: string | null
    check_at: number | null
    arrived_at: number | null
    tapped_at: number | null
  }
  channels: {
    name: string
    lease_holder: string | null
    leased_until: number
    not_before: number
  }
  settings: { name: string; value: string }
  desk_links: {
    token_hash: string
    email: string
    requester: string
    expires_at: number
  }
  desk_crew: { email: string }
  desk_sessions: {
    id: string
    token_hash: string
    email: string
    person: string
    device: string
    seen_at: number
  }
  push_devices: {
    id: string
    session_id: string
    endpoint: string
    p256dh: string
    auth: string
    person: string
    name: string
    schedule: Schedule
    created_at: number
    /** When the push service reported the device as gone. */
    gone_at: number | null
    /** When the device last reported that it had shown a notification. */
    shown_at: number | null
  }
  confirmation_limits: { name: string; day: string; used: number }
  write_checks: { id: string; filler: string }
}

export type Engine = 'sqlite' | 'postgres'

export type Transact = <Result>(
  work: (trx: Transaction<Tables>) => Promise<Result>,
) => Promise<Result>

export type Database = {
  engine: Engine
  kysely: Kysely<Tables>
  /** Runs the transaction that stores a lead, where it differs from kysely.transaction(). */
  transact?: Transact
  /** True if SQLite's file was deleted or replaced. Reads still work, but the site's stop loses every write. */
  isFileGone?: () => boolean
}

export class DatabaseFileGone extends Error {
  override name = 'DatabaseFileGone'
}

/**
 * `sent`: the service accepted it. `failed`: the service reported later that it did not arrive, or the
 * recipient is gone. `cancelled`: no longer needed. `expired`: not sent in time.
 */
export type DeliveryState = 'waiting' | 'sent' | 'failed' | 'cancelled' | 'expired'

export const storedColumns = [
  'leads.id',
  ...selectedFields,
  'leads.received_at as receivedAt',
  'leads.promise_start_at as promiseStartAt',
  'leads.deadline_at as deadlineAt',
  'leads.suspect',
  'leads.consent',
  'leads.source',
  'leads.answered_at as answeredAt',
  'leads.answered_by as answeredBy',
  'leads.answered_name as answeredName',
  'leads.outcome',
  'leads.call_attempts as callAttempts',
  'leads.call_again_at as callAgainAt',
] as const
