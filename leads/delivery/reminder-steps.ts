import type { Escalation } from '../channel.ts'
import { promiseMs } from '../lead.ts'

type Step = { occasion: Escalation; afterMs: number }

const listSteps = (escalateAfterMinutes: readonly number[]): Step[] => [
  ...escalateAfterMinutes.map((minutes) => ({
    occasion: `unanswered-${minutes}` as const,
    afterMs: minutes * 60_000,
  })),
  { occasion: 'missed', afterMs: promiseMs },
]

/** When staff are first reminded of a lead that nobody answers. */
export const computeFirstReminderAt = (
  receivedAt: number,
  escalateAfterMinutes: readonly number[],
): number => receivedAt + Math.min(...listSteps(escalateAfterMinutes).map(({ afterMs }) => afterMs))

/**
 * What is true of an unanswered lead now, and when that changes. Steps that went by while nobody
 * looked are passed over: after an outage staff hear once that the promise is missed, not three times.
 */
export function decideReminder(
  receivedAt: number,
  escalateAfterMinutes: readonly number[],
  now: number,
): { occasion: Escalation | undefined; nextAt: number | null } {
  const steps = listSteps(escalateAfterMinutes)
  const next = steps.find(({ afterMs }) => receivedAt + afterMs > now)
  return {
    occasion: steps.findLast(({ afterMs }) => receivedAt + afterMs <= now)?.occasion,
    nextAt: next ? receivedAt + next.afterMs : null,
  }
}

// Supabase's cron looks once a minute.
const lateLookMs = 90_000

/**
 * Airtable does not say when Status was set, only that it was before this look. A look for the
 * deadline comes just after it, so what it finds was set in time, as far as anyone can tell.
 */
export function computeAnsweredAt(receivedAt: number, now: number): number {
  const deadlineAt = receivedAt + promiseMs
  return now - deadlineAt < lateLookMs ? Math.min(now, deadlineAt) : now
}
