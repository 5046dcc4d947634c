import { setImmediate } from 'node:timers'
import type { Context } from '../context.ts'
import { createFaultLog, nameError } from '../log.ts'
import type { Env } from '../settings.ts'
import { listDevices, type PushDevice } from '../store/push-devices.ts'
import type { DeliveryState } from '../store/tables.ts'
import { createPause } from '../timers.ts'
import { airtable } from './airtable/airtable.ts'
import { eraseFromAirtable, listSetStatuses } from './airtable/send.ts'
import type { Channel, LeadEvent, Recipient } from './channel-type.ts'
import { confirmation } from './confirmation.ts'
import { email } from './email.ts'
import { push } from './push.ts'
import { sms } from './sms.ts'
import { webhook } from './webhook.ts'

/** Planning, delivery, doctor, health, and reports loop over this list. */
export const channels: readonly Channel[] = [airtable, email, sms, webhook, push, confirmation]

export const wakingChannels = channels.filter(({ wakesPhones }) => wakesPhones)

/** The channel whose service keeps a row of each lead, which the crew can change. */
export const rowChannel = { ...airtable, listSetStatuses, eraseRows: eraseFromAirtable }

export const rowRecipients = [rowChannel.kind]

/** Returns no recipients if the channel is not set up. */
export async function listRecipients(
  channel: Channel,
  context: Pick<Context, 'env' | 'readDevices'>,
  event?: LeadEvent,
): Promise<Recipient[]> {
  const settings = findSettings(channel, context)
  return settings === undefined ? [] : channel.recipients({ ...context, settings }, event)
}

/** Returns the recipients to store deliveries for. */
export async function listDestinations(
  channel: Channel,
  context: Pick<Context, 'env' | 'readDevices'>,
  event?: LeadEvent,
): Promise<Pick<Recipient, 'name' | 'isOffDuty' | 'owner'>[]> {
  // Deliveries that never expire are stored even before their channel is set up.
  if (channel.expiresAfterMs === null && findSettings(channel, context) === undefined)
    return [{ name: channel.kind }]
  return listRecipients(channel, context, event)
}

export const findSettings = ({ kind }: Channel, { env }: Pick<Context, 'env'>) =>
  (env as Partial<Record<string, unknown>>)[kind]

/** Returns the recipients' labels by name. */
export async function mapRecipients(context: Context): Promise<Map<string, string>> {
  const found = await Promise.all(channels.map((channel) => listRecipients(channel, context)))
  return new Map(found.flat().map(({ name, label }) => [name, label]))
}

/** The alert channels that the settings turn on. People turn on push notifications on the desk, for each device. */
export const listAlertKinds = ({ setUpKinds }: Pick<Env, 'setUpKinds'>): string[] =>
  channels
    .filter(({ isAlert, kind }) => isAlert && setUpKinds.includes(kind))
    .map(({ kind }) => kind)

export const findChannel = (
  recipient: string,
  all: readonly Channel[] = channels,
): Channel | undefined =>
  all.find(({ kind }) => recipient === kind || recipient.startsWith(`${kind}-`))

/** Returns true if a delivery waits until its channel is set up. The desk does not show such deliveries. */
export const waitsForSetup = (
  { recipient, state }: { recipient: string; state: DeliveryState },
  context: Context,
): boolean => {
  const channel = findChannel(recipient)
  return (
    state === 'waiting' && channel !== undefined && findSettings(channel, context) === undefined
  )
}

/** Returns true if the service or the recipient's phone confirms that a message arrived. */
export function confirmsArrival(recipient: string): boolean {
  const channel = findChannel(recipient)
  return Boolean(channel?.arrivesWhenSent || channel?.findArrival || channel?.phoneConfirms)
}

/** Omits the recipient's hash, which could confirm a guessed address. */
export const readLabel = (recipient: string): string => findChannel(recipient)?.label ?? recipient

/**
 * Reads devices, one query at a time. After `timeoutMs` or an error, returns the devices of the last
 * successful read, because a lead must not wait for a notification.
 */
export function createDeviceReader({
  db,
  env,
  now,
  timers,
  log,
}: Pick<Context, 'db' | 'env' | 'now' | 'timers' | 'log'>): Context['readDevices'] {
  const faults = createFaultLog(log)
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
  // Read the devices at startup, so that there is a fallback if the first lead's query fails.
  void read()
  return async (timeoutMs) => {
    reading ??= read()
    if (timeoutMs === undefined) await reading
    else await Promise.race([reading, createPause(timers)(timeoutMs)])
    return known
  }
}
