import {
  formatAgo,
  formatOpening,
  formatShortClock,
  formatShortDuration,
  formatTries,
} from '#leads/clock.ts'
import { isDueAgain, measureWait } from '#leads/deadline.ts'
import type { Today } from '#leads/desk/today.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { capitalize, chooseWords } from '#leads/words.ts'
import { isCaller } from './me.ts'

export type Mood =
  | 'waiting'
  | 'calm'
  | 'soon'
  | 'urgent'
  | 'late'
  | 'calling'
  | 'done'
  | 'not-a-lead'
  | 'suspect'

export const isOpen = ({ status }: Pick<LeadCard, 'status'>) => status === 'open'

/** Returns true if someone may claim the first call, or the next one after a call without an answer. */
export const canCall = (lead: LeadCard) => isOpen(lead) || lead.status === 'call-again'

/** When the time for the call starts, if that is when the company next opens. */
export function computeOpening(lead: LeadCard, now: number): number | undefined {
  const opensAt = lead.promiseStartAt ?? 0
  return opensAt > now && opensAt > lead.receivedAt ? opensAt : undefined
}

export type Countdown = { mood: Mood; text: string; shareLeft: number; minutesLeft: number }

export function computeCountdown(lead: LeadCard, now: number, me: string): Countdown {
  const { promiseStartAt, deadlineAt, status } = lead
  const over = { shareLeft: 0, minutesLeft: 0 }
  const call = capitalize(chooseWords(lead).call)
  if (status === 'not-a-lead') return { mood: status, text: 'Not a lead', ...over }
  if (status === 'done') return { mood: status, text: `Done: ${describeCall(lead)}`, ...over }
  if (status === 'calling') {
    if (isCalledInAirtable(lead)) return { mood: 'done', text: describeCall(lead), ...over }
    return { mood: status, text: describeCalling(lead, now, me), ...over }
  }
  if (status === 'call-again') {
    const text = `No answer (${formatTries(lead.attempts)}). ${describeCallAgain(lead, now)}`
    return { mood: isDueAgain(lead, now) ? 'soon' : 'waiting', text, shareLeft: 1, minutesLeft: 0 }
  }
  if (promiseStartAt === null || deadlineAt === null)
    return { mood: 'suspect', text: 'Possible spam', ...over }
  const leftMs = deadlineAt - now
  if (leftMs <= 0) return { mood: 'late', text: `${formatShortDuration(-leftMs)} late`, ...over }
  if (computeOpening(lead, now))
    return { mood: 'waiting', text: `${call} by ${formatShortClock(deadlineAt, now)}`, ...over }
  const shareLeft = Math.min(1, leftMs / (deadlineAt - promiseStartAt))
  const mood = shareLeft > 0.6 ? 'calm' : shareLeft > 0.2 ? 'soon' : 'urgent'
  return {
    mood,
    text:
      mood === 'urgent'
        ? `${call} now: ${formatSeconds(leftMs)} left`
        : `${formatShortDuration(leftMs)} left`,
    shareLeft,
    minutesLeft: Math.floor(Math.round(leftMs / 1_000) / 60),
  }
}

/** Call again now, at 2:10 PM, tomorrow at 7:00 AM, on Monday at 7:00 AM. */
export function describeCallAgain(lead: LeadCard, now: number) {
  const { callAgainAt } = lead
  const call = capitalize(chooseWords(lead).call)
  if (callAgainAt === null || isDueAgain(lead, now)) return `${call} again now.`
  const day = formatOpening(callAgainAt, now)
  const time = `at ${formatShortClock(callAgainAt, callAgainAt)}`
  return `${call} again ${day === time ? time : `${day} ${time}`}.`
}

const longCallMs = 60 * 60_000

function describeCalling(lead: LeadCard, now: number, me: string) {
  const { caller, changedAt } = lead
  const isMine = isCaller(lead, me)
  const startedAt = changedAt ?? now
  const { calling } = chooseWords(lead)
  if (now - startedAt > longCallMs)
    return `${isMine ? 'You' : (caller ?? 'Someone')} started ${calling} ${formatAgo(startedAt, now)}`
  return isMine ? `You’re ${calling}` : `${caller ?? 'Someone'} is ${calling}`
}

/** Someone set Status in Airtable, so the desk does not wait for a result. */
const isCalledInAirtable = ({ status, calledVia, callerEmail }: LeadCard) =>
  status === 'calling' && calledVia === 'airtable' && callerEmail === null

function describeCall(lead: LeadCard): string {
  const { caller, calledVia, calledAt } = lead
  const after =
    calledAt === null ? '' : ` after ${formatShortDuration(measureWait(lead, calledAt))}`
  const { called } = chooseWords(lead)
  if (calledVia === 'airtable' && !caller) return `Marked as ${called} in Airtable${after}`
  return `${caller ?? 'Someone'} ${called}${after}`
}

const formatSeconds = (ms: number) => {
  const seconds = Math.ceil(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Counts the leads to call now, including those that are due again. */
export const countToCall = ({ leads, totals }: Pick<Today, 'leads' | 'totals'>, now: number) =>
  totals.toCall + leads.filter((lead) => isDueAgain(lead, now)).length

/** Keeps the server's order. */
export const groupLeads = (leads: readonly LeadCard[], now: number, me: string) => {
  const inProgress = leads.filter((lead) => lead.status === 'calling' && !isCalledInAirtable(lead))
  const open = leads.filter(isOpen)
  return {
    mine: inProgress.filter((lead) => isCaller(lead, me)),
    others: inProgress.filter((lead) => !isCaller(lead, me)),
    toCall: open.filter((lead) => !lead.isSuspect && !lead.isInBurst && !computeOpening(lead, now)),
    callAgain: leads.filter(({ status }) => status === 'call-again'),
    waiting: open.filter((lead) => !lead.isInBurst && computeOpening(lead, now)),
    burst: open.filter(({ isInBurst }) => isInBurst),
    called: leads.filter(
      (lead) => lead.status === 'done' || lead.status === 'not-a-lead' || isCalledInAirtable(lead),
    ),
    suspect: open.filter(({ isSuspect }) => isSuspect),
  }
}
