import type { Result } from '../channels/channel-type.ts'
import { measureWait } from '../deadline.ts'
import type { ClaimedLead } from '../store/claims.ts'
import type { DeliveryResult } from '../store/deliveries.ts'
import { minuteMs } from '../time-units.ts'

const firstRetryMs = 5_000
const longestRetryMs = 15 * minuteMs
// Homeowners expect a call within minutes, so retry soon after a mail server recovers.
const longestAlertRetryMs = 30_000
const urgentAlertMs = 20 * minuteMs

/** Doubles the delay from 5 s, with jitter, so that leads that failed together are not retried together. */
export function computeRetryMs(
  { attempts, lateMs, isAlert }: { attempts: number; lateMs: number; isAlert: boolean },
  random: () => number,
): number {
  const longestMs = isAlert && lateMs < urgentAlertMs ? longestAlertRetryMs : longestRetryMs
  const fullMs = Math.min(longestMs, firstRetryMs * 2 ** Math.min(attempts - 1, 20))
  return Math.round(fullMs * (0.5 + random() / 2))
}

export type DecidedResult = DeliveryResult & { attempts: number; refused?: boolean | undefined }

/** Returns a result for every claimed delivery, even if the channel returns fewer. */
export const decideResults = (
  claimed: readonly ClaimedLead[],
  results: readonly Result[],
  { now, random, isAlert }: { now: number; random: () => number; isAlert: boolean },
): DecidedResult[] =>
  claimed.map(({ lead, reason, attempts, revision, dueAt }, at) => {
    const delivery = { leadId: lead.id, reason, attempts, revision }
    const result = results[at] ?? { ok: false, error: 'The channel returned no result.' }
    if (result.ok) return { ...delivery, ...result }
    const { error, refused } = result
    if (result.isUndeliverable) return { ...delivery, ok: false, error, nextAttemptAt: null }
    // For a lead that arrived after hours, count the delay from when we open; for a planned call, from when it is due.
    const lateMs = Math.min(now - dueAt, measureWait(lead, now))
    const retryMs = computeRetryMs({ attempts, lateMs, isAlert }, random)
    return { ...delivery, ok: false, error, refused, nextAttemptAt: now + retryMs }
  })

/**
 * Sorts results for the log. Log a rejected, delayed, or undeliverable lead once; it neither starts nor ends a channel
 * outage.
 */
export function decideReport(results: readonly DecidedResult[]) {
  const sent = results.filter(({ ok }) => ok).map(({ leadId }) => leadId)
  const unsent = results.flatMap((one) => (one.ok ? [] : [one]))
  const undeliverable = unsent.filter(({ nextAttemptAt }) => nextAttemptAt === null)
  const failed = unsent.filter(({ nextAttemptAt }) => nextAttemptAt !== null)
  const isOutage = ({ refused }: DecidedResult) => sent.length === 0 && !refused
  return {
    sent,
    undeliverable,
    outages: failed.filter(isOutage),
    delayed: failed.filter((one) => !isOutage(one) && one.attempts === 1),
  }
}
