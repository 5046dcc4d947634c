import { createHash } from 'node:crypto'
import { type Env, noAlert } from '../settings.ts'
import { nameDevice, type PushDevice, ringsAtOnce } from '../store/push-devices.ts'

export type ReceiverSettings = Pick<Env, 'email' | 'sms' | 'webhook'>
export type Receiver = {
  kind: 'email' | 'webhook' | 'sms' | 'escalation-email' | 'escalation-sms'
  name: string
  formerName?: string
  to: string
}

/**
 * Every receiver is a channel: who got the alert does not get it again because another did not. It is
 * named by a hash, not by its place in the list, which an owner may change while alerts wait; and not
 * by the address, which belongs in no log.
 */
function nameReceivers(kind: Receiver['kind'], receivers: readonly string[] = []): Receiver[] {
  const named = receivers.map((to, at) => ({
    kind,
    name: `${kind}-${createHash('sha256').update(to.toLowerCase()).digest('hex').slice(0, 8)}`,
    formerName: at === 0 ? kind : `${kind}-${at + 1}`,
    to,
  }))
  return named.filter(({ name }, at) => named.findIndex((one) => one.name === name) === at)
}

export const listReceivers = ({ email, sms, webhook }: ReceiverSettings): Receiver[] => [
  ...nameReceivers('email', email?.to),
  ...(webhook ? [{ kind: 'webhook' as const, name: 'webhook', to: webhook.url }] : []),
  ...nameReceivers('sms', sms?.to),
  ...nameReceivers('escalation-email', email?.escalationTo),
  ...nameReceivers('escalation-sms', sms?.escalationTo),
]

/** All channels that somebody is behind; what waits for others waits for nobody. */
export const listKnown = (
  settings: ReceiverSettings,
  devices: readonly PushDevice[],
): ReadonlySet<string> =>
  new Set([
    'airtable',
    ...listReceivers(settings).map(({ name }) => name),
    ...devices.map(nameDevice),
  ])

/** Who is behind each channel, for the owner's eyes. Of a webhook only its host: the rest is secret. */
export const mapReceivers = (
  settings: ReceiverSettings,
  devices: readonly PushDevice[] = [],
): Map<string, string> =>
  new Map([
    ...listReceivers(settings).map(
      ({ kind, name, to }) => [name, kind === 'webhook' ? new URL(to).host : to] as const,
    ),
    ...devices.map((device) => [nameDevice(device), device.name] as const),
  ])

/** What is left to set up. Where a phone rings, somebody is told of a new lead without any alert. */
export const listNotSetUp = (
  { notSetUp }: Pick<Env, 'notSetUp'>,
  devices: readonly PushDevice[],
): string[] =>
  devices.some(ringsAtOnce)
    ? notSetUp.filter((sentence) => !sentence.startsWith(noAlert))
    : notSetUp

/** What a channel is without its receiver: a hash could still confirm a stranger's guess. */
export const kindOf = (channel: string): string => channel.replace(/-[0-9a-f]{8}$/, '')
