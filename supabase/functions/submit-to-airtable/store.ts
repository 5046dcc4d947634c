import { type Kysely, sql, type Transaction } from 'kysely'
import { findNetwork } from './client-address.ts'
import type { Lead, LeadDetails, ServiceType } from './lead.ts'

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

/**
 * Why a channel hears of a lead. `unanswered-4`: nobody has called after 4 minutes. `status`: the
 * row is in Airtable, its Status is still to be set.
 */
export type Occasion = 'received' | Escalation | 'answered' | 'status'
export type Escalation = `unanswered-${number}` | 'missed'

/** Where staff said that they are calling. */
export type AnswerSource = 'link' | 'airtable'

/** Cancelled: an escalation that was no longer true when its turn came. */
export type DeliveryState = 'waiting' | 'sent' | 'cancelled'
export type StoredLead = Lead & {
  id: string
  receivedAt: number
  /** Why it looks like a robot's; null when it does not. */
  suspect: string | null
  /** The version of the consent line the visitor saw. */
  consent: string | null
  /** Where the visitor came from: see source.ts. */
  source: string | null
  answeredAt: number | null
  answeredBy: AnswerSource | null
}
export type Delivery = {
  channel: string
  occasion: Occasion
  state: DeliveryState
  attempts: number
  nextAttemptAt: number
  lastError: string | null
  note: string | null
  createdAt: number
  settledAt: number | null
}

const leadColumns = [
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
] as const

export type SavedLead =
  | { outcome: 'saved' | 'repeated'; leadId: string }
  | { outcome: 'conflict' }
  | { outcome: 'limited'; retryAfterMs: number }

export type NewLead = {
  lead: Lead
  details: LeadDetails
  bodyHash: string
  clientAddress: string
  /** The lead is stored unless one of these keys is already; it is stored under the first. */
  idempotencyKeys: readonly string[]
  channels: readonly string[]
  /** When staff are first reminded if nobody has answered; left out: never. */
  escalateAt?: number | undefined
}

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/**
 * What one client may send, and all clients of one network: a day's worth so that nobody fills the
 * disk however patient, a network's worth so that nobody does by changing addresses. Multiples of
 * the limit per minute, wide enough for an office or a whole town behind one carrier's addresses.
 */
const listLimits = (limitPerMinute: number) =>
  [
    { column: 'client_address', windowMs: minuteMs, leads: limitPerMinute },
    { column: 'client_address', windowMs: dayMs, leads: limitPerMinute * 100 },
    { column: 'client_network', windowMs: minuteMs, leads: limitPerMinute * 5 },
    { column: 'client_network', windowMs: dayMs, leads: limitPerMinute * 500 },
  ] as const

/** Stores a lead and its deliveries, all or nothing. When it returns, the commit is durable. */
export function saveLead(
  { engine, kysely, transact = (work) => kysely.transaction().execute(work) }: Database,
  { lead, details, bodyHash, clientAddress, idempotencyKeys, channels, escalateAt }: NewLead,
  { now, limitPerMinute }: { now: number; limitPerMinute: number },
): Promise<SavedLead> {
  const clientNetwork = findNetwork(clientAddress)
  return transact(async (trx): Promise<SavedLead> => {
    // Postgres runs one client's requests side by side, each blind to the others' uncommitted
    // leads: without this lock a burst passes the limit. SQLite has one writer anyway.
    if (engine === 'postgres' && limitPerMinute > 0)
      await sql`select pg_advisory_xact_lock(hashtextextended(${clientNetwork}, 0))`.execute(trx)

    const findRepeated = async () => {
      if (idempotencyKeys.length === 0) return undefined
      const earlier = await trx
        .selectFrom('leads')
        .select(['id', 'body_hash'])
        .where('idempotency_key', 'in', idempotencyKeys)
        .executeTakeFirst()
      if (!earlier) return undefined
      if (earlier.body_hash !== bodyHash) return { outcome: 'conflict' } as const
      return { outcome: 'repeated', leadId: earlier.id } as const
    }

    const repeated = await findRepeated()
    if (repeated) return repeated

    for (const { column, windowMs, leads } of limitPerMinute > 0
      ? listLimits(limitPerMinute)
      : []) {
      // The row whose age decides: once it has left the window there is room for one more.
      const deciding = await trx
        .selectFrom('leads')
        .select('received_at')
        .where(column, '=', column === 'client_address' ? clientAddress : clientNetwork)
        .where('received_at', '>', now - windowMs)
        // Later than now: the clock has been set back since, and nobody shall wait for that.
        .where('received_at', '<=', now + minuteMs)
        .orderBy('received_at', 'desc')
        .offset(leads - 1)
        .limit(1)
        .executeTakeFirst()
      if (deciding)
        return { outcome: 'limited', retryAfterMs: deciding.received_at + windowMs - now }
    }

    const id = crypto.randomUUID()
    const { serviceType, ...fields } = lead
    const inserted = await trx
      .insertInto('leads')
      .values({
        id,
        ...fields,
        service_type: serviceType,
        received_at: now,
        client_address: clientAddress,
        client_network: clientNetwork,
        idempotency_key: idempotencyKeys[0] ?? null,
        body_hash: bodyHash,
        ...details,
        escalate_at: escalateAt ?? null,
      })
      .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
      .returning('id')
      .executeTakeFirst()
    // The same key came at the same moment over another address, and its transaction was first.
    if (!inserted) return (await findRepeated()) ?? { outcome: 'conflict' }

    if (channels.length > 0)
      await trx
        .insertInto('deliveries')
        .values(channels.map((channel) => makeDelivery(id, channel, 'received', now)))
        .execute()
    return { outcome: 'saved', leadId: id }
  })
}

