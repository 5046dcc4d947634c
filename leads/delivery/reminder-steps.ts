import { findPromiseStart } from '../deadline.ts'
import type { ReminderReason } from '../delivery-reason.ts'

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

/**
 * The reminder that applies to an unanswered lead now, and when the next one is due. After an outage,
 * steps in the past are skipped, so that staff get one reminder instead of three.
 */
export function decideReminder(
  deadlineAt: number,
  escalateAfterMinutes: readonly number[],
  now: number,
): { reason: ReminderReason | undefined; nextAt: number | null } {
  const steps = listSteps(deadlineAt, escalateAfterMinutes)
  return {
    reason: steps.findLast(({ at }) => at <= now)?.reason,
    nextAt: steps.find(({ at }) => at > now)?.at ?? null,
  }
}

// Supabase's cron job runs once a minute.
const lateLookMs = 90_000

/**
 * Airtable does not report when Status was set. A check just after the deadline therefore counts the
 * answer as given in time.
 */
export const computeAnsweredAt = (deadlineAt: number, now: number): number =>
  now - deadlineAt < lateLookMs ? Math.min(now, deadlineAt) : now
