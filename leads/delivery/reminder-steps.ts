import { findPromiseStart, promiseMs } from '../deadline.ts'
import type { ReminderReason } from '../delivery-reason.ts'
import type { UnansweredLead } from '../store/reminders.ts'

type Step = { reason: ReminderReason; at: number }

const listSteps = (deadlineAt: number, escalateAfterMinutes: readonly number[]): Step[] => [
  ...escalateAfterMinutes.map((minutes) => ({
    reason: `unanswered-${minutes}` as const,
    at: findPromiseStart(deadlineAt) + minutes * 60_000,
  })),
  { reason: 'missed', at: deadlineAt },
]

export const computeFirstReminderAt = (
  deadlineAt: number,
  escalateAfterMinutes: readonly number[],
): number => Math.min(...listSteps(deadlineAt, escalateAfterMinutes).map(({ at }) => at))

/** If the lead was reopened after its deadline, the reminders start over. */
const findReminderDeadline = ({
  deadlineAt,
  reopenedAt,
}: Pick<UnansweredLead, 'deadlineAt' | 'reopenedAt'>): number =>
  reopenedAt !== null && reopenedAt >= deadlineAt ? reopenedAt + promiseMs : deadlineAt

export function computeReminderAfterReopening(
  deadlineAt: number,
  escalateAfterMinutes: readonly number[],
  now: number,
): number {
  const lastAt = findReminderDeadline({ deadlineAt, reopenedAt: now })
  return listSteps(lastAt, escalateAfterMinutes).find(({ at }) => at > now)?.at ?? lastAt
}

/**
 * Returns the current reminder of an unanswered lead and the time of the next one. Skips earlier steps,
 * so that staff get one reminder after an outage instead of three. Before the first step, the reminder is
 * early because no alert arrived, and it replaces that step.
 */
export function decideReminder(
  lead: Pick<UnansweredLead, 'deadlineAt' | 'reopenedAt' | 'escalateAt'>,
  escalateAfterMinutes: readonly number[],
  now: number,
): { reason: ReminderReason | undefined; nextAt: number | null } {
  const lastAt = findReminderDeadline(lead)
  const steps = listSteps(lastAt, escalateAfterMinutes)
  const current = Math.max(
    0,
    steps.findLastIndex(({ at }) => at <= now),
  )
  return {
    reason: lead.escalateAt > lastAt ? undefined : steps[current]?.reason,
    nextAt: steps[current + 1]?.at ?? null,
  }
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/**
 * Returns when to check an unanswered lead in Airtable; null after 30 days. Checks old leads rarely,
 * because a free base has 1,000 calls a month, and at round times, so that leads share a call.
 */
export function computeNextReadAt(
  lead: Pick<UnansweredLead, 'deadlineAt' | 'reopenedAt'>,
  now: number,
): number | null {
  const lateMs = now - findReminderDeadline(lead)
  if (lateMs > 30 * dayMs) return null
  const everyMs = lateMs < hourMs ? 5 * minuteMs : lateMs < dayMs ? 2 * hourMs : 6 * hourMs
  return (Math.floor(now / everyMs) + 1) * everyMs
}

// Supabase's cron job runs once a minute.
const readDelayMs = 90_000

/**
 * Airtable does not report when Status was set, so an answer found just after the deadline counts as
 * in time.
 */
export const computeAnsweredAt = (deadlineAt: number, now: number): number =>
  now - deadlineAt < readDelayMs ? Math.min(now, deadlineAt) : now
