import type { ServiceType } from '../lead.ts'
import type { Env } from '../settings.ts'
import { nameDevice, type PushDevice } from '../store/push-devices.ts'
import { listReceivers, type Receiver, type ReceiverSettings } from './receivers.ts'
import { computeFirstReminderAt } from './reminder-steps.ts'

type Case = 'new' | 'suspect' | 'unanswered'

// A robot's lead may be a person's after all, so it is told; but it wakes nobody.
const hears: Record<Receiver['kind'], readonly Case[]> = {
  email: ['new', 'suspect'],
  webhook: ['new', 'suspect', 'unanswered'],
  sms: ['new'],
  'escalation-email': ['unanswered'],
  'escalation-sms': ['unanswered'],
}

const nameChannels = (settings: ReceiverSettings, one: Case): string[] =>
  listReceivers(settings)
    .filter(({ kind }) => hears[kind].includes(one))
    .map(({ name }) => name)

/** The channels that hear when nobody has called. */
export const listReminderChannels = (settings: ReceiverSettings): string[] =>
  nameChannels(settings, 'unanswered')

/** The devices that ring about a lead that has waited for so many minutes. */
export const listRinging = (
  devices: readonly PushDevice[],
  { minutes, isEmergency, now }: { minutes: number; isEmergency: boolean; now: number },
): string[] =>
  devices
    .filter(
      ({ goneAt, ringsFrom, quietUntil, emergenciesRing }) =>
        goneAt === null &&
        ringsFrom <= minutes &&
        (quietUntil <= now || (isEmergency && emergenciesRing)),
    )
    .map(nameDevice)

/**
 * Where a new lead goes, and when staff are first reminded. Airtable gets every lead, even if it is
 * set up only later: the row is the record. An alert is news: a channel set up later does not hear of
 * what came before.
 */
export function planDelivery(
  settings: ReceiverSettings & Pick<Env, 'escalateAfterMinutes'>,
  devices: readonly PushDevice[],
  { suspect, serviceType }: { suspect: string | null; serviceType: ServiceType | '' },
  now: number,
): { channels: string[]; escalateAt?: number } {
  if (suspect !== null) return { channels: ['airtable', ...nameChannels(settings, 'suspect')] }
  return {
    channels: [
      'airtable',
      ...nameChannels(settings, 'new'),
      ...listRinging(devices, { minutes: 0, isEmergency: serviceType === 'emergency', now }),
    ],
    escalateAt: computeFirstReminderAt(now, settings.escalateAfterMinutes),
  }
}
