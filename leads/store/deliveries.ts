import type { ClaimedLead, Occasion } from '../channel.ts'
import { type Database, leadColumns, writeDeliveries } from './tables.ts'

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
  const rest = await kysely
    .selectFrom('channels')
    .select('not_before')
    .where('name', '=', channel)
    .executeTakeFirst()
  return Math.max(Math.min(...dueAts), rest?.not_before ?? 0)
}

export type Lease = { holder: string; now: number; until: number }

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
      .where((eb) => eb.or(due.map((one) => eb.and(one))))
      .returning(['lead_id', 'occasion', 'attempts'])
      .execute()

    const ids = claimed.map(({ lead_id: id }) => id)
    const leads = await trx
      .selectFrom('leads')
      .select(leadColumns)
      .where('id', 'in', ids)
      .orderBy('received_at')
      .execute()
    return leads.flatMap((lead) =>
      claimed.flatMap(({ lead_id: leadId, occasion, attempts }) =>
        leadId === lead.id ? [{ lead, occasion, attempts }] : [],
      ),
    )
  })
}

const free = { leased_until: 0, lease_holder: null }

/** What this holder has claimed and not settled. */
export const updateClaims = ({ kysely }: Database, channel: string, holder: string) =>
  kysely
    .updateTable('deliveries')
    .where('channel', '=', channel)
    .where('lease_holder', '=', holder)
    .where('state', '=', 'waiting')

/** Gives back what this holder has claimed and not sent. */
export async function freeClaims(db: Database, channel: string, holder: string): Promise<void> {
  await updateClaims(db, channel, holder).set(free).execute()
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
        const { note = null } = settlement
        await delivery
          .set({ ...free, state: 'sent', settled_at: now, note })
          // Said again since, it is another delivery, which nobody has sent.
          .$if(settlement.occasion === 'outcome', (query) =>
            query.where('lease_holder', '=', holder),
          )
          .execute()
        const { leadId, next: occasion } = settlement
        if (occasion) await writeDeliveries(trx, { leadId, channels: [channel], occasion }, now)
        continue
      }
      const { error, nextAttemptAt } = settlement
      // A holder that lost its lease may report a success, which is a fact, but not decide on a retry.
      await delivery
        .set({ ...free, last_error: error, next_attempt_at: nextAttemptAt })
        .where('lease_holder', '=', holder)
        .where('state', '=', 'waiting')
        .execute()
    }
  })
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
