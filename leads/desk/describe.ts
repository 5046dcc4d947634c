import { formatClock, formatDuration } from '../alerts/clock.ts'
import { readPhone } from '../alerts/phone.ts'
import { type Reason, readOccasion } from '../channel.ts'
import { kindOf } from '../delivery/receivers.ts'
import { promiseMs, type StoredLead, serviceTypes } from '../lead.ts'
import { makeSafe } from '../safe-text.ts'
import { describeSource } from '../source.ts'
import type { Delivery, LeadWithDeliveries } from '../store/reading.ts'
import { findTown } from '../town.ts'
import { nameChannel } from './format-report.ts'

/** What a list shows of a lead. */
export type LeadCard = ReturnType<typeof describeCard>
/** What the page of one lead shows. */
export type LeadInFull = ReturnType<typeof describeInFull>

export const describeCard = (lead: StoredLead) => ({
  id: lead.id,
  name: makeSafe(lead.name),
  phone: readPhone(lead.phone),
  service: lead.serviceType ? serviceTypes[lead.serviceType] : '',
  isEmergency: lead.serviceType === 'emergency',
  town: findTown(makeSafe(lead.address)),
  receivedAt: lead.receivedAt,
  /** Null: nothing is promised to what looks like a robot. */
  deadlineAt: lead.suspect ? null : lead.receivedAt + promiseMs,
  answeredAt: lead.answeredAt,
  answeredBy: lead.answeredBy,
  answeredName: lead.answeredName,
  outcome: lead.outcome,
  isSuspect: lead.suspect !== null,
})

type Words = { now: number; timeZone: string; receivers: ReadonlyMap<string, string> }

export const describeInFull = (lead: LeadWithDeliveries, words: Words) => ({
  ...describeCard(lead),
  email: makeSafe(lead.email),
  address: makeSafe(lead.address),
  mapUrl: `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(lead.address)}`,
  source: describeSource(lead.source),
  consent: lead.consent,
  suspicion: lead.suspect ? explainSuspicion(lead.suspect) : null,
  deliveries: lead.deliveries
    .filter(({ state }) => state !== 'cancelled')
    .map((delivery) => ({
      what: describeWhat(delivery, words),
      state: delivery.state,
      words: describeState(delivery, words),
      error: delivery.state === 'waiting' ? delivery.lastError : null,
      note: delivery.note,
    })),
})

export const explainSuspicion = (suspect: string): string =>
  ({
    trap: 'Perhaps a robot: it filled in a field that people do not see.',
    haste: 'Perhaps a robot: sent within a second of opening the page.',
  })[suspect] ?? suspect

function describeWhat({ channel, occasion }: Delivery, { receivers }: Words): string {
  const kind = nameChannel(kindOf(channel).replace('escalation-', ''))
  const to = receivers.get(channel)
  const { reason, minutes } = readOccasion(occasion)
  const about: Record<Reason, string> = {
    received: '',
    answered: ', who is calling',
    status: ', its Status',
    outcome: ', what became of it',
    missed: ', promise missed',
    unanswered: `, reminder after ${minutes} minutes`,
  }
  return `${kind}${to ? ` to ${to}` : ''}${about[reason]}`
}

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']

function describeState(delivery: Delivery, { now, timeZone }: Words): string {
  const { channel, state, attempts, settledAt, nextAttemptAt } = delivery
  if (state === 'sent') {
    const at = formatClock(settledAt ?? 0, { now, timeZone })
    return channel === 'airtable' ? `there since ${at}` : `sent at ${at}`
  }
  const tryName = `${ordinals[attempts] ?? `${attempts + 1}th`} try`
  const inMs = nextAttemptAt - now
  return inMs > 0 ? `${tryName} in ${formatDuration(inMs)}` : `${tryName} now`
}
