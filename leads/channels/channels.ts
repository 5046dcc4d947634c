import { setImmediate } from 'node:timers'
import { type FaultLog, nameError } from '../log.ts'
import { listDevices, type PushDevice } from '../store/push-devices.ts'
import { createPause } from '../timers.ts'
import { airtable } from './airtable/airtable.ts'
import type { Channel, Context, LeadEvent, Recipient, SiteSettings } from './channel-type.ts'
import { confirmation } from './confirmation.ts'
import { email } from './email.ts'
import { push } from './push.ts'
import { sms } from './sms.ts'
import { webhook } from './webhook.ts'

/** Settings, planning, delivery, doctor, health, and reports loop over this list. */
export const channels = [airtable, email, sms, webhook, push, confirmation] as const

export const wakingChannels = (channels as readonly Channel[]).filter(
  ({ wakesPhones }) => wakesPhones,
)

type Listed = (typeof channels)[number]
export type ChannelKind = Listed['kind']

export type ChannelSettings = {
  [One in Listed as One['kind']]: ReturnType<One['settings']['read']>
}

type UnionToIntersection<U> = (U extends unknown ? (one: U) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never

export type ChannelVariables = UnionToIntersection<Listed['settings']['variables']>

export type ChannelContext = Omit<Context<undefined>, 'settings' | 'env'> & {
  env: SiteSettings & ChannelSettings
}

type PlanningContext = Pick<ChannelContext, 'env' | 'now' | 'readDevices'>

/** Returns no recipients if the channel is not set up. */
export async function listRecipients(
  channel: Channel,
  context: PlanningContext,
  event?: LeadEvent,
): Promise<Recipient[]> {
  const settings = findSettings(channel, context)
  return settings === undefined ? [] : channel.recipients({ ...context, settings }, event)
}

/** Returns the channel names under which deliveries are stored. */
export async function listDestinations(
  channel: Channel,
  context: PlanningContext,
  event?: LeadEvent,
): Promise<Pick<Recipient, 'name' | 'isOffDuty'>[]> {
  // Deliveries that never expire are stored until their channel is set up.
  if (channel.expiresAfterMs === null && findSettings(channel, context) === undefined)
    return [{ name: channel.kind }]
  return listRecipients(channel, context, event)
}

export const findSettings = ({ kind }: Channel, { env }: Pick<ChannelContext, 'env'>) =>
  (env as Partial<Record<string, unknown>>)[kind]

/** Returns the recipients' labels by channel name. */
export async function mapRecipients(context: PlanningContext): Promise<Map<string, string>> {
  const found = await Promise.all(channels.map((channel) => listRecipients(channel, context)))
  return new Map(found.flat().map(({ name, label }) => [name, label]))
}

export const findChannel = (
  name: string,
  all: readonly Channel[] = channels,
): Channel | undefined => all.find(({ kind }) => name === kind || name.startsWith(`${kind}-`))

/** Whether the service or the recipient's phone confirms that a message arrived. */
export function confirmsArrival(name: string): boolean {
  const channel = findChannel(name)
  return Boolean(channel?.arrivesWhenSent || channel?.findArrival || channel?.phoneConfirms)
}

/** Omits the recipient's hash, which could confirm a guessed address. */
export const readLabel = (name: string): string => findChannel(name)?.label ?? name

/**
 * Reads devices, one query at a time. After `timeoutMs` or an error, returns the devices of the last
 * successful read, because a lead must not wait for a notification.
 */
export function createDeviceReader(
  { db, env, now, timers }: Pick<ChannelContext, 'db' | 'env' | 'now' | 'timers'>,
  faults: FaultLog,
): ChannelContext['readDevices'] {
  let known: readonly PushDevice[] = []
  let reading: Promise<void> | undefined
  const read = async () => {
    try {
      known = await listDevices(db, { ...env, now: now() })
      faults.clear('devices', 'can read push devices again')
    } catch (error) {
      const message = 'cannot read push devices; recently added devices get no notifications'
      faults.report('devices', { error: nameError(error) }, message)
    }
    // Leads that arrive in one turn of the event loop share a query.
    setImmediate(() => {
      reading = undefined
    })
  }
  // Do not wait for the first lead, because this query could fail then.
  void read()
  return async (timeoutMs) => {
    reading ??= read()
    if (timeoutMs === undefined) await reading
    else await Promise.race([reading, createPause(timers)(timeoutMs)])
    return known
  }
}
