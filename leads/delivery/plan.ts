import type { Env } from '../settings.ts'
import { listReceivers, type Receiver, type ReceiverSettings } from './receivers.ts'
import { computeFirstReminderAt } from './reminder-steps.ts'

const nameChannels = (settings: ReceiverSettings, kinds: readonly Receiver['kind'][]): string[] =>
  listReceivers(settings)
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ name }) => name)

/** The channels that hear when nobody has called. */
export const listReminderChannels = (settings: ReceiverSettings): string[] =>
  nameChannels(settings, ['escalation-email', 'escalation-sms', 'webhook'])

/**
 * Where a new lead goes, and when staff are first reminded. Airtable gets every lead, even if it is
 * set up only later: the row is the record. An alert is news: a channel set up later does not hear of
 * what came before.
 */
export function planDelivery(
  settings: ReceiverSettings & Pick<Env, 'escalateAfterMinutes'>,
  { suspect }: { suspect: string | null },
  now: number,
): { channels: string[]; escalateAt?: number } {
  // A robot's lead may be a person's after all, so it is told; but it wakes nobody.
  if (suspect !== null)
    return { channels: ['airtable', ...nameChannels(settings, ['email', 'webhook'])] }
  return {
    channels: ['airtable', ...nameChannels(settings, ['email', 'webhook', 'sms'])],
    escalateAt: computeFirstReminderAt(now, settings.escalateAfterMinutes),
  }
}
