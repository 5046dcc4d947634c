import { formatDuration } from '#leads/alerts/clock.ts'
import { type Reason, readOccasion } from '#leads/channel.ts'
import { kindOf } from '#leads/delivery/receivers.ts'
import { explainSuspicion } from '#leads/desk/describe.ts'
import { promiseMs, serviceTypes } from '#leads/lead.ts'
import { makeSafe } from '#leads/safe-text.ts'
import { describeSource, explainSource } from '#leads/source.ts'
import type { Delivery, LeadWithDeliveries } from '#leads/store/reading.ts'
import type { Deps, LeadsDeps } from './leads-command.ts'
import { count } from './terminal.ts'

export function describeLead(lead: LeadWithDeliveries, deps: Deps): string {
  const lines = [
    ['Lead ID', lead.id],
    ['Received', formatTime(lead.receivedAt, deps)],
    ['Name', lead.name],
    ['Phone', lead.phone],
    ['Email', lead.email],
    ['Address', lead.address],
    ['Service', labelOf(lead) || '(not said)'],
    ['From', describeSourceInFull(lead.source)],
    ...(lead.suspect ? [['Suspect', explainSuspicion(lead.suspect)]] : []),
    ...(lead.consent ? [['Consent', `version ${lead.consent}`]] : []),
    ['Answered', describeAnswer(lead, deps)],
    ...lead.deliveries.flatMap((delivery) => describeDelivery(delivery, deps)),
  ]
  const width = Math.max(...lines.map(([what = '']) => what.length)) + 2
  return lines.map(([what = '', text = '']) => `${what.padEnd(width)}${makeSafe(text)}\n`).join('')
}

/** The name, and in brackets what the visitor's link and browser said. */
function describeSourceInFull(source: string | null) {
  const said = [...new URLSearchParams(source ?? '')].map(([part, value]) => `${part} ${value}`)
  return describeSource(source) + (said.length > 0 ? ` (${said.join(', ')})` : '')
}

function describeAnswer({ receivedAt, answeredAt, answeredBy }: LeadWithDeliveries, deps: Deps) {
  if (answeredAt === null) return 'not yet'
  const where = answeredBy === 'airtable' ? ', in Airtable' : ''
  return `${formatTime(answeredAt, deps)}, after ${formatDuration(answeredAt - receivedAt)}${where}`
}

function describeDelivery(delivery: Delivery, deps: Deps): string[][] {
  const { channel, occasion, state, attempts, settledAt, nextAttemptAt, lastError, note } = delivery
  const tried = `tried ${count(attempts, 'time')}`
  const { reason, minutes } = readOccasion(occasion)
  const about: Record<Reason, string> = {
    received: '',
    answered: 'the answer, ',
    status: 'the Status, ',
    outcome: 'what became of it, ',
    missed: 'promise missed, ',
    unanswered: `reminder after ${minutes} min, `,
  }
  const waits = isGone(channel, deps)
    ? ' for a receiver who is gone'
    : `, next try ${formatTime(nextAttemptAt, deps)}`
  const states = {
    sent: `sent ${formatTime(settledAt ?? 0, deps)} (${tried})`,
    waiting: `waits (${tried})${waits}`,
    cancelled: 'not sent',
  }
  return [
    [describeChannel(channel, deps), about[reason] + states[state]],
    ...(note ? [['', note]] : []),
    ...(lastError
      ? [['', `${state === 'sent' ? 'Earlier error' : 'Last error'}: ${lastError}`]]
      : []),
  ]
}

/** The receiver in plain words, where it is known. */
export function describeChannel(channel: string, { receivers }: Pick<Deps, 'receivers'>): string {
  const receiver = receivers?.get(channel)
  return receiver === undefined ? channel : `${kindOf(channel)} to ${receiver}`
}

/** What waits for it would wait forever: nobody sends it any more. Airtable may be set up later. */
export const isGone = (channel: string, { receivers }: Pick<Deps, 'receivers'>): boolean =>
  channel !== 'airtable' && receivers !== undefined && !receivers.has(channel)

/** Whether somebody has called, which is what the owner looks for first. */
export function describeCall({ answeredAt, receivedAt, suspect }: LeadWithDeliveries, now: number) {
  const toMinutes = (ms: number) => Math.max(0, Math.floor(ms / 60_000))
  if (answeredAt !== null) return `${toMinutes(answeredAt - receivedAt)} min`
  if (suspect) return 'suspect'
  const leftMs = receivedAt + promiseMs - now
  return leftMs > 0 ? `${toMinutes(leftMs)} min left` : 'NOT YET'
}

export function describeBriefly({ channel, state, attempts }: Delivery): string {
  const kind = kindOf(channel)
  if (state === 'sent') return `${kind} ✓`
  return attempts === 0 ? `${kind} waits` : `${kind} waits (tried ${attempts}×)`
}

export const labelOf = ({ serviceType }: LeadWithDeliveries) =>
  serviceType ? serviceTypes[serviceType] : ''

export function formatTime(at: number, { timeZone }: Pick<LeadsDeps, 'timeZone'>): string {
  // Sweden writes 2026-11-15 12:00, which everybody reads and which sorts.
  return new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'short',
    ...(timeZone && { timeZone }),
  }).format(at)
}

/** For the table, where every column counts: the year only when it is another. */
export function formatShortTime(at: number, deps: Pick<LeadsDeps, 'timeZone' | 'now'>): string {
  const full = formatTime(at, deps)
  if (full.slice(0, 4) !== formatTime(deps.now(), deps).slice(0, 4)) return full
  return new Intl.DateTimeFormat('en-US', {
    month: 'short',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    ...(deps.timeZone && { timeZone: deps.timeZone }),
  }).format(at)
}

export const toIso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

export const toJson = ({
  deliveries,
  receivedAt,
  answeredAt,
  source,
  ...lead
}: LeadWithDeliveries) => ({
  ...lead,
  source: explainSource(source),
  receivedAt: toIso(receivedAt),
  answeredAt: toIso(answeredAt),
  deliveries: deliveries.map(({ nextAttemptAt, createdAt, settledAt, ...delivery }) => ({
    ...delivery,
    createdAt: toIso(createdAt),
    nextAttemptAt: delivery.state === 'waiting' ? toIso(nextAttemptAt) : null,
    settledAt: toIso(settledAt),
  })),
})
