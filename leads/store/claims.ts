import { type Kysely, sql } from 'kysely'
import type { DeliveryReason } from '../delivery-reason.ts'
import type { StoredLead } from '../lead.ts'
import { free, waiting } from './deliveries.ts'
import { type Database, storedColumns, type Tables } from './tables.ts'

/** `combined`: deliveries about a burst from one network. `single`: all others. */
type Share = 'all' | 'single' | 'combined'

function selectPending(kysely: Kysely<Tables>, channel: string, share: Share) {
  const pending = kysely
    .selectFrom('deliveries')
    .where('channel', '=', channel)
    .where('state', '=', waiting)
  if (share === 'all') return pending
  return pending.where(({ and, eb, exists, not, selectFrom }) => {
    const isCombined = and([
      // The notification that someone is calling is about one lead and makes no sound.
      eb('reason', '!=', 'called'),
      exists(
        selectFrom('leads')
          .select('leads.id')
          .whereRef('leads.id', '=', 'deliveries.lead_id')
          .where('in_burst', '=', 1),
      ),
    ])
    return share === 'combined' ? isCombined : not(isCombined)
  })
}

/** Returns the channels with pending deliveries that are due by this time. Some may be leased. */
export async function listDueChannels(
  { kysely }: Database,
  channels: readonly string[],
  by: number,
): Promise<string[]> {
  if (channels.length === 0) return []
  // One index lookup per channel. Both engines name the column of a list of values column1.
  const { rows } = await sql<{ channel: string }>`
    select column1 as channel from (values ${sql.join(channels.map((name) => sql`(${name})`))}) as listed
    where exists (
      select 1 from deliveries
      where channel = column1 and state = 'waiting' and next_attempt_at <= ${by}
    )`.execute(kysely)
  return rows.map(({ channel }) => channel)
}

/** Returns when to look again for pending deliveries that can be claimed, if there are any. */
export async function findNextDueAt(
  { kysely }: Database,
  channel: string,
  { now, combines = false }: { now: number; combines?: boolean },
): Promise<number | undefined> {
  const nextOfAllAt = await findDueAt(kysely, channel, 'all')
  if (nextOfAllAt === undefined || nextOfAllAt > now) return nextOfAllAt
  const singleAt = combines ? await findDueAt(kysely, channel, 'single') : nextOfAllAt
  const combinedAt = combines ? await findDueAt(kysely, channel, 'combined') : undefined
  const limits = await kysely
    .selectFrom('channels')
    .select(['not_before', 'combine_at'])
    .where('name', '=', channel)
    .executeTakeFirst()
  const { not_before: notBefore = 0, combine_at: combineAt = 0 } = limits ?? {}
  const nextAt = Math.min(
    singleAt ?? Number.POSITIVE_INFINITY,
    Math.max(combinedAt ?? Number.POSITIVE_INFINITY, combineAt),
  )
  return Math.max(nextAt, notBefore)
}

/** Ignores the limits of the channel. */
async function findDueAt(kysely: Kysely<Tables>, channel: string, share: Share) {
  const pending = selectPending(kysely, channel, share)
  const unleased = pending
    .select('next_attempt_at')
    .whereRef('leased_until', '<=', 'next_attempt_at')
    .orderBy('next_attempt_at')
    .limit(1)
  // Two index lookups instead of a scan of all pending deliveries: the next one without a lease, and the
  // few leased ones before it.
  const first = await pending
    .select(['next_attempt_at as from', 'leased_until as until'])
    .where('next_attempt_at', '<=', (eb) =>
      eb.fn.coalesce(unleased, eb.lit(Number.MAX_SAFE_INTEGER)),
    )
    .execute()
  if (first.length === 0) return undefined
  return Math.min(...first.map(({ from, until }) => Math.max(from, until)))
}

export type ClaimedLead = { lead: StoredLead; reason: DeliveryReason; attempts: number }

export type Lease = { holder: string; now: number; until: number }

/**
 * Leases a channel's due deliveries, oldest first. Other processes skip them until the lease expires.
 * `hasMore` means that more than the limit are due.
 */
