import { type Lease, updateClaims } from './deliveries.ts'
import type { Database } from './tables.ts'

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

/** For a channel that nobody has alone: all its senders rest until then. */
export async function holdChannel(
  { kysely }: Database,
  channel: string,
  notBefore: number,
): Promise<void> {
  await kysely
    .insertInto('channels')
    .values({ name: channel, lease_holder: null, leased_until: 0, not_before: notBefore })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ not_before: notBefore }))
    .execute()
}

/** Keeps what this holder has claimed. False when the channel itself has gone to another holder. */
export async function renewLease(
  db: Database,
  channel: string,
  exclusive: boolean,
  { holder, until }: Lease,
): Promise<boolean> {
  await updateClaims(db, channel, holder).set({ leased_until: until }).execute()
  if (!exclusive) return true
  const renewed = await db.kysely
    .updateTable('channels')
    .set({ leased_until: until })
    .where('name', '=', channel)
    .where('lease_holder', '=', holder)
    .returning('name')
    .executeTakeFirst()
  return renewed !== undefined
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