const makeDelivery = (leadId: string, channel: string, occasion: Occasion, now: number) => ({
  lead_id: leadId,
  channel,
  occasion,
  state: 'waiting' as const,
  attempts: 0,
  next_attempt_at: now,
  leased_until: 0,
  created_at: now,
})

/** When the channel's next delivery may be claimed; undefined when none waits. */
export async function findNextDueAt(
  { kysely }: Database,
  channel: string,
): Promise<number | undefined> {
  const waiting = kysely
    .selectFrom('deliveries')
    .where('channel', '=', channel)
    .where('state', '=', 'waiting')
  // Two looks along the index rather than one at everything that waits: first the next that nobody
  // holds, then those before it, which are the few that somebody does.
  const free = await waiting
    .select('next_attempt_at as at')
    .whereRef('leased_until', '<=', 'next_attempt_at')
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  const held = await waiting
    .select(['next_attempt_at as from', 'leased_until as until'])
    .$if(free !== undefined, (query) => query.where('next_attempt_at', '<', free?.at ?? 0))
    .execute()
  const dueAts = held.map(({ from, until }) => Math.max(from, until))
  if (free) dueAts.push(free.at)
  if (dueAts.length === 0) return undefined
  const { not_before: notBefore = 0 } =
    (await kysely
      .selectFrom('channels')
      .select('not_before')
      .where('name', '=', channel)
      .executeTakeFirst()) ?? {}
  return Math.max(Math.min(...dueAts), notBefore)
}

export type Lease = { holder: string; now: number; until: number }
export type ClaimedLead = { lead: StoredLead; occasion: Occasion; attempts: number }

/** Leases due deliveries of one channel, oldest first. Nobody else gets them until the lease ends. */
export function claimDue(
  { engine, kysely }: Database,
  channel: string,
  limit: number,
  { holder, now, until }: Lease,
): Promise<ClaimedLead[]> {
  return kysely.transaction().execute(async (trx) => {
    // Two statements: inside one, Postgres may run the limited part more than once and lock too much.
    const due = await trx
      .selectFrom('deliveries')
      .select(['lead_id', 'occasion'])
      .where('channel', '=', channel)
      .where('state', '=', 'waiting')
      .where('next_attempt_at', '<=', now)
      .where('leased_until', '<=', now)
      .orderBy('next_attempt_at')
      .limit(limit)
      .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked())
      .execute()
    if (due.length === 0) return []
    const claimed = await trx
      .updateTable('deliveries')
      .set((eb) => ({
        lease_holder: holder,
        leased_until: until,
        attempts: eb('attempts', '+', 1),
      }))
      .where('channel', '=', channel)
      .where((eb) =>
        eb.or(
          due.map((one) =>
            eb.and([eb('lead_id', '=', one.lead_id), eb('occasion', '=', one.occasion)]),
          ),
        ),
      )
      .returning(['lead_id', 'occasion', 'attempts'])
      .execute()

    const leads = await trx
      .selectFrom('leads')
      .select(leadColumns)
      .where(
        'id',
        'in',
        claimed.map((delivery) => delivery.lead_id),
      )
      .orderBy('received_at')
      .execute()
    return leads.flatMap((lead) =>
      claimed.flatMap(({ lead_id: leadId, occasion, attempts }) =>
        leadId === lead.id ? [{ lead, occasion, attempts }] : [],
      ),
    )
  })
}

