import {
  type Clock,
  formatAgo,
  formatOpening,
  formatShortClock,
  formatShortDuration,
} from '#leads/clock.ts'
import { isDueAgain, measureWait } from '#leads/deadline.ts'
import { explainNextCall } from '#leads/describe-event.ts'
import { fill } from '#leads/fill.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { describeSale } from '#leads/sale.ts'
import { statuses } from '#leads/statuses.ts'
import { hourMs } from '#leads/time-units.ts'
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
  | 'dropped'
  | 'suspect'

export type Countdown = { mood: Mood; text: string; shareLeft: number; minutesLeft: number }

const over = { shareLeft: 0, minutesLeft: 0 }

export function computeCountdown(lead: LeadCard, clock: Clock, me: string): Countdown {
  const status = statuses[lead.status]
  switch (status.needs) {
    case 'nothing': {
      const text = fill(status.card, {
        firstCall: describeFirstCall(lead),
        sale: describeSale(lead) ?? '',
      })
      return { mood: status.mark === 'check' ? 'done' : 'dropped', text: capitalize(text), ...over }
    }
    case 'result':
      return {
        mood: lead.isEmergency ? 'urgent' : 'calling',
        text: describeCalling(lead, clock, me),
        ...over,
      }
    case 'next-call': {
      const text = `${capitalize(explainNextCall(lead))}. ${describeNextCall(lead, clock)}`
      const mood = lead.isEmergency ? 'urgent' : isDueAgain(lead, clock.now) ? 'soon' : 'waiting'
      return { mood, text, shareLeft: 1, minutesLeft: 0 }
    }
    case 'first-call':
      return computeFirstCall(lead, clock)
  }
}

function computeFirstCall(lead: LeadCard, clock: Clock): Countdown {
  const { now } = clock
  const { promiseStartAt, deadlineAt } = lead
  const call = capitalize(chooseWords(lead).call)
  if (promiseStartAt === null || deadlineAt === null)
    return { mood: 'suspect', text: 'Possible spam', ...over }
  const leftMs = deadlineAt - now
  if (leftMs <= 0) return { mood: 'late', text: `${formatShortDuration(-leftMs)} late`, ...over }
  // Show a time of day until the company opens and the countdown starts.
  if (promiseStartAt > now && promiseStartAt > lead.receivedAt) {
    const text = `${call} by ${formatShortClock(deadlineAt, clock)}`
    return { mood: lead.isEmergency ? 'urgent' : 'waiting', text, ...over }
  }
  const shareLeft = Math.min(1, leftMs / (deadlineAt - promiseStartAt))
  const mood = lead.isEmergency
    ? 'urgent'
    : shareLeft > 0.6
      ? 'calm'
      : shareLeft > 0.2
        ? 'soon'
        : 'urgent'
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

/** Returns the text without “Call now:”. */
export const readTime = ({ text }: Countdown) => text.replace(/^\w+ now: /, '')

/** Examples: “Call again now.”, “Call again at 2:10 PM.”, “Call again on Monday at 7:00 AM.” */
export function describeNextCall(lead: LeadCard, clock: Clock) {
  const { callAgainAt } = lead
  const call = capitalize(chooseWords(lead).call)
  if (callAgainAt === null || isDueAgain(lead, clock.now)) return `${call} again now.`
  const day = formatOpening(callAgainAt, clock)
  const time = `at ${formatShortClock(callAgainAt, { ...clock, now: callAgainAt })}`
  return `${call} again ${day === time ? time : `${day} ${time}`}.`
}

const longCallMs = hourMs

function describeCalling(lead: LeadCard, clock: Clock, me: string) {
  const { caller, changedAt } = lead
  const isMine = isCaller(lead, me)
  const startedAt = changedAt ?? clock.now
  const { calling } = chooseWords(lead)
  if (clock.now - startedAt > longCallMs)
    return `${isMine ? 'You' : (caller ?? 'Someone')} started ${calling} ${formatAgo(startedAt, clock)}`
  return isMine ? `You’re ${calling}` : `${caller ?? 'Someone'} is ${calling}`
}

function describeFirstCall(lead: LeadCard): string {
  const { calledVia, calledAt } = lead
  const after =
    calledAt === null ? '' : ` after ${formatShortDuration(measureWait(lead, calledAt))}`
  // Don't name the caller, because a lead stores only who called last.
  return `${calledVia === 'airtable' ? 'status set in Airtable' : `first ${chooseWords(lead).call}`}${after}`
}

const formatSeconds = (ms: number) => {
  const seconds = Math.ceil(ms / 1_000)
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
