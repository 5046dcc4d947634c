import type { CallPromise } from '../deadline.ts'
import type { ReminderReason } from '../delivery-reason.ts'
import type { UncalledLead } from '../store/reminder-queue.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

/** From the settings. If undefined, a share of the lead's promised time. */
type Minutes = readonly number[] | undefined

type Step = { reason: ReminderReason; at: number }

/** 4 and 8 minutes for a promise of 10 minutes. */
const listDefaultMinutes = ({ promiseStartAt, deadlineAt }: CallPromise) =>
  [0.4, 0.8].map((share) => Math.round((share * (deadlineAt - promiseStartAt)) / minuteMs))

/** Skips steps after the deadline: the settings may have changed, but a lead keeps its deadline. */
const listSteps = (
  promise: CallPromise,
  escalateAfterMinutes: Minutes = listDefaultMinutes(promise),
): Step[] => [
  ...escalateAfterMinutes
    .map((minutes) => ({
      reason: `uncalled-${minutes}` as const,
      at: promise.promiseStartAt + minutes * minuteMs,
    }))
    .filter(({ at }) => at < promise.deadlineAt),
  { reason: 'missed', at: promise.deadlineAt },
]

export const computeFirstReminderAt = (
  promise: CallPromise,
  escalateAfterMinutes: Minutes,
): number => Math.min(...listSteps(promise, escalateAfterMinutes).map(({ at }) => at))

type ReopenedLead = Pick<UncalledLead, 'promiseStartAt' | 'deadlineAt' | 'reopenedAt'>

/** If the lead was reopened after its deadline, the reminders start over. */
function computeReminderPromise({ promiseStartAt, deadlineAt, reopenedAt }: ReopenedLead) {
  if (reopenedAt === null || reopenedAt < deadlineAt) return { promiseStartAt, deadlineAt }
  return { promiseStartAt: reopenedAt, deadlineAt: reopenedAt + deadlineAt - promiseStartAt }
}

export function computeReminderAfterReopening(
  promise: CallPromise,
  escalateAfterMinutes: Minutes,
  now: number,
): number {
  const current = computeReminderPromise({ ...promise, reopenedAt: now })
  const steps = listSteps(current, escalateAfterMinutes)
  return steps.find(({ at }) => at > now)?.at ?? current.deadlineAt
}

/**
 * Returns the current reminder of an uncalled lead and the time of the next one. Skips earlier steps,
 * so that staff get one reminder after an outage instead of three. Before the first step, the reminder is
 * early because no alert arrived, and it replaces that step.
 */
export function decideReminder(
  lead: ReopenedLead & Pick<UncalledLead, 'escalateAt'>,
  escalateAfterMinutes: Minutes,
  now: number,
): { reason: ReminderReason | undefined; nextAt: number | null } {
  const promise = computeReminderPromise(lead)
  const steps = listSteps(promise, escalateAfterMinutes)
  // The clock may have gone back since the lead was found to be due.
  const dueAt = Math.max(now, lead.escalateAt)
  const current = Math.max(
    0,
    steps.findLastIndex(({ at }) => at <= dueAt),
  )
  return {
    reason: lead.escalateAt > promise.deadlineAt ? undefined : steps[current]?.reason,
    nextAt: steps[current + 1]?.at ?? null,
  }
}

/**
 * Returns when to check an uncalled lead in Airtable; null after 30 days. Checks old leads rarely,
 * because a free base has 1,000 calls a month, and at round times, so that leads share a call.
 */
export function computeNextReadAt(lead: ReopenedLead, now: number): number | null {
  const lateMs = now - computeReminderPromise(lead).deadlineAt
  if (lateMs > 30 * dayMs) return null
  const everyMs = lateMs < hourMs ? 5 * minuteMs : lateMs < dayMs ? 2 * hourMs : 6 * hourMs
  return (Math.floor(now / everyMs) + 1) * everyMs
}

// Supabase's cron job runs once a minute.
const readDelayMs = 90_000

/** Airtable does not report when Status was set, so a call found just after the deadline counts as on time. */
export const computeCalledAt = (deadlineAt: number, now: number): number =>
  now - deadlineAt < readDelayMs ? Math.min(now, deadlineAt) : now
