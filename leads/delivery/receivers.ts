import { createHash } from 'node:crypto'
import type { Env } from '../settings.ts'

export type Receivers = Pick<Env, 'email' | 'sms' | 'webhook'>
export type Receiver = { name: string; formerName: string; to: string }

/**
 * Every receiver is a channel: who got the alert does not get it again because another did not. It is
 * named by a hash, not by its place in the list, which an owner may turn round while alerts wait; and
 * not by the address, which belongs in no log.
 */
export function nameReceivers(kind: string, receivers: readonly string[] = []): Receiver[] {
  const named = receivers.map((to, at) => ({
    name: `${kind}-${createHash('sha256').update(to.toLowerCase()).digest('hex').slice(0, 8)}`,
    formerName: at === 0 ? kind : `${kind}-${at + 1}`,
    to,
  }))
  return named.filter(({ name }, at) => named.findIndex((one) => one.name === name) === at)
}

/** What a channel is without its receiver: a hash could still confirm a stranger's guess. */
export const kindOf = (channel: string): string => channel.replace(/-[0-9a-f]{8}$/, '')

/** Who stands behind each channel, for the owner's eyes. */
export const listReceivers = ({ email, sms, webhook }: Receivers): Map<string, string> =>
  new Map([
    ...[
      ...nameReceivers('email', email?.to),
      ...nameReceivers('escalation-email', email?.escalationTo),
      ...nameReceivers('sms', sms?.to),
      ...nameReceivers('escalation-sms', sms?.escalationTo),
    ].map(({ name, to }) => [name, to] as const),
    ...(webhook ? [['webhook', new URL(webhook.url).host] as const] : []),
  ])
