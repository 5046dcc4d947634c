import type { Kysely, Transaction } from 'kysely'
import type { Occasion } from '../channel.ts'
import type { AnswerSource, LeadOutcome, ServiceType } from '../lead.ts'

export type Tables = {
  leads: {
    id: string
    name: string
    email: string
    phone: string
    address: string
    service_type: ServiceType | ''
    received_at: number
    client_address: string
    client_network: string | null
    idempotency_key: string | null
    body_hash: string
    suspect: string | null
    consent: string | null
    source: string | null
    answered_at: number | null
    answered_by: AnswerSource | null
    escalate_at: number | null
    answered_name: string | null
    outcome: LeadOutcome | null
  }
  deliveries: {
    lead_id: string
    channel: string
    occasion: Occasion
    state: DeliveryState
    attempts: number
    next_attempt_at: number
    leased_until: number
    lease_holder: string | null
    last_error: string | null
    note: string | null
    created_at: number
    settled_at: number | null
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
    client_address: string
    is_valid: number
    expires_at: number
  }
  desk_sessions: {
    id: string
    token_hash: string
    email: string
    person: string
    device: string
    created_at: number
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
    rings_from: number
    quiet_until: number
    emergencies_ring: number
    created_at: number
    gone_at: number | null
  }
  write_checks: { id: string; filler: string }
}

export type Engine = 'sqlite' | 'postgres'

export type Transact = <Result>(
  work: (trx: Transaction<Tables>) => Promise<Result>,
) => Promise<Result>

export type Database = {
  engine: Engine
  kysely: Kysely<Tables>
  /** Like kysely.transaction(), for engines that can make several durable at once. */
  transact?: Transact
}

/** Cancelled: an escalation that was no longer true when its turn came. */
type DeliveryState = 'waiting' | 'sent' | 'cancelled'

export const leadColumns = [
  'leads.id',
  'leads.name',
  'leads.email',
  'leads.phone',
  'leads.address',
  'leads.service_type as serviceType',
  'leads.received_at as receivedAt',
  'leads.suspect',
  'leads.consent',
  'leads.source',
  'leads.answered_at as answeredAt',
  'leads.answered_by as answeredBy',
  'leads.answered_name as answeredName',
  'leads.outcome',
] as const

/** Writes deliveries that wait from now on; those that are there already stay as they are. */
export async function writeDeliveries(
  trx: Kysely<Tables>,
  {
    leadId,
    channels,
    occasion,
  }: { leadId: string; channels: readonly string[]; occasion: Occasion },
  now: number,
): Promise<void> {
  if (channels.length === 0) return
  const rows = channels.map((channel) => ({
    lead_id: leadId,
    channel,
    occasion,
    state: 'waiting' as const,
    attempts: 0,
    next_attempt_at: now,
    leased_until: 0,
    created_at: now,
  }))
  await trx
    .insertInto('deliveries')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
