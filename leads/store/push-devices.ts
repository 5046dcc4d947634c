import { type Kysely, sql } from 'kysely'
import { minuteMs } from '../time-units.ts'
import { type Hurry, hurryFirstReminder, lockLeads, repeatQuestion } from './crew-rows.ts'
import { waiting, writeDeliveries } from './deliveries.ts'
import { type Access, selectLiveSessions } from './sign-in.ts'
import type { Database, Tables } from './tables.ts'

export type PushDevice = Awaited<ReturnType<typeof listDevices>>[number]

export const canNotify = ({ goneAt, isSignedIn }: PushDevice): boolean =>
  goneAt === null && isSignedIn

export const nameDeviceRecipient = ({ id }: Pick<PushDevice, 'id'>): string =>
  `push-${id.slice(0, 8)}`

export const isOn = (device: PushDevice): boolean => canNotify(device) && device.schedule !== 'off'

export async function listDevices({ kysely }: Pick<Database, 'kysely'>, access: Access) {
  const live = selectLiveSessions(kysely, access).select(['id', 'email']).as('live')
  const rows = await kysely
    .selectFrom('pushDevices')
    .leftJoin(live, 'live.id', 'sessionId')
    .selectAll('pushDevices')
    .select('live.email')
    .orderBy('createdAt')
    .execute()
  return rows.map((row) => ({
    ...row,
    /** Send homeowners' names only to devices with an active session. */
    isSignedIn: row.email !== null,
  }))
}

/** A browser has one device: a new registration replaces the old one. */
export function saveDevice(
  { engine, kysely }: Database,
  device: Omit<PushDevice, 'isSignedIn' | 'email' | 'goneAt' | 'shownAt'>,
): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    // Lock the session, because a browser may register twice at the same time. SQLite has one writer anyway.
    await trx
      .selectFrom('deskSessions')
      .select('id')
      .where('id', '=', device.sessionId)
      .$if(engine === 'postgres', (query) => query.forUpdate())
      .execute()
    await trx
      .deleteFrom('pushDevices')
      .where((eb) =>
        eb.or([eb('sessionId', '=', device.sessionId), eb('endpoint', '=', device.endpoint)]),
      )
      .execute()
    const { id, sessionId, endpoint, p256dh, auth, person, name, schedule, createdAt } = device
    await trx
      .insertInto('pushDevices')
      .values({ id, sessionId, endpoint, p256dh, auth, person, name, schedule, createdAt })
      .execute()
  })
}

/** A change contains only one setting so that a page with old data cannot reset the others. */
export type DeviceChange = Pick<PushDevice, 'name'> | Pick<PushDevice, 'schedule'>

