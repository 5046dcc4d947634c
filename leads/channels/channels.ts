import { type FaultLog, nameError } from '../log.ts'
import { listDevices, type PushDevice } from '../store/push-devices.ts'
import { airtable } from './airtable/airtable.ts'
import type { Channel, Context, LeadEvent, Recipient, SiteSettings } from './channel.ts'
import { email } from './email.ts'
import { push } from './push.ts'
import { sms } from './sms.ts'
import { webhook } from './webhook.ts'

/** Settings, planning, delivery, doctor, health, and reports loop over this list. */
export const channels = [airtable, email, sms, webhook, push] as const

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

/** The recipients of a channel; none while it is not set up. */
export async function findRecipients(
  channel: Channel,
  context: PlanningContext,
  event?: LeadEvent,
): Promise<Recipient[]> {
  const settings = findSettings(channel, context)
  return settings === undefined ? [] : channel.recipients({ ...context, settings }, event)
}

/** The names of a channel's recipients in the table of deliveries. */
export async function findNames(
  channel: Channel,
  context: PlanningContext,
  event?: LeadEvent,
): Promise<string[]> {
  // A delivery that never expires can wait until its channel is set up.
  if (channel.expiresAfterMs === null && findSettings(channel, context) === undefined)
    return [channel.kind]
  return (await findRecipients(channel, context, event)).map(({ name }) => name)
}

export const findSettings = ({ kind }: Channel, { env }: Pick<ChannelContext, 'env'>) =>
  (env as Partial<Record<string, unknown>>)[kind]

/** The recipients' labels by their names in the table of deliveries. */
export async function mapRecipients(context: PlanningContext): Promise<Map<string, string>> {
  const found = await Promise.all(channels.map((channel) => findRecipients(channel, context)))
  return new Map(found.flat().map(({ name, label }) => [name, label]))
}

/** The channel of a delivery. */
export const findChannel = (name: string): Channel | undefined =>
  channels.find(({ kind }) => name === kind || name.startsWith(`${kind}-`))

/** The recipient's hash could confirm a guess, so strangers see only the kind. */
export const findKind = (name: string): string => findChannel(name)?.kind ?? name

/**
 * Reads devices, one query at a time. After `timeoutMs`, or while the database cannot be read, it
 * returns the devices read before, because a lead must not wait for a notification.
 */
export function createDeviceReader(
  { db, env, now }: Pick<ChannelContext, 'db' | 'env' | 'now'>,
  faults: FaultLog,
): ChannelContext['readDevices'] {
  let known: readonly PushDevice[] = []
  let reading: Promise<void> | undefined
  const read = async () => {
    try {
      known = await listDevices(db, { ...env, now: now() })
      faults.clear('devices', 'devices can be read again')
    } catch (error) {
      const message = 'cannot read push devices; devices added since then get no notifications'
      faults.report('devices', { error: nameError(error) }, message)
    }
    reading = undefined
  }
  return async (timeoutMs) => {
    reading ??= read()
    if (timeoutMs === undefined) await reading
    else await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, timeoutMs))])
    return known
  }
}