export function claimDue(
  { engine, kysely }: Database,
  channel: string,
  limit: number,
  lease: Lease,
  { combines = false }: { combines?: boolean } = {},
): Promise<{ claimed: ClaimedLead[]; hasMore: boolean }> {
  const { now } = lease
  return kysely.transaction().execute(async (trx) => {
    // Two statements, because in one, PostgreSQL may run the limited subquery twice and lock too many rows.
    const due = await selectPending(trx, channel, combines ? 'single' : 'all')
      .select(['lead_id', 'reason'])
      .where('next_attempt_at', '<=', now)
      .where('leased_until', '<=', now)
      .orderBy('next_attempt_at')
      .limit(limit + 1)
      .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked())
      .execute()
    const claimed = await claim(trx, channel, due.slice(0, limit), lease)
    return { claimed, hasMore: due.length > limit }
  })
}

// SQLite limits the depth of a condition. The rest of a larger burst is in the next message.
const maxCombined = 400

/**
 * Leases all pending deliveries of a burst if one of them is due and the last combined message was long
 * enough ago. Returns none while another process sends one.
 */
export function claimCombined(
  { engine, kysely }: Database,
  channel: string,
  lease: Lease,
): Promise<ClaimedLead[]> {
  const { now, until } = lease
  return kysely.transaction().execute(async (trx) => {
    const pending = await selectPending(trx, channel, 'combined')
      .select(['lead_id', 'reason', 'next_attempt_at'])
      .where('due_at', '<=', now)
      .where('leased_until', '<=', now)
      .orderBy('next_attempt_at')
      .limit(maxCombined)
      .$if(engine === 'postgres', (query) => query.forUpdate().skipLocked())
      .execute()
    if ((pending[0]?.next_attempt_at ?? Number.POSITIVE_INFINITY) > now) return []
    const started = await trx
      .insertInto('channels')
      .values({ name: channel, leased_until: 0, not_before: 0, combine_at: until })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ combine_at: until })
          .where('channels.combine_at', '<=', now),
      )
      .returning('name')
      .executeTakeFirst()
    return started ? claim(trx, channel, pending, lease) : []
  })
}

/** Sets when the next combined message may be sent. */
export async function limitCombined({ kysely }: Database, channel: string, at: number) {
  await kysely.updateTable('channels').set({ combine_at: at }).where('name', '=', channel).execute()
}

async function claim(
  trx: Kysely<Tables>,
  channel: string,
  due: readonly Pick<Tables['deliveries'], 'lead_id' | 'reason'>[],
  { holder, until }: Lease,
): Promise<ClaimedLead[]> {
  if (due.length === 0) return []
  const claimed = await trx
    .updateTable('deliveries')
    .set((eb) => ({ lease_holder: holder, leased_until: until, attempts: eb('attempts', '+', 1) }))
    .where('channel', '=', channel)
    .where((eb) =>
      eb.or(
        due.map(({ lead_id, reason }) =>
          eb.and([eb('lead_id', '=', lead_id), eb('reason', '=', reason)]),
        ),
      ),
    )
    .returning(['lead_id', 'reason', 'attempts'])
    .execute()
  const ids = claimed.map(({ lead_id: id }) => id)
  const leads = await trx
    .selectFrom('leads')
    .select(storedColumns)
    .where('id', 'in', ids)
    .orderBy('received_at')
    .execute()
  return leads.flatMap((lead) =>
    claimed.flatMap(({ lead_id: leadId, reason, attempts }) =>
      leadId === lead.id ? [{ lead, reason, attempts }] : [],
    ),
  )
}

/** Selects the holder's claims without a recorded result. */
export const updateClaims = ({ kysely }: Database, channel: string, holder: string) =>
  kysely
    .updateTable('deliveries')
    .where('channel', '=', channel)
    .where('lease_holder', '=', holder)
    .where('state', '=', waiting)

/** Cancels the holder's claims about leads that someone has called. */
export async function cancelCalled(
  db: Database,
  channel: string,
  holder: string,
  { leadIds, now }: { leadIds: readonly string[]; now: number },
): Promise<void> {
  if (leadIds.length === 0) return
  await updateClaims(db, channel, holder)
    .set({ ...free, state: 'cancelled', cancel_reason: 'called', settled_at: now })
    .where('lead_id', 'in', leadIds)
    .execute()
}

/** Releases the holder's claims that were not sent. */
export async function releaseClaims(db: Database, channel: string, holder: string): Promise<void> {
  await updateClaims(db, channel, holder).set(free).execute()
}
