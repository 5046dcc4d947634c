import type { Kysely } from 'kysely'
import { moveWaiting } from './receivers.ts'
import { type Database, type Tables, writeDeliveries } from './tables.ts'

export type PushDevice = {
  id: string
  sessionId: string
  endpoint: string
  p256dh: string
  auth: string
  person: string
  name: string
  /** After how many minutes without an answer it begins to ring; 0: at once. */
  ringsFrom: number
  quietUntil: number
  emergenciesRing: boolean
  createdAt: number
  /** When its push service said that there is no such device. */
  goneAt: number | null
}

/** Named like every receiver's channel: by its kind and eight letters. */
export const nameDevice = ({ id }: Pick<PushDevice, 'id'>): string => `push-${id.slice(0, 8)}`

/** Whether it tells of a new lead, and not only of one that waits. */
export const ringsAtOnce = ({ goneAt, ringsFrom }: PushDevice): boolean =>
  goneAt === null && ringsFrom === 0

export async function listDevices({ kysely }: Pick<Database, 'kysely'>): Promise<PushDevice[]> {
  const rows = await kysely
    .selectFrom('push_devices')
    .select([
      'id',
      'session_id as sessionId',
      'endpoint',
      'p256dh',
      'auth',
      'person',
      'name',
      'rings_from as ringsFrom',
      'quiet_until as quietUntil',
      'emergencies_ring as emergenciesRing',
      'created_at as createdAt',
      'gone_at as goneAt',
    ])
    .orderBy('created_at')
    .execute()
  return rows.map((row) => ({ ...row, emergenciesRing: row.emergenciesRing === 1 }))
}

/** A browser has one device: what it registers replaces what it had, and takes over what waits. */
export function saveDevice({ kysely }: Database, device: PushDevice): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    const replaced = await trx
      .deleteFrom('push_devices')
      .where((eb) =>
        eb.or([eb('session_id', '=', device.sessionId), eb('endpoint', '=', device.endpoint)]),
      )
      .returning('id')
      .execute()
    for (const one of replaced)
      await moveWaiting(trx, nameDevice(one), nameDevice(device)).execute()
    // What two of them were to ring for is left over.
    if (replaced.length > 1) await cancelRings(trx, replaced, device.createdAt)
    const { id, endpoint, p256dh, auth, person, name } = device
    await trx
      .insertInto('push_devices')
      .values({
        ...{ id, endpoint, p256dh, auth, person, name },
        session_id: device.sessionId,
        rings_from: device.ringsFrom,
        quiet_until: device.quietUntil,
        emergencies_ring: device.emergenciesRing ? 1 : 0,
        created_at: device.createdAt,
        gone_at: null,
      })
      .execute()
  })
}

export type DeviceChanges = Pick<
  PushDevice,
  'name' | 'ringsFrom' | 'quietUntil' | 'emergenciesRing'
>

/** False when there is no such device. */
export async function changeDevice(
  { kysely }: Database,
  id: string,
  { name, ringsFrom, quietUntil, emergenciesRing }: DeviceChanges,
): Promise<boolean> {
  const changed = await kysely
    .updateTable('push_devices')
    .set({
      name,
      rings_from: ringsFrom,
      quiet_until: quietUntil,
      emergencies_ring: emergenciesRing ? 1 : 0,
    })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  return changed !== undefined
}

/** It rings no more, and stays in the list until somebody has seen that. */
export function strikeOffDevice({ kysely }: Database, id: string, now: number): Promise<void> {
  return kysely.transaction().execute(async (trx) => {
    await trx.updateTable('push_devices').set({ gone_at: now }).where('id', '=', id).execute()
    await cancelRings(trx, [{ id }], now)
  })
}

async function cancelRings(trx: Kysely<Tables>, devices: readonly { id: string }[], now: number) {
  await trx
    .updateTable('deliveries')
    .set({ state: 'cancelled', settled_at: now, note: 'The device rings no more.' })
    .where('channel', 'in', devices.map(nameDevice))
    .where('state', '=', 'waiting')
    .execute()
}

/** Removes a device, or those of a session, or all; what waits for them goes to nobody. */
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
  if (removed.length > 0) await cancelRings(trx, removed, now)
}

/** Lets the devices that rang for a lead know that somebody is on it. */
export async function tellDevices(trx: Kysely<Tables>, leadId: string, now: number): Promise<void> {
  const rung = await trx
    .selectFrom('deliveries')
    .select('channel')
    .distinct()
    .where('lead_id', '=', leadId)
    .where('channel', 'like', 'push-%')
    .where('attempts', '>', 0)
    .execute()
  if (rung.length === 0) return
  const there = await trx
    .selectFrom('push_devices')
    .select('id')
    .where('gone_at', 'is', null)
    .execute()
  const names = new Set(there.map(nameDevice))
  const channels = rung.map(({ channel }) => channel).filter((channel) => names.has(channel))
  await writeDeliveries(trx, { leadId, channels, occasion: 'answered' }, now)
}

/** Another session of the same browser: its device goes on ringing. */
export async function moveDevices({ kysely }: Database, from: string, to: string): Promise<void> {
  await kysely
    .updateTable('push_devices')
    .set({ session_id: to })
    .where('session_id', '=', from)
    .execute()
}
