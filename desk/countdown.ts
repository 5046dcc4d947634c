import type { LeadCard } from '../leads/desk/describe.ts'

export type Mood = 'calm' | 'soon' | 'urgent' | 'late' | 'answered' | 'closed' | 'suspect'

const minuteMs = 60_000

/** How a lead stands against the promise, in a word and in words. */
export function computeCountdown(
  lead: Pick<LeadCard, 'deadlineAt' | 'receivedAt' | 'answeredAt' | 'answeredName' | 'outcome'>,
  now: number,
): { mood: Mood; words: string; shareLeft: number } {
  const { deadlineAt, receivedAt, answeredAt, outcome } = lead
  if (outcome)
    return { mood: 'closed', words: outcome === 'done' ? 'Done' : 'Not a lead', shareLeft: 0 }
  if (answeredAt !== null) {
    const who = lead.answeredName ?? 'Answered'
    return {
      mood: 'answered',
      words: `${who}, after ${formatSpan(answeredAt - receivedAt)}`,
      shareLeft: 0,
    }
  }
  if (deadlineAt === null) return { mood: 'suspect', words: 'Looks like a robot', shareLeft: 0 }
  const leftMs = deadlineAt - now
  if (leftMs <= 0) return { mood: 'late', words: `${formatSpan(-leftMs)} late`, shareLeft: 0 }
  const shareLeft = leftMs / (deadlineAt - receivedAt)
  const mood = leftMs > 6 * minuteMs ? 'calm' : leftMs > 2 * minuteMs ? 'soon' : 'urgent'
  const words =
    mood === 'urgent' ? `Call now: ${formatSeconds(leftMs)}` : `${formatSpan(leftMs)} left`
  return { mood, words, shareLeft }
}

const formatSeconds = (ms: number) => {
  const seconds = Math.ceil(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

/** 40 s, 7 min, 3 h, 2 days. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`
  if (seconds < 48 * 3_600) return `${Math.floor(seconds / 3_600)} h`
  return `${Math.floor(seconds / 86_400)} days`
}

/** Emergencies that nobody has answered stand on top; below them the newest first. */
export const sortForCalling = <Card extends LeadCard>(leads: readonly Card[]): Card[] =>
  leads.toSorted((a, b) => {
    const isAlarm = (lead: Card) => lead.isEmergency && lead.answeredAt === null && !lead.outcome
    return Number(isAlarm(b)) - Number(isAlarm(a)) || b.receivedAt - a.receivedAt
  })
