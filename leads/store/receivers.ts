import type { Kysely } from 'kysely'
import type { Database, Tables } from './tables.ts'

/** Gives what waits under one name to another, except leads that this one has heard of already. */
export const moveWaiting = (kysely: Kysely<Tables>, from: string, to: string) =>
  kysely
    .updateTable('deliveries')
    .set({ channel: to })
    .where('channel', '=', from)
    .where('state', '=', 'waiting')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('deliveries as own')
            .select('own.lead_id')
            .where('own.channel', '=', to)
            .whereRef('own.lead_id', '=', 'deliveries.lead_id')
            .whereRef('own.occasion', '=', 'deliveries.occasion'),
        ),
      ),
    )

/**
 * Takes over what waits under the name that a channel had before. False while another process, of an
 * earlier version, is sending some of it: that one settles it by the old name.
 */
export async function adoptDeliveries(
  { kysely }: Database,
  { name, formerName, now }: { name: string; formerName: string; now: number },
): Promise<boolean> {
  // A receiver with two former names hears of a lead once; the other is shown as waiting for nobody.
  await moveWaiting(kysely, formerName, name).where('leased_until', '<=', now).execute()
  const held = await kysely
    .selectFrom('deliveries')
    .select('lead_id')
    .where('channel', '=', formerName)
    .where('state', '=', 'waiting')
    .where('leased_until', '>', now)
    .limit(1)
    .executeTakeFirst()
  return held === undefined
}

/** Gives up what waits for a channel. Returns how many deliveries that were. */
export async function dropDeliveries(
  { kysely }: Database,
  channel: string,
  now: number,
): Promise<number> {
  const dropped = await kysely
    .updateTable('deliveries')
    .set({ state: 'cancelled', settled_at: now, note: 'Dropped by the owner.' })
    .where('channel', '=', channel)
    .where('state', '=', 'waiting')
    .returning('lead_id')
    .execute()
  return dropped.length
}
