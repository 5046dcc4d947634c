import type { Kysely } from 'kysely'
import { waiting, writeDeliveries } from './deliveries.ts'
import { type Access, selectLiveSessions } from './live-sessions.ts'
import type { Database, Tables } from './tables.ts'

export type PushDevice = Awaited<ReturnType<typeof listDevices>>[number]

export const canNotify = ({ goneAt, isSignedIn }: PushDevice): boolean =>
  goneAt === null && isSignedIn

/** Returns the channel name of the device's deliveries. */
export const nameDeviceChannel = ({ id }: Pick<PushDevice, 'id'>): string =>
  `push-${id.slice(0, 8)}`

export const isOn = (device: PushDevice): boolean => canNotify(device) && device.schedule !== 'off'

export async function listDevices({ kysely }: Pick<Database, 'kysely'>, access: Access) {
  const live = selectLiveSessions(kysely, access).select(['id', 'email']).as('live')
  const rows = await kysely
    .selectFrom('push_devices')
    .leftJoin(live, 'live.id', 'session_id')
    .select([
      'push_devices.id',
      'session_id as sessionId',
      'endpoint',
      'p256dh',
      'auth',
      'person',
      'name',
      'schedule',
      'created_at as createdAt',
      'gone_at as goneAt',
      'shown_at as shownAt',
      'live.email',
    ])
    .orderBy('created_at')
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
  device: Omit<PushDevice, 'isSignedIn' | 'email'>,
): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    // A browser may register twice at the same time. SQLite runs one transaction at a time anyway.
    await trx
      .selectFrom('desk_sessions')
      .select('id')
      .where('id', '=', device.sessionId)
      .$if(engine === 'postgres', (query) => query.forUpdate())
      .execute()
    const replaced = await trx
      .deleteFrom('push_devices')
      .where((eb) =>
        eb.or([eb('session_id', '=', device.sessionId), eb('endpoint', '=', device.endpoint)]),
      )
      .returning('id')
      .execute()
    const others = replaced.filter(({ id }) => id !== device.id)
    await cancelNotifications(trx, others, device.createdAt)
    const { id, endpoint, p256dh, auth, person, name, schedule } = device
    await trx
      .insertInto('push_devices')
      .values({
        id,
        endpoint,
        p256dh,
        auth,
        person,
        name,
        schedule,
        session_id: device.sessionId,
        created_at: device.createdAt,
        gone_at: null,
        shown_at: null,
      })
      .execute()
  })
}

/** One setting at a time, so that a page with old data cannot reset the others. */
export type DeviceChange = Pick<PushDevice, 'name'> | Pick<PushDevice, 'schedule'>

/** Returns false if the device does not exist. */
export async function changeDevice(
  { kysely }: Database,
  id: string,
  change: DeviceChange,
): Promise<boolean> {
  const changed = await kysely
    .updateTable('push_devices')
    .set(change)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

/** Keeps the device in the list, so that the owner notices. */
export function markDeviceGone(
  { kysely }: Database,
  { id, endpoint }: PushDevice,
  now: number,
): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    const gone = await trx
      .updateTable('push_devices')
      .set({ gone_at: now })
      .where('id', '=', id)
      // The browser may have registered again with another address.
      .where('endpoint', '=', endpoint)
      .returning('id')
      .execute()
    await cancelNotifications(trx, gone, now)
  })
}

async function cancelNotifications(
  trx: Kysely<Tables>,
  devices: readonly { id: string }[],
  now: number,
): Promise<void> {
  if (devices.length === 0) return
  const channels = devices.map(nameDeviceChannel)
  const pending = await trx
    .selectFrom('deliveries')
    .select('lead_id')
    .distinct()
    .where('channel', 'in', channels)
    .where('state', '=', waiting)
    .orderBy('lead_id')
    .execute()
  // In this order, an event on several leads cannot cause a deadlock.
  for (const { lead_id: leadId } of pending)
    await trx
      .updateTable('deliveries')
      .set({ state: 'cancelled', cancel_reason: 'device-gone', settled_at: now })
      .where('lead_id', '=', leadId)
      .where('channel', 'in', channels)
      .where('state', '=', waiting)
      .execute()
}

/** Removes one device, that of a session, or all, and cancels their pending deliveries. */
export async function removeDevices(
  trx: Kysely<Tables>,
  which: { id: string } | { sessionId: string } | 'all',
  now: number,
): Promise<void> {
  let query = trx.deleteFrom('push_devices').returning('id')
  if (which !== 'all')
    query =
      'id' in which
        ? query.where('id', '=', which.id)
        : query.where('session_id', '=', which.sessionId)
  const removed = await query.execute()
  await cancelNotifications(trx, removed, now)
}

/** Replaces the notification on the devices that were notified of the lead. */
export async function notifyDevices(
  trx: Kysely<Tables>,
  leadId: string,
  now: number,
): Promise<void> {
  const devices = trx.selectFrom('push_devices').select('id').where('gone_at', 'is', null)
  const reachable = (await devices.execute()).map(nameDeviceChannel)
  if (reachable.length === 0) return
  const notified = await trx
    .selectFrom('deliveries')
    .select('channel')
    .distinct()
    .where('lead_id', '=', leadId)
    .where('channel', 'in', reachable)
    .where('attempts', '>', 0)
    .execute()
  const channels = notified.map(({ channel }) => channel)
  await writeDeliveries(trx, { leadId, channels, reason: 'called' }, now)
}

/** Keeps the device when its browser signs in again. */
export async function moveDevice(
  trx: Kysely<Tables>,
  from: string,
  { sessionId, person }: { sessionId: string; person: string },
): Promise<void> {
  await trx
    .updateTable('push_devices')
    .set({ session_id: sessionId, person })
    .where('session_id', '=', from)
    .execute()
}