/** Keeps what this holder has claimed. False when the channel itself has gone to another holder. */
export async function renewLease(
  { kysely }: Database,
  channel: string,
  exclusive: boolean,
  { holder, until }: Lease,
): Promise<boolean> {
  await kysely
    .updateTable('deliveries')
    .set({ leased_until: until })
    .where('channel', '=', channel)
    .where('lease_holder', '=', holder)
    .where('state', '=', 'waiting')
    .execute()
  if (!exclusive) return true
  const renewed = await kysely
    .updateTable('channels')
    .set({ leased_until: until })
    .where('name', '=', channel)
    .where('lease_holder', '=', holder)
    .returning('name')
    .executeTakeFirst()
  return renewed !== undefined
}

/** Gives back what this holder has claimed and not sent. */
export async function freeClaims(
  { kysely }: Database,
  channel: string,
  holder: string,
): Promise<void> {
  await kysely
    .updateTable('deliveries')
    .set({ leased_until: 0, lease_holder: null })
    .where('channel', '=', channel)
    .where('lease_holder', '=', holder)
    .where('state', '=', 'waiting')
    .execute()
}

/** Makes the holder the channel's only sender. False while another has it, or while it must rest. */
export async function acquireChannel(
  { kysely }: Database,
  channel: string,
  { holder, now, until }: Lease,
): Promise<boolean> {
  const acquired = await kysely
    .insertInto('channels')
    .values({ name: channel, lease_holder: holder, leased_until: until, not_before: 0 })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ lease_holder: holder, leased_until: until })
        .where('channels.leased_until', '<=', now)
        .where('channels.not_before', '<=', now),
    )
    .returning('name')
    .executeTakeFirst()
  return acquired !== undefined
}

export async function releaseChannel(
  { kysely }: Database,
  channel: string,
  holder: string,
  notBefore: number,
): Promise<void> {
  await kysely
    .updateTable('channels')
    .set({ lease_holder: null, leased_until: 0, not_before: notBefore })
    .where('name', '=', channel)
    .where('lease_holder', '=', holder)
    .execute()
}

export type Settlement = { leadId: string; occasion: Occasion } & (
  | { ok: true; note?: string | undefined; next?: Occasion | undefined }
  | { ok: false; error: string; nextAttemptAt: number }
)

export function settleDeliveries(
  { kysely }: Database,
  channel: string,
  settlements: readonly Settlement[],
  { holder, now }: { holder: string; now: number },
): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    for (const settlement of settlements) {
      const delivery = trx
        .updateTable('deliveries')
        .where('lead_id', '=', settlement.leadId)
        .where('channel', '=', channel)
        .where('occasion', '=', settlement.occasion)
      if (settlement.ok) {
        await delivery
          .set({
            state: 'sent',
            settled_at: now,
            note: settlement.note ?? null,
            leased_until: 0,
            lease_holder: null,
          })
          .execute()
        if (settlement.next)
          await trx
            .insertInto('deliveries')
            .values(makeDelivery(settlement.leadId, channel, settlement.next, now))
            .onConflict((conflict) => conflict.doNothing())
            .execute()
        continue
      }
      // Whoever lost the lease may report a success, which is a fact, but not decide over a retry.
      await delivery
        .set({
          last_error: settlement.error,
          next_attempt_at: settlement.nextAttemptAt,
          leased_until: 0,
          lease_holder: null,
        })
        .where('lease_holder', '=', holder)
        .where('state', '=', 'waiting')
        .execute()
    }
  })
}

export type Backlog = { channel: string; waiting: number; oldestAt: number }

