import { nameDeviceChannel } from '#leads/store/push-devices.ts'
import type { Database } from '#leads/store/tables.ts'

const recentMs = 60 * 60_000

/**
 * Deliveries that were pending in the backup may have been sent since. Airtable gets them again without
 * duplicates, because rows are matched by lead ID. Alerts from the last hour are sent again, because a
 * missed call costs more than a second alert; older ones are canceled. Sessions and push devices are
 * removed, because someone who has been signed out must not be signed in again.
 */
export function cancelOldAlerts({ kysely }: Database, now: number) {
  return kysely.transaction().execute(async (trx) => {
    const old = trx
      .selectFrom('leads')
      .select('id')
      .where('received_at', '<', now - recentMs)
      // A lead from last night may not be due yet.
      .where((eb) => eb.or([eb('deadline_at', 'is', null), eb('deadline_at', '<', now)]))
    const phones = await trx.deleteFrom('push_devices').returning('id').execute()
    const cancelled = await trx
      .updateTable('deliveries')
      .set({ state: 'cancelled', cancel_reason: 'restored', settled_at: now })
      .where('state', '=', 'waiting')
      .where('channel', '!=', 'airtable')
      .where((eb) =>
        eb.or([
          eb('lead_id', 'in', old),
          ...phones.map((phone) => eb('channel', '=', nameDeviceChannel(phone))),
        ]),
      )
      .returning('lead_id')
      .execute()
    await trx
      .updateTable('leads')
      .set({ escalate_at: null })
      .where('id', 'in', old)
      // Keep reminders that are not due yet, such as one to call again tomorrow.
      .where('escalate_at', '<', now)
      .execute()
    await trx.deleteFrom('desk_sessions').execute()
    await trx.deleteFrom('desk_links').execute()
    // The processes that held these leases are gone.
    await trx.updateTable('deliveries').set({ leased_until: 0, lease_holder: null }).execute()
    await trx.updateTable('channels').set({ leased_until: 0, lease_holder: null }).execute()
    const { newestAt } = await trx
      .selectFrom('leads')
      .select((eb) => eb.fn.max<number | null>('received_at').as('newestAt'))
      .executeTakeFirstOrThrow()
    const cancelledLeads = [...new Set(cancelled.map(({ lead_id: id }) => id))]
    return { newestAt, cancelledLeads, phones: phones.length }
  })
}
