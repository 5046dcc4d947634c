import type { Clock } from '#leads/clock.ts'
import type { Today, TodayLead } from '#leads/desk/today.ts'
import { isClosed, needsCall, readNeed } from '#leads/lead-state.ts'
import type { LeadCard, LeadInFull } from '#leads/reports/describe.ts'
import { minuteMs } from '#leads/time-units.ts'
import { count } from '#leads/words.ts'
import { computeCountdown } from './countdown.ts'
import { isCaller } from './me.ts'

/** Requests that share a phone number. */
export type Card = {
  /** The most urgent request, or the one whose screen is shown. */
  lead: LeadCard
  /**
   * The other requests. Includes closed ones only if all are closed. Undefined if the others are unknown, and on the
   * screen of a closed lead.
   */
  others?: readonly LeadCard[] | undefined
  /** The number of requests, including those that are not listed. */
  requests: number
}

export const listRequests = ({ lead, others = [] }: Card) => [lead, ...others]

/** Returns the highest number of unanswered calls for any request, because all requests share a phone number. */
export const countAttempts = (card: Card) =>
  Math.max(...listRequests(card).map(({ attempts }) => attempts))

/** Finds the card of a lead on Today. */
export function findCard(leads: readonly TodayLead[], leadId: string): Card | undefined {
  const lead = leads.find(({ id }) => id === leadId)
  if (!lead) return undefined
  const others = leads.filter((one) => one !== lead && one.card === lead.card)
  return { lead, others, requests: lead.requests }
}

/** Makes the card for a lead’s own screen. */
export function readCard(lead: LeadInFull): Card {
  const { sameNumber } = lead
  const others = isClosed(lead) ? undefined : sameNumber.filter((one) => !isClosed(one))
  return { lead, others, requests: 1 + (others?.length ?? 0) }
}

export const hasEmergency = (card: Card) =>
  listRequests(card).some(({ isEmergency }) => isEmergency)

const isBeingCalled = (lead: LeadCard) => readNeed(lead) === 'result'

/** Returns the request that someone is calling about, preferring your own call. */
export function findCall(requests: readonly LeadCard[], me: string): LeadCard | undefined {
  const calls = requests.filter(isBeingCalled)
  return calls.find((lead) => isCaller(lead, me)) ?? calls[0]
}

/** Returns the request that you are calling about. */
export function findOwnCall(card: Card, me: string): LeadCard | undefined {
  const call = findCall(listRequests(card), me)
  return call && isCaller(call, me) ? call : undefined
}

// Most calls are shorter, so after this time the caller may have forgotten to enter the result.
const callMs = 10 * minuteMs

/** True if the lead needs a call, unless a call to the same number began under 10 minutes ago and has no result. */
export const canCall = (card: Card, now: number) =>
  needsCall(card.lead) &&
  !listRequests(card).some((lead) => isBeingCalled(lead) && now - (lead.changedAt ?? now) < callMs)

const whenDue: Partial<Record<TodayLead['group'], TodayLead['group']>> = {
  waiting: 'toCall',
  burstLater: 'burst',
  later: 'due',
}

/** Regroups cards that have become due since the last response, in case there is no connection. */
export function passTime<Data extends Pick<Today, 'leads' | 'totals'>>(
  today: Data,
  now: number,
): Data {
  const moved = new Map<string, TodayLead['group']>()
  const totals = { ...today.totals }
  for (const [lead] of Map.groupBy(today.leads, ({ card }) => card).values()) {
    const to = lead && whenDue[lead.group]
    const dueAt = lead?.group === 'later' ? lead.callAgainAt : lead?.promiseStartAt
    if (!to || (dueAt ?? Number.POSITIVE_INFINITY) > now) continue
    moved.set(lead.card, to)
    totals[lead.group] -= 1
    totals[to] += 1
  }
  if (moved.size === 0) return today
  const leads = today.leads.map((lead) => ({ ...lead, group: moved.get(lead.card) ?? lead.group }))
  return { ...today, leads, totals }
}

/** Keeps the server's order of cards and of the requests on each card. */
export function groupCards(leads: readonly TodayLead[]) {
  const groups: Partial<Record<TodayLead['group'], Card[]>> = {}
  for (const [lead, ...others] of Map.groupBy(leads, ({ card }) => card).values())
    if (lead) {
      const list = groups[lead.group] ?? []
      groups[lead.group] = list
      list.push({ lead, others, requests: lead.requests })
    }
  return groups
}

/** Counts the homeowners to call now, including those whose lead is over a week late. */
export const countToCall = ({ toCall, due, burst, older }: Today['totals']) =>
  toCall + due + burst + older

/** Summarizes what’s left to do. A call without a result counts, because nobody has closed its lead. */
export function describeTotals(totals: Today['totals']): string {
  const toCall = countToCall(totals)
  const calls = totals.mine + totals.calling
  if (toCall > 0) return `${toCall} to call`
  return calls > 0 ? `${count(calls, 'call')} without a result` : 'All caught up'
}

/** Computes the countdown to the nearest deadline. One emergency makes the whole card an emergency. */
export function computeCardCountdown(card: Card, clock: Clock, me: string) {
  const lead = { ...card.lead, isEmergency: hasEmergency(card) }
  if (lead.status !== 'open') return computeCountdown(lead, clock, me)
  const open = listRequests(card).filter(({ status }) => status === 'open')
  const dueFirst = ({ deadlineAt }: LeadCard) => deadlineAt ?? Number.POSITIVE_INFINITY
  const nearest = open.reduce((a, b) => (dueFirst(b) < dueFirst(a) ? b : a), lead)
  const { promiseStartAt, deadlineAt } = nearest
  return computeCountdown({ ...lead, promiseStartAt, deadlineAt }, clock, me)
}

/** Example: “3 requests, 1 emergency”. */
export function describeRequests({ requests, ...card }: Card): string | undefined {
  if (requests < 2) return undefined
  const emergencies = listRequests({ requests, ...card }).filter(({ isEmergency }) => isEmergency)
  const which =
    emergencies.length > 0 ? `, ${count(emergencies.length, 'emergency', 'emergencies')}` : ''
  return `${requests} requests${which}`
}

/**
 * True if the requests may be from several people or about several roofs, such as a property manager's. Ignores
 * an empty name or address, because the crew may have added the lead without one.
 */
export const areDifferent = (card: Card): boolean => {
  const areSeveral = (texts: string[]) =>
    new Set(texts.map((text) => text.toLowerCase().replace(/\s+/g, ' ').trim()).filter(Boolean))
      .size > 1
  const requests = listRequests(card)
  return (
    areSeveral(requests.map(({ name, firstName }) => firstName && name)) ||
    areSeveral(requests.map(({ address }) => address))
  )
}

/** Example: “Karen Smith, Roof Repair, 12 Elm St”. */
export const nameRequest = ({ name, service, address }: LeadCard) =>
  [name, service, address].filter(Boolean).join(', ')
