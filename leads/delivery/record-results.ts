import type { Result } from '../channels/channel-type.ts'
import { measureWait } from '../deadline.ts'
import type { ClaimedLead } from '../store/claims.ts'
import type { DeliveryResult } from '../store/deliveries.ts'

const firstRetryMs = 5_000
const longestRetryMs = 15 * 60_000
// Homeowners expect a call within minutes, so retry soon after a mail server recovers.
const longestAlertRetryMs = 30_000
const urgentAlertMs = 20 * 60_000

/** Doubles the delay from 5 s, with jitter, so that leads that failed together are not retried together. */
export function computeRetryMs(
  { attempts, ageMs, isAlert }: { attempts: number; ageMs: number; isAlert: boolean },
  random: () => number,
): number {
  const longestMs = isAlert && ageMs < urgentAlertMs ? longestAlertRetryMs : longestRetryMs
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
  claimed.map(({ lead, reason, attempts }, at) => {
    const delivery = { leadId: lead.id, reason, attempts }
    const result = results[at] ?? { ok: false, error: 'The channel returned no result.' }
    if (result.ok) return { ...delivery, ...result }
    const { error, refused } = result
    const retryMs = computeRetryMs({ attempts, ageMs: measureWait(lead, now), isAlert }, random)
    return { ...delivery, ok: false, error, refused, nextAttemptAt: now + retryMs }
  })

/** Sorts results for the log. Log a rejected or delayed lead once; it isn't a channel outage. */
export function decideReport(results: readonly DecidedResult[]) {
  const sent = results.filter(({ ok }) => ok).map(({ leadId }) => leadId)
  const failed = results.flatMap((one) => (one.ok ? [] : [one]))
  const isOutage = ({ refused }: DecidedResult) => sent.length === 0 && !refused
  return {
    sent,
    outages: failed.filter(isOutage),
    delayed: failed.filter((one) => !isOutage(one) && one.attempts === 1),
  }
}