/** Returns false if the device does not exist. */
export async function changeDevice(
  { kysely }: Database,
  id: string,
  change: DeviceChange,
): Promise<boolean> {
  const changed = await kysely
    .updateTable('pushDevices')
    .set(change)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

/** Keeps the device in the list so that the owner sees the problem. */
export async function markDeviceGone(
  { kysely }: Database,
  { id, endpoint }: PushDevice,
  now: number,
): Promise<void> {
  await kysely
    .updateTable('pushDevices')
    .set({ goneAt: now })
    .where('id', '=', id)
    // The browser may have registered again with another endpoint.
    .where('endpoint', '=', endpoint)
    .execute()
}

/**
 * Cancels the pending notifications of devices that are gone or removed. If no other phone gets the alert about a lead,
 * makes the lead's first reminder due now. Repeats a canceled question about a call.
 */
export async function cancelLostNotifications(
  { engine, kysely }: Database,
  options: Hurry,
): Promise<void> {
  const isLost = sql<boolean>`recipient like 'push-%' and state = ${waiting} and not exists (
    select 1 from push_devices where gone_at is null and 'push-' || substr(id, 1, 8) = recipient)`
  const select = kysely.selectFrom('deliveries').select('leadId').distinct().where(isLost)
  const ids = (await select.execute()).map(({ leadId }) => leadId)
  if (ids.length === 0) return
  await kysely.transaction().execute(async (trx) => {
    // Change rows in the order of their leads, as events do, to prevent deadlocks.
    for (const lead of await lockLeads({ engine, trx }, ids)) {
      const cancelled = await trx
        .updateTable('deliveries')
        .set({ state: 'cancelled', cancelReason: 'device-gone', settledAt: options.now })
        .where('leadId', '=', lead.id)
        .where(isLost)
        .returning('reason')
        .execute()
      const reasons = cancelled.map(({ reason }) => reason)
      if (reasons.includes('received')) await hurryFirstReminder(trx, lead, options)
      if (reasons.includes('unresolved')) await repeatQuestion(trx, lead.id, options.now)
    }
  })
}

export async function removeDevice({ kysely }: Database, id: string): Promise<void> {
  await kysely.deleteFrom('pushDevices').where('id', '=', id).execute()
}

/** Replaces the notification on the devices that were notified of the lead. */
export async function notifyDevices(
  trx: Kysely<Tables>,
  leadId: string,
  now: number,
): Promise<void> {
  const devices = trx.selectFrom('pushDevices').select('id').where('goneAt', 'is', null)
  const reachable = (await devices.execute()).map(nameDeviceRecipient)
  if (reachable.length === 0) return
  const notified = await trx
    .selectFrom('deliveries')
    .select('recipient')
    .distinct()
    .where('leadId', '=', leadId)
    .where('recipient', 'in', reachable)
    .where('attempts', '>', 0)
    .execute()
  const recipients = notified.map(({ recipient }) => recipient)
  await writeDeliveries(trx, { leadId, recipients, reason: 'called' }, now)
}

/** Records that the session's device showed a notification, and whether someone tapped it. */
export async function recordReceipt(
  { kysely }: Database,
  sessionId: string,
  { messageId, isTapped }: { messageId: string; isTapped: boolean },
  now: number,
): Promise<void> {
  const device = await kysely
    .updateTable('pushDevices')
    .set({ shownAt: now })
    .where('sessionId', '=', sessionId)
    .returning('id')
    .executeTakeFirst()
  if (!device) return
  const shown = await kysely
    .selectFrom('deliveries')
    .select(['leadId', 'reason'])
    .where('messageId', '=', messageId)
    .where('recipient', '=', nameDeviceRecipient(device))
    .execute()
  // Not in one transaction, because the sender may lock the same rows in a different order.
  for (const { leadId, reason } of shown)
    await kysely
      .updateTable('deliveries')
      .set((eb) => ({
        arrivedAt: eb.fn.coalesce('arrivedAt', eb.val(now)),
        ...(isTapped && { tappedAt: eb.fn.coalesce('tappedAt', eb.val(now)) }),
      }))
      // Update deliveries in any state, because the phone may report before the sender records its result.
      .where('leadId', '=', leadId)
      .where('recipient', '=', nameDeviceRecipient(device))
      .where('reason', '=', reason)
      .where('messageId', '=', messageId)
      .execute()
}

const silentAlerts = 3
// How long a phone may take to wake up and confirm a notification.
const receiptMs = minuteMs

/** Finds devices that confirmed none of their last 3 alerts. A phone can drop its subscription without notice. */
export async function listSilentDevices(
  { kysely }: Database,
  devices: readonly PushDevice[],
  now: number,
): Promise<PushDevice[]> {
  const silent: PushDevice[] = []
  for (const device of devices.filter(isOn)) {
    const unconfirmed = await kysely
      .selectFrom('leads')
      .innerJoin('deliveries', 'leadId', 'leads.id')
      // Count notifications, because several leads may share one. Ignore reminders, which are about the same leads.
      .select('messageId')
      .distinct()
      .where('reason', '=', 'received')
      .where('receivedAt', '>', device.shownAt ?? device.createdAt)
      .where('recipient', '=', nameDeviceRecipient(device))
      .where('state', '=', 'sent')
      .where('settledAt', '<=', now - receiptMs)
      .limit(silentAlerts)
      .execute()
    if (unconfirmed.length === silentAlerts) silent.push(device)
  }
  return silent
}