/** What waits, by channel; a channel with nothing waiting is not listed. */
export function countWaiting({ kysely }: Database): Promise<Backlog[]> {
  return kysely
    .selectFrom('deliveries')
    .select((eb) => [
      'channel',
      eb.fn.countAll<number>().as('waiting'),
      eb.fn.min('created_at').as('oldestAt'),
    ])
    .where('state', '=', 'waiting')
    .groupBy('channel')
    .orderBy('channel')
    .execute()
}

/** Throws unless a row as large as a lead can be committed. */
export function proveWritable({ kysely }: Database): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    const id = crypto.randomUUID()
    // New row first, old ones after: replacing a row would fit into a full disk's freed pages.
    await trx
      .insertInto('write_checks')
      .values({ id, filler: 'x'.repeat(8_000) })
      .execute()
    await trx.deleteFrom('write_checks').where('id', '!=', id).execute()
  })
}

export type LeadWithDeliveries = StoredLead & { deliveries: Delivery[] }

/** The newest leads first; `before` is the last lead of the page before. */
export async function listLeads(
  db: Database,
  { limit, before }: { limit: number; before?: { id: string; receivedAt: number } | undefined },
): Promise<LeadWithDeliveries[]> {
  let query = db.kysely
    .selectFrom('leads')
    .select(leadColumns)
    .orderBy('received_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (before)
    query = query.where((eb) =>
      eb.or([
        eb('received_at', '<', before.receivedAt),
        eb.and([eb('received_at', '=', before.receivedAt), eb('id', '<', before.id)]),
      ]),
    )
  return addDeliveries(db, await query.execute())
}

export async function findLead(db: Database, id: string): Promise<LeadWithDeliveries | undefined> {
  const leads = await db.kysely
    .selectFrom('leads')
    .select(leadColumns)
    .where('id', '=', id)
    .execute()
  return (await addDeliveries(db, leads))[0]
}

/** Leads whose id begins so; few letters do for the owner's command line. */
export async function findLeadsByPrefix(
  db: Database,
  prefix: string,
  limit: number,
): Promise<LeadWithDeliveries[]> {
  const leads = await db.kysely
    .selectFrom('leads')
    .select(leadColumns)
    .where((eb) => eb(eb.fn('substr', ['id', eb.val(1), eb.val(prefix.length)]), '=', prefix))
    .orderBy('id')
    .limit(limit)
    .execute()
  return addDeliveries(db, leads)
}

export async function countLeads({ kysely }: Database): Promise<number> {
  const { total } = await kysely
    .selectFrom('leads')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

async function addDeliveries(
  { kysely }: Database,
  leads: StoredLead[],
): Promise<LeadWithDeliveries[]> {
  if (leads.length === 0) return []
  const deliveries = await kysely
    .selectFrom('deliveries')
    .select([
      'lead_id',
      'channel',
      'occasion',
      'state',
      'attempts',
      'next_attempt_at as nextAttemptAt',
      'last_error as lastError',
      'note',
      'created_at as createdAt',
      'settled_at as settledAt',
    ])
    .where(
      'lead_id',
      'in',
      leads.map((lead) => lead.id),
    )
    .orderBy('created_at')
    .orderBy('channel')
    .execute()
  const byLead = Map.groupBy(deliveries, (delivery) => delivery.lead_id)
  return leads.map((lead) => ({
    ...lead,
    deliveries: (byLead.get(lead.id) ?? []).map(({ lead_id: _, ...delivery }) => delivery),
  }))
}

/** Makes waiting deliveries due now, of one lead or all, on one channel or all. Returns how many. */
export async function retryDeliveries(
  { engine, kysely }: Database,
  leadId: string | 'all',
  now: number,
  channel: string | 'all' = 'all',
): Promise<number> {
  let waiting = kysely
    .selectFrom('deliveries')
    .select(['lead_id', 'channel', 'occasion'])
    .where('state', '=', 'waiting')
    // What is being sent is due already.
    .where('leased_until', '<=', now)
    // So is what somebody claims or settles at this moment; waiting for it could be a deadlock.
    .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked())
  if (leadId !== 'all') waiting = waiting.where('lead_id', '=', leadId)
  if (channel !== 'all') waiting = waiting.where('channel', '=', channel)
  const retried = await kysely
    .updateTable('deliveries')
    .set({ next_attempt_at: now })
    .where((eb) =>
      eb(
        eb.refTuple('lead_id', 'channel', 'occasion'),
        'in',
        waiting.$asTuple('lead_id', 'channel', 'occasion'),
      ),
    )
    .returning('lead_id')
    .execute()
  return retried.length
}

/**
 * After the clock has been set back, times written before lie too far ahead: a retry would wait, and
 * a dead sender's lease hold, for as long as the clock was wrong. Nothing is put off by this.
 */
export function bringForward(
  { kysely }: Database,
  { now, retriesUntil, leasesUntil }: { now: number; retriesUntil: number; leasesUntil: number },
): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    await trx
      .updateTable('deliveries')
      .set({ next_attempt_at: now })
      .where('state', '=', 'waiting')
      .where('next_attempt_at', '>', retriesUntil)
      .execute()
    // A sender that lives renews its lease from now on by the new clock.
    await trx
      .updateTable('deliveries')
      .set({ leased_until: leasesUntil })
      .where('state', '=', 'waiting')
      .where('leased_until', '>', leasesUntil)
      .execute()
    await trx
      .updateTable('channels')
      .set({ leased_until: leasesUntil })
      .where('leased_until', '>', leasesUntil)
      .execute()
    await trx
      .updateTable('channels')
      .set({ not_before: leasesUntil })
      .where('not_before', '>', Math.max(leasesUntil, retriesUntil))
      .execute()
  })
}

