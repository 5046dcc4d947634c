import type { Context } from '../context.ts'
import { type CallPromise, computeChase } from '../deadline.ts'
import type { DeliveryReason, ReminderReason } from '../delivery-reason.ts'
import type { DueLead } from '../store/crew-rows.ts'
import type { UnresolvedCall } from '../store/find-events.ts'
import { dayMs, hourMs, minuteMs } from '../time-units.ts'

type Step = { reason: ReminderReason; at: number }

/**
 * Returns the minutes from the settings or, by default, shares of the lead's promised time, such as 4 and 8 minutes of
 * 10. Uses the company's promised time if that is shorter, such as after a request becomes an emergency at night.
 */
export const listReminderMinutes = (
  { promiseStartAt, deadlineAt }: CallPromise,
  { env, hours }: Pick<Context, 'env' | 'hours'>,
): readonly number[] => {
  const promised = Math.min((deadlineAt - promiseStartAt) / minuteMs, hours().promiseMinutes)
  return env.escalateAfterMinutes ?? [0.4, 0.8].map((share) => Math.round(share * promised))
}

/** Skips steps after the deadline: the settings may have changed, but a lead keeps its deadline. */
const listSteps = (promise: CallPromise, reminderMinutes: readonly number[]): Step[] => [
  ...reminderMinutes
    .map((minutes) => ({
      reason: `uncalled-${minutes}` as const,
      at: promise.promiseStartAt + minutes * minuteMs,
    }))
    .filter(({ at }) => at > promise.promiseStartAt && at < promise.deadlineAt),
  { reason: 'missed', at: promise.deadlineAt },
]

export const computeFirstReminderAt = (
  promise: CallPromise,
  reminderMinutes: readonly number[],
): number => Math.min(...listSteps(promise, reminderMinutes).map(({ at }) => at))

/** Returns the time of a new lead's first step: its alert when we open, or its first reminder. */
export const computeFirstStepAt = (
  promise: CallPromise,
  reminderMinutes: readonly number[],
  now: number,
): number =>
  promise.promiseStartAt > now
    ? promise.promiseStartAt
    : computeFirstReminderAt(promise, reminderMinutes)

/** `reopened` is the promise that a new lead would have gotten when this one was reopened. */
type ReopenedLead = CallPromise & { reopened: CallPromise | null }

/** If the lead was reopened after its deadline, the reminders start over. */
const computeReminderPromise = ({ promiseStartAt, deadlineAt, reopened }: ReopenedLead) =>
  reopened && reopened.promiseStartAt >= deadlineAt ? reopened : { promiseStartAt, deadlineAt }

/** Returns the time of the first step after an Undo. */
export function computeStepAfterReopening(
  lead: CallPromise & { reopened: CallPromise },
  reminderMinutes: readonly number[],
  now: number,
): number {
  if (lead.promiseStartAt > now) return lead.promiseStartAt
  const promise = computeReminderPromise(lead)
  const steps = listSteps(promise, reminderMinutes)
  return steps.find(({ at }) => at > lead.reopened.promiseStartAt)?.at ?? promise.deadlineAt
}

type NextStep = { reason: DeliveryReason | undefined; nextAt: number | null }

/**
 * Decides what to tell the crew about a lead that needs a call, and when the next step is due. Skips earlier reminders
 * so that after an outage, the crew gets one instead of three. A step before the first reminder's time is that
 * reminder, sent early because no alert arrived. After the last reminder, returns no reason, so the step only checks
 * Airtable. Repeats the reminder about the next call once.
 */
export function decideStep(
  lead: ReopenedLead & Pick<DueLead, 'callAgainAt' | 'attempts' | 'dueAt'>,
  reminderMinutes: readonly number[],
  { now, repeatAt }: { now: number; repeatAt: number },
): NextStep {
  if (lead.callAgainAt !== null) {
    const reason = `again-${lead.attempts}` as const
    const isRepeat = lead.dueAt > lead.callAgainAt
    return isRepeat ? { reason: `${reason}-repeat`, nextAt: null } : { reason, nextAt: repeatAt }
  }
  if (lead.dueAt <= lead.promiseStartAt)
    return { reason: 'received', nextAt: computeFirstReminderAt(lead, reminderMinutes) }
  const promise = computeReminderPromise(lead)
  const steps = listSteps(promise, reminderMinutes)
  // The clock may have been set back since the lead was found to be due.
  const dueAt = Math.max(now, lead.dueAt)
  const current = Math.max(
    0,
    steps.findLastIndex(({ at }) => at <= dueAt),
  )
  return {
    reason: lead.dueAt > promise.deadlineAt ? undefined : steps[current]?.reason,
    nextAt: steps[current + 1]?.at ?? null,
  }
}

/**
 * Decides what to do about a call without a result: asks for it once, even if the call was recorded on several
 * requests, and later moves the requests to “Call again.”
 */
export function decideChase(
  { changedAt, dueAt }: Pick<DueLead, 'changedAt' | 'dueAt'>,
  { isUrgent, isAsked }: Pick<UnresolvedCall, 'isUrgent' | 'isAsked'>,
  now: number,
): NextStep | 'put back' {
  const { askAfterMs, putBackAfterMs } = computeChase(isUrgent)
  if (dueAt > (changedAt ?? 0) + askAfterMs) return 'put back'
  return {
    reason: isAsked ? undefined : 'unresolved',
    nextAt: now + putBackAfterMs - askAfterMs,
  }
}

/**
 * Returns when to check an uncalled lead in Airtable; null after 30 days. Checks old leads rarely, because a free base
 * has 1,000 API calls a month, and at round times so that leads share an API call.
 */
export function computeNextReadAt(lead: ReopenedLead, now: number): number | null {
  const { deadlineAt } = computeReminderPromise(lead)
  // The clock may have been set back.
  const lateMs = Math.max(0, now - deadlineAt)
  if (lateMs > 30 * dayMs) return null
  const everyMs = lateMs < hourMs ? 5 * minuteMs : lateMs < dayMs ? 2 * hourMs : 6 * hourMs
  return (Math.floor((deadlineAt + lateMs) / everyMs) + 1) * everyMs
}

// Longer than a minute, because Supabase's cron job runs once a minute.
const readDelayMs = 90_000

/** Airtable does not report when Status was set, so a call found just after the deadline counts as on time. */
export const computeCalledAt = (deadlineAt: number, now: number): number =>
  now - deadlineAt < readDelayMs ? Math.min(now, deadlineAt) : now
