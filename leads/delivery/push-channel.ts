import { describeRing, sendPush } from '../alerts/push.ts'
import type { Channel, ClaimedLead } from '../channel.ts'
import type { Env } from '../settings.ts'
import { listDevices, nameDevice, type PushDevice, strikeOffDevice } from '../store/push-devices.ts'
import { readVapidKeys } from '../store/vapid-keys.ts'
import type { ChannelDeps } from './channels.ts'

/** Every device that rings is a channel: one that cannot be reached holds up no other. */
export const listPushChannels = (
  devices: readonly PushDevice[],
  settings: Env,
  deps: ChannelDeps,
): Channel[] =>
  devices
    .filter(({ goneAt }) => goneAt === null)
    .map((device) => createPushChannel(device, settings, deps))

const createPushChannel = (
  device: PushDevice,
  { push, timeZone }: Env,
  { db, fetch, now }: ChannelDeps,
): Channel => ({
  name: nameDevice(device),
  // What was handed over and not recorded when a process is killed rings again: one at most.
  batchSize: 1,
  exclusive: false,
  restMs: 0,
  urgent: true,
  send: async (claimed, signal) => {
    const current = (await listDevices(db)).find(({ id }) => id === device.id)
    // Signed out or removed since: nobody there is to read another name.
    if (!current || current.goneAt !== null) return { outcomes: claimed.map(dropRing) }
    const settings = { ...push, vapid: await readVapidKeys(db, push.subject) }
    let longestHoldMs = 0
    const outcomes = await Promise.all(
      claimed.map(async ({ lead, occasion }) => {
        const ring = describeRing(lead, { now: now(), timeZone })
        const sent = await sendPush(ring, device, settings, { fetch, signal })
        const { gone, holdMs = 0, ...result } = sent
        if (gone) await strikeOffDevice(db, device.id, now())
        longestHoldMs = Math.max(longestHoldMs, holdMs)
        return { leadId: lead.id, occasion, ...result }
      }),
    )
    return { outcomes, holdMs: longestHoldMs }
  },
})

const dropRing = ({ lead, occasion }: ClaimedLead) => ({
  leadId: lead.id,
  occasion,
  ok: true as const,
  note: 'The device was removed.',
})
