import { rowChannel } from '#leads/channels/channels.ts'
import { nameDeviceRecipient } from '#leads/store/push-devices.ts'
import type { Database } from '#leads/store/tables.ts'
import { hourMs } from '#leads/time-units.ts'

const recentMs = hourMs

/**
 * Deliveries that were pending in the backup may have been sent since. Airtable gets them again without
 * duplicates, because rows are matched by lead ID. Alerts about leads from the last hour are sent again, because a
 * late call costs more than a second alert. Alerts about older leads are canceled, unless the call is not due yet.
 * Sessions and push devices are removed, because someone who has been signed out must not be signed in again.
 */
export function cancelOldAlerts({ kysely }: Database, now: number) {
  return kysely.transaction().execute(async (trx) => {
    const old = trx
      .selectFrom('leads')
      .select('id')
      .where('receivedAt', '<', now - recentMs)
      // A lead from last night may not be due yet.
      .where((eb) => eb.or([eb('deadlineAt', 'is', null), eb('deadlineAt', '<', now)]))
    const phones = await trx.deleteFrom('pushDevices').returning('id').execute()
    const cancelled = await trx
      .updateTable('deliveries')
      .set({ state: 'cancelled', cancelReason: 'restored', settledAt: now })
      .where('state', '=', 'waiting')
      .where('isMessage', '=', 1)
      .where('recipient', '!=', rowChannel.kind)
      .where((eb) =>
        eb.or([
          eb('leadId', 'in', old),
          ...phones.map((phone) => eb('recipient', '=', nameDeviceRecipient(phone))),
        ]),
      )
      .returning('leadId')
      .execute()
    const overdue = await trx
      .deleteFrom('deliveries')
      .where('isMessage', '=', 0)
      .where('leadId', 'in', old)
      // Keep reminders that are not due yet, such as one to call again tomorrow.
      .where('dueAt', '<', now)
      .returning('leadId')
      .execute()
    await trx.deleteFrom('deskSessions').execute()
    await trx.deleteFrom('deskLinks').execute()
    // The processes that held these leases are gone, and may have sent today's digests.
    await trx.updateTable('recipients').set({ until: 0, holder: null, digestFrom: null }).execute()
    const restored = await trx
      .selectFrom('leads')
      .select(({ fn }) => [
        fn.countAll<number>().as('leads'),
        fn.max<number | null>('receivedAt').as('newestAt'),
      ])
      .executeTakeFirstOrThrow()
    const cancelledLeads = [...new Set([...cancelled, ...overdue].map(({ leadId }) => leadId))]
    return { ...restored, cancelledLeads, phones: phones.length }
  })
}
