import type { ClaimedLead, Outcome } from '../channel.ts'
import type { Settlement } from '../store/deliveries.ts'

const firstRetryMs = 5_000
export const longestRetryMs = 15 * 60_000
// Someone is promised a call within ten minutes: a mail server that is back must not be left idle.
const longestUrgentRetryMs = 30_000
const urgentForMs = 20 * 60_000

/** Doubles from 5 s; the jitter keeps leads that failed together from returning together. */
export function computeRetryMs(
  { attempts, ageMs, urgent }: { attempts: number; ageMs: number; urgent?: boolean | undefined },
  random: () => number,
): number {
  const longestMs = urgent && ageMs < urgentForMs ? longestUrgentRetryMs : longestRetryMs
  const fullMs = Math.min(longestMs, firstRetryMs * 2 ** Math.min(attempts - 1, 20))
  return Math.round(fullMs * (0.5 + random() / 2))
}

export type Settled = Settlement & { attempts: number; refused?: boolean | undefined }

/** What is recorded of a send: of every lead that was claimed, whatever the channel reports. */
export const decideSettlements = (
  claimed: readonly ClaimedLead[],
  outcomes: readonly Outcome[],
  { now, random, urgent }: { now: number; random: () => number; urgent?: boolean | undefined },
): Settled[] =>
  claimed.map(({ lead, occasion, attempts }) => {
    const delivery = { leadId: lead.id, occasion, attempts }
    const outcome = outcomes.find((one) => one.leadId === lead.id && one.occasion === occasion)
    if (outcome?.ok) return { ...delivery, ok: true, note: outcome.note, next: outcome.next }
    const { error = 'the channel reported nothing about this lead', refused } = outcome ?? {}
    const retryMs = computeRetryMs({ attempts, ageMs: now - lead.receivedAt, urgent }, random)
    return { ...delivery, ok: false, error, refused, nextAttemptAt: now + retryMs }
  })

/** What the log hears of it. Refusals of one lead are its own, and are said once. */
export function decideReport(settled: readonly Settled[]) {
  const delivered = settled.filter(({ ok }) => ok).map(({ leadId }) => leadId)
  const failed = settled.flatMap((one) => (one.ok ? [] : [one]))
  const isOutage = ({ refused }: Settled) => delivered.length === 0 && !refused
  return {
    delivered,
    outages: failed.filter(isOutage),
    putOff: failed.filter((one) => !isOutage(one) && one.attempts === 1),
  }
}
