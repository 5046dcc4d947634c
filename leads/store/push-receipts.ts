import type { DeliveryReason } from '../delivery-reason.ts'
import { isOn, nameDeviceChannel, type PushDevice } from './push-devices.ts'
import type { Database } from './tables.ts'

/** The deliveries that a notification stands for. A test has no leads. */
export type PushReceipt = { reason: DeliveryReason; leadIds: readonly string[] }

/** Records that the session's device showed a notification, and whether someone tapped it. */
export async function recordReceipt(
  { kysely }: Database,
  sessionId: string,
  { reason, leadIds, isTapped }: PushReceipt & { isTapped: boolean },
  now: number,
): Promise<void> {
  const device = await kysely
    .updateTable('push_devices')
    .set({ shown_at: now })
    .where('session_id', '=', sessionId)
    .returning('id')
    .executeTakeFirst()
  if (!device) return
  // Not in one transaction, because the sender may lock the same rows in another order.
  for (const leadId of leadIds)
    await kysely
      .updateTable('deliveries')
      .set((eb) => ({
        arrived_at: eb.fn.coalesce('arrived_at', eb.val(now)),
        ...(isTapped && { tapped_at: eb.fn.coalesce('tapped_at', eb.val(now)) }),
      }))
      // In any state, because the phone may report before the sender records its result.
      .where('channel', '=', nameDeviceChannel(device))
      .where('reason', '=', reason)
      .where('lead_id', '=', leadId)
      .execute()
}

const silentLeads = 3
// A phone may take a while to wake up.
const receiptMs = 60_000

/** Finds devices that confirmed none of their last 3 leads. Phones can drop a subscription unnoticed. */
export async function listSilentDevices(
  { kysely }: Database,
  devices: readonly PushDevice[],
  now: number,
): Promise<PushDevice[]> {
  const silent: PushDevice[] = []
  for (const device of devices.filter(isOn)) {
    const unconfirmed = await kysely
      .selectFrom('leads')
      .innerJoin('deliveries', 'lead_id', 'leads.id')
      .select('leads.id')
      .distinct()
      .where('received_at', '>', device.shownAt ?? device.createdAt)
      .where('channel', '=', nameDeviceChannel(device))
      .where('state', '=', 'sent')
      .where('settled_at', '<=', now - receiptMs)
      .limit(silentLeads)
      .execute()
    if (unconfirmed.length === silentLeads) silent.push(device)
  }
  return silent
}
