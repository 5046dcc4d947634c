import { findChannel } from '../channels/channels.ts'
import { formatClock, formatDuration } from '../clock.ts'
import { findPromiseStart } from '../deadline.ts'
import { type ReasonKind, readReason } from '../delivery-reason.ts'
import { findTown, listShown, readField, readPhone } from '../field-outputs.ts'
import type { StoredLead } from '../lead.ts'
import { keepVisible, makeSafe } from '../safe-text.ts'
import { describeSource } from '../source.ts'
import type { Delivery, LeadWithDeliveries } from '../store/reading.ts'

export type LeadCard = ReturnType<typeof describeCard>
export type LeadInFull = ReturnType<typeof describeInFull>

export const describeCard = (lead: StoredLead) => ({
  id: lead.id,
  name: keepVisible(lead.name) ? makeSafe(lead.name) : 'No name',
  phone: readPhone(lead.phone),
  service: readField(lead, 'serviceType'),
  isEmergency: lead.serviceType === 'emergency',
  town: findTown(makeSafe(lead.address)),
  receivedAt: lead.receivedAt,
  deadlineAt: lead.deadlineAt,
  answeredAt: lead.answeredAt,
  answeredBy: lead.answeredBy,
  answeredName: lead.answeredName,
  outcome: lead.outcome,
  callAttempts: lead.callAttempts,
  callAgainAt: lead.callAgainAt,
  isSuspect: lead.suspect !== null,
})

type Options = {
  now: number
  timeZone: string
  /** Labels by channel name. */
  recipients: ReadonlyMap<string, string>
}

export const describeInFull = (lead: LeadWithDeliveries, options: Options) => ({
  ...describeCard(lead),
  fields: listShown(lead, 'desk'),
  mapUrl: `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(lead.address)}`,
  source: describeSource(lead.source),
  consent: lead.consent,
  suspicion: lead.suspect ? explainSuspicion(lead.suspect) : null,
  deliveries: lead.deliveries
    .filter(({ state }) => state !== 'cancelled')
    .map((delivery) => ({
      what: describeWhat(delivery, lead.deadlineAt ?? 0, options),
      state: delivery.state,
      status: describeState(delivery, options),
      error: delivery.state === 'sent' ? null : delivery.lastError,
      note: delivery.note,
    })),
})

const explainSuspicion = (suspect: string): string =>
  ({
    trap: 'A field that people cannot see was filled in.',
    'too-fast': 'Sent within a second of opening the page.',
  })[suspect] ?? suspect

function describeWhat(
  { channel, reason, dueAt }: Delivery,
  deadlineAt: number,
  { recipients }: Options,
): string {
  const label = findChannel(channel)?.label ?? channel
  const to = recipients.get(channel)
  const { kind: reasonKind, minutes } = readReason(reason)
  const isEarly = dueAt < findPromiseStart(deadlineAt) + Number(minutes) * 60_000
  const about: Record<ReasonKind, string> = {
    received: '',
    answered: ', call started',
    outcome: ', status update',
    missed: ', missed deadline',
    again: ', reminder to call again',
    unreached: ', no answer',
    unanswered: isEarly ? ', early reminder' : `, reminder after ${minutes} minutes`,
  }
  return `${label}${to ? ` to ${to}` : ''}${about[reasonKind]}`
}

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']

function describeState(delivery: Delivery, { now, timeZone }: Options): string {
  const { channel, state, attempts, settledAt, nextAttemptAt } = delivery
  if (state === 'sent') {
    const at = formatClock(settledAt ?? 0, { now, timeZone })
    return channel === 'airtable' ? `delivered at ${at}` : `sent at ${at}`
  }
  if (state === 'expired')
    return `not delivered, stopped trying at ${formatClock(settledAt ?? 0, { now, timeZone })}`
  const ordinal = ordinals[attempts]
  const tryName = ordinal ? `${ordinal} try` : `try ${attempts + 1}`
  const inMs = nextAttemptAt - now
  if (attempts === 0 && inMs <= 0) return 'not sent yet'
  return inMs > 0 ? `${tryName} in ${formatDuration(inMs)}` : `${tryName} now`
}
