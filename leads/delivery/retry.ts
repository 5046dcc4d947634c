const firstRetryMs = 5_000
export const longestRetryMs = 15 * 60_000
// Someone is promised a call within ten minutes: a mail server that is back must not be left idle.
const longestUrgentRetryMs = 30_000
const urgentForMs = 20 * 60_000

/** How long a failed delivery may wait at most for its next turn. */
export const findLongestRetryMs = (urgent: boolean | undefined, ageMs: number): number =>
  urgent && ageMs < urgentForMs ? longestUrgentRetryMs : longestRetryMs

/** Doubles from 5 s to 15 min; the jitter keeps leads that failed together from returning together. */
export function computeRetryMs(
  attempts: number,
  random: () => number,
  longestMs = longestRetryMs,
): number {
  const fullMs = Math.min(longestMs, firstRetryMs * 2 ** Math.min(attempts - 1, 20))
  return Math.round(fullMs * (0.5 + random() / 2))
}