/** When the next reminder about an unanswered lead is due; undefined when none is. */
export async function findNextEscalationAt({ kysely }: Database): Promise<number | undefined> {
  // Not min(): beside another condition it reads every lead that waits for a reminder.
  const next = await kysely
    .selectFrom('leads')
    .select('escalate_at as at')
    .where('escalate_at', 'is not', null)
    .where('answered_at', 'is', null)
    .orderBy('escalate_at')
    .limit(1)
    .executeTakeFirst()
  return next?.at ?? undefined
}

export type UnansweredLead = { id: string; receivedAt: number; escalateAt: number }

/** The leads a reminder is due for, the longest waiting first. */
export async function listUnanswered(
  { kysely }: Database,
  now: number,
  limit: number,
): Promise<UnansweredLead[]> {
  const leads = await kysely
    .selectFrom('leads')
    .select(['id', 'received_at as receivedAt', 'escalate_at as escalateAt'])
    .where('escalate_at', '<=', now)
    .where('answered_at', 'is', null)
    .orderBy('escalate_at')
    .limit(limit)
    .execute()
  return leads.map((lead) => ({ ...lead, escalateAt: lead.escalateAt ?? 0 }))
}

/**
 * Writes the deliveries of an escalation, once: false when the lead has been answered, or another
 * process was first. What waits of earlier escalations is no longer true and does not go out.
 */
