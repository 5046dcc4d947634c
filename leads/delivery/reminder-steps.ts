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

/** When staff are first reminded of an unanswered lead. */
export const computeFirstReminderAt = (
  deadlineAt: number,
  escalateAfterMinutes: readonly number[],
): number => Math.min(...listSteps(deadlineAt, escalateAfterMinutes).map(({ at }) => at))

/** After a reopening past the deadline, the reminders start over. */
const findReminderDeadline = ({
  deadlineAt,
  reopenedAt,
}: Pick<UnansweredLead, 'deadlineAt' | 'reopenedAt'>): number =>
  reopenedAt !== null && reopenedAt >= deadlineAt ? reopenedAt + promiseMs : deadlineAt

/** When staff are next reminded of a lead that was reopened now. */
export function computeReminderAfterReopening(
  deadlineAt: number,
  escalateAfterMinutes: readonly number[],
  now: number,
): number {
  const lastAt = findReminderDeadline({ deadlineAt, reopenedAt: now })
  return listSteps(lastAt, escalateAfterMinutes).find(({ at }) => at > now)?.at ?? lastAt
}

/**
 * The reminder that applies to an unanswered lead now, and when the next one is due. After an outage,
 * steps in the past are skipped, so that staff get one reminder instead of three. After the last
 * step there is no reminder.
 */
export function decideReminder(
  lead: Pick<UnansweredLead, 'deadlineAt' | 'reopenedAt' | 'escalateAt'>,
  escalateAfterMinutes: readonly number[],
  now: number,
): { reason: ReminderReason | undefined; nextAt: number | null } {
  const lastAt = findReminderDeadline(lead)
  const steps = listSteps(lastAt, escalateAfterMinutes)
  return {
    reason: lead.escalateAt > lastAt ? undefined : steps.findLast(({ at }) => at <= now)?.reason,
    nextAt: steps.find(({ at }) => at > now)?.at ?? null,
  }
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/**
 * When Airtable is read next for an unanswered lead; null after 30 days. Old leads are read rarely,
 * because a free base has 1,000 calls a month. Reads are due at round times, so that leads share calls.
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
const lateLookMs = 90_000

/**
 * Airtable does not report when Status was set. A check just after the deadline therefore counts the
 * answer as given in time.
 */
export const computeAnsweredAt = (deadlineAt: number, now: number): number =>
  now - deadlineAt < lateLookMs ? Math.min(now, deadlineAt) : now
