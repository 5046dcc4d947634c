import { formatShortClock, formatShortDuration, formatTries } from '#leads/clock.ts'
import { isDueAgain, measureWait } from '#leads/deadline.ts'
import type { LeadCard } from '#leads/reports/describe.ts'

export type Mood =
  | 'waiting'
  | 'calm'
  | 'soon'
  | 'urgent'
  | 'late'
  | 'called'
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

export function computeCountdown(lead: LeadCard, now: number): Countdown {
  const { promiseStartAt, deadlineAt, status } = lead
  const over = { shareLeft: 0, minutesLeft: 0 }
  if (status === 'not-a-lead') return { mood: status, text: 'Not a lead', ...over }
  if (status === 'done') return { mood: status, text: `Done: ${describeCall(lead)}`, ...over }
  if (lead.callAgainAt !== null) {
    const isDue = isDueAgain(lead, now)
    const when = isDue ? 'now' : `at ${formatShortClock(lead.callAgainAt, now)}`
    const text = `No answer (${formatTries(lead.attempts)}). Call again ${when}.`
    return { mood: isDue ? 'soon' : 'waiting', text, shareLeft: 1, minutesLeft: 0 }
  }
  if (!isOpen(lead)) return { mood: 'called', text: describeCall(lead), ...over }
  if (promiseStartAt === null || deadlineAt === null)
    return { mood: 'suspect', text: 'Possible spam', ...over }
  const leftMs = deadlineAt - now
  if (leftMs <= 0) return { mood: 'late', text: `${formatShortDuration(-leftMs)} late`, ...over }
  if (computeOpening(lead, now))
    return { mood: 'waiting', text: `Call by ${formatShortClock(deadlineAt, now)}`, ...over }
  const shareLeft = Math.min(1, leftMs / (deadlineAt - promiseStartAt))
  const mood = shareLeft > 0.6 ? 'calm' : shareLeft > 0.2 ? 'soon' : 'urgent'
  return {
    mood,
    text:
      mood === 'urgent'
        ? `Call now: ${formatSeconds(leftMs)} left`
        : `${formatShortDuration(leftMs)} left`,
    shareLeft,
    minutesLeft: Math.floor(Math.round(leftMs / 1_000) / 60),
  }
}

function describeCall(lead: LeadCard): string {
  const { caller, calledVia, calledAt } = lead
  const where = calledVia === 'airtable' && !caller ? ' in Airtable' : ''
  const after =
    calledAt === null ? '' : ` after ${formatShortDuration(measureWait(lead, calledAt))}`
  return `${caller ?? 'Someone'} called${where}${after}`
}

const formatSeconds = (ms: number) => {
  const seconds = Math.ceil(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Keeps the server's order. */
export const groupLeads = (leads: readonly LeadCard[], now: number) => ({
  toCall: leads.filter(
    (lead) =>
      isDueAgain(lead, now) ||
      (isOpen(lead) && !lead.isSuspect && !lead.isInBurst && !computeOpening(lead, now)),
  ),
  waiting: leads.filter((lead) => isOpen(lead) && !lead.isInBurst && computeOpening(lead, now)),
  burst: leads.filter((lead) => isOpen(lead) && lead.isInBurst),
  called: leads.filter((lead) => !isOpen(lead) && !isDueAgain(lead, now)),
  suspect: leads.filter((lead) => isOpen(lead) && lead.isSuspect),
})
