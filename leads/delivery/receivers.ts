import { createHash } from 'node:crypto'
import type { Env } from '../settings.ts'

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

/** Who is behind each channel, for the owner's eyes. Of a webhook only its host: the rest is secret. */
export const mapReceivers = (settings: ReceiverSettings): Map<string, string> =>
  new Map(
    listReceivers(settings).map(({ kind, name, to }) => [
      name,
      kind === 'webhook' ? new URL(to).host : to,
    ]),
  )

/** What a channel is without its receiver: a hash could still confirm a stranger's guess. */
export const kindOf = (channel: string): string => channel.replace(/-[0-9a-f]{8}$/, '')
