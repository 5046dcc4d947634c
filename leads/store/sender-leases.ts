import { type Lease, updateClaims } from './claims.ts'
import type { Database } from './tables.ts'

/** Makes the holder the channel's only sender. Returns false if another process is, or during a pause. */
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

/** Pauses all senders of a channel that is not exclusive. */
export async function pauseChannel(
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

/** Renews the holder's claims. Returns false if another process has acquired the channel. */
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
