import type { LeadCard } from '#leads/desk/describe.ts'
import { formatSpan } from './words.ts'

export type Mood =
  | 'calm'
  | 'soon'
  | 'urgent'
  | 'late'
  | 'answered'
  | 'done'
  | 'not-a-lead'
  | 'suspect'

const minuteMs = 60_000

export const isOpen = ({ answeredAt, outcome }: Pick<LeadCard, 'answeredAt' | 'outcome'>) =>
  answeredAt === null && !outcome

export type Countdown = { mood: Mood; words: string; shareLeft: number; minutesLeft: number }

/** How a lead stands against the promise, in a word and in words. */
export function computeCountdown(lead: LeadCard, now: number): Countdown {
  const { deadlineAt, receivedAt, outcome } = lead
  const over = { shareLeft: 0, minutesLeft: 0 }
  if (outcome === 'not-a-lead') {
    const who = lead.answeredName ? `, says ${lead.answeredName}` : ''
    return { mood: outcome, words: `Not a lead${who}`, ...over }
  }
  if (outcome === 'done') return { mood: outcome, words: `Done: ${describeAnswer(lead)}`, ...over }
  if (!isOpen(lead)) return { mood: 'answered', words: describeAnswer(lead), ...over }
  if (deadlineAt === null) return { mood: 'suspect', words: 'Perhaps a robot', ...over }
  const leftMs = deadlineAt - now
  if (leftMs <= 0) return { mood: 'late', words: `${formatSpan(-leftMs)} late`, ...over }
  const mood = leftMs > 6 * minuteMs ? 'calm' : leftMs > 2 * minuteMs ? 'soon' : 'urgent'
  return {
    mood,
    words: mood === 'urgent' ? `Call now: ${formatSeconds(leftMs)}` : `${formatSpan(leftMs)} left`,
    shareLeft: Math.min(1, leftMs / (deadlineAt - receivedAt)),
    minutesLeft: Math.floor(Math.round(leftMs / 1_000) / 60),
  }
}

/** Who, and after how long. */
function describeAnswer({ answeredName, answeredBy, answeredAt, receivedAt }: LeadCard): string {
  const who = answeredName ?? (answeredBy === 'airtable' ? 'somebody, in Airtable' : 'somebody')
  const after = answeredAt === null ? '' : `, after ${formatSpan(answeredAt - receivedAt)}`
  return `${who.charAt(0).toUpperCase()}${who.slice(1)}${after}`
}

const formatSeconds = (ms: number) => {
  const seconds = Math.ceil(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** Whom to call, emergencies on top; who was called; what is perhaps a robot. Each the newest first. */
export function groupForCalling(leads: readonly LeadCard[]) {
  const isAlarm = ({ isEmergency }: LeadCard) => Number(isEmergency)
  const newestFirst = leads.toSorted((a, b) => b.receivedAt - a.receivedAt)
  const open = newestFirst.filter(isOpen)
  return {
    toCall: open
      .filter(({ isSuspect }) => !isSuspect)
      .sort((a, b) => isAlarm(b) - isAlarm(a) || b.receivedAt - a.receivedAt),
    answered: newestFirst.filter((lead) => !isOpen(lead)),
    suspect: open.filter(({ isSuspect }) => isSuspect),
  }
}