export function escalateLead(
  { kysely }: Database,
  { id, escalateAt }: UnansweredLead,
  occasion: Escalation | undefined,
  { channels, nextAt, now }: { channels: readonly string[]; nextAt: number | null; now: number },
): Promise<boolean> {
  return kysely.transaction().execute(async (trx) => {
    const escalated = await trx
      .updateTable('leads')
      .set({ escalate_at: nextAt })
      .where('id', '=', id)
      .where('escalate_at', '=', escalateAt)
      .where('answered_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (!escalated) return false
    if (!occasion || channels.length === 0) return true
    await cancelEscalations(trx, id, 'A later alert says what is true now.', now)
    await trx
      .insertInto('deliveries')
      .values(channels.map((channel) => makeDelivery(id, channel, occasion, now)))
      .onConflict((conflict) => conflict.doNothing())
      .execute()
    return true
  })
}

async function cancelEscalations(
  trx: Kysely<Tables>,
  leadId: string,
  note: string,
  now: number,
): Promise<void> {
  // One that is being sent at this moment is cancelled too: if it fails it is not tried again, and
  // if it arrives its settlement says so.
  await trx
    .updateTable('deliveries')
    .set({ state: 'cancelled', note, settled_at: now })
    .where('lead_id', '=', leadId)
    .where('state', '=', 'waiting')
    .where('occasion', 'not in', ['received', 'answered', 'status'])
    .execute()
}

export type Answer = { isFirst: boolean; answeredAt: number; answeredBy: AnswerSource }

/** Records the first answer and ends all reminders; undefined when there is no such lead. */
export function recordAnswer(
  { kysely }: Database,
  leadId: string,
  { answeredAt, answeredBy, now }: { answeredAt: number; answeredBy: AnswerSource; now: number },
): Promise<Answer | undefined> {
  return kysely.transaction().execute(async (trx) => {
    const recorded = await trx
      .updateTable('leads')
      .set({ answered_at: answeredAt, answered_by: answeredBy, escalate_at: null })
      .where('id', '=', leadId)
      .where('answered_at', 'is', null)
      .returning('id')
      .executeTakeFirst()
    if (recorded) {
      await cancelEscalations(trx, leadId, 'Answered before it was sent.', now)
      await trx
        .insertInto('deliveries')
        .values(makeDelivery(leadId, 'airtable', 'answered', now))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
      return { isFirst: true, answeredAt, answeredBy }
    }
    const earlier = await trx
      .selectFrom('leads')
      .select(['answered_at as answeredAt', 'answered_by as answeredBy'])
      .where('id', '=', leadId)
      .executeTakeFirst()
    if (!earlier?.answeredAt || !earlier.answeredBy) return undefined
    return { isFirst: false, answeredAt: earlier.answeredAt, answeredBy: earlier.answeredBy }
  })
}

export type PromiseRecord = {
  receivedAt: number
  answeredAt: number | null
  answeredBy: AnswerSource | null
  suspect: string | null
  source: string | null
}

/** How the promise went, for the leads of a period. */
export function listPromises(
  { kysely }: Database,
  { from, to }: { from: number; to: number },
): Promise<PromiseRecord[]> {
  return kysely
    .selectFrom('leads')
    .select([
      'received_at as receivedAt',
      'answered_at as answeredAt',
      'answered_by as answeredBy',
      'suspect',
      'source',
    ])
    .where('received_at', '>=', from)
    .where('received_at', '<', to)
    .orderBy('received_at')
    .execute()
}

export type HandOver = { channel: string; createdAt: number; settledAt: number | null }

/** When what had to reach whom because of the leads of a period was due, and when it was sent. */
export function listHandOvers(
  { kysely }: Database,
  { from, to }: { from: number; to: number },
): Promise<HandOver[]> {
  return kysely
    .selectFrom('deliveries')
    .innerJoin('leads', 'leads.id', 'deliveries.lead_id')
    .select([
      'deliveries.channel',
      'deliveries.created_at as createdAt',
      'deliveries.settled_at as settledAt',
    ])
    .where('leads.received_at', '>=', from)
    .where('leads.received_at', '<', to)
    .where('deliveries.state', '!=', 'cancelled')
    .execute()
}

/** A setting the product remembers by itself; `propose` is kept if there is none yet. */
export async function keepSetting(db: Database, name: string, propose: string): Promise<string> {
  const kept = await readSetting(db, name)
  if (kept !== undefined) return kept
  await db.kysely
    .insertInto('settings')
    .values({ name, value: propose })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await readSetting(db, name)) ?? propose
}

export async function readSetting({ kysely }: Database, name: string): Promise<string | undefined> {
  const setting = await kysely
    .selectFrom('settings')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst()
  return setting?.value
}

export async function writeSetting(
  { kysely }: Database,
  name: string,
  value: string,
): Promise<void> {
  await kysely
    .insertInto('settings')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

export async function removeSetting({ kysely }: Database, name: string): Promise<void> {
  await kysely.deleteFrom('settings').where('name', '=', name).execute()
}

/** Deletes a lead and its deliveries. False when there is no such lead. */
export async function eraseLead({ engine, kysely }: Database, id: string): Promise<boolean> {
  // SQLite leaves the bytes of a deleted row in the file, and those of changed pages in the log
  // beside it. A person who asks to be forgotten means those too.
  if (engine === 'sqlite') {
    await sql`pragma secure_delete = on`.execute(kysely)
    // Emptying the log waits for those who read it, or does nothing and says no error.
    await sql`pragma busy_timeout = 5000`.execute(kysely)
  }
  const erased = await kysely
    .deleteFrom('leads')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (engine === 'sqlite') await sql`pragma wal_checkpoint(truncate)`.execute(kysely)
  return erased !== undefined
}
