/** 40 s, 7 min, 3 h, 2 days. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds}\u00a0s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}\u00a0min`
  if (seconds < 48 * 3_600) return `${Math.floor(seconds / 3_600)}\u00a0h`
  return `${Math.floor(seconds / 86_400)}\u00a0days`
}

let clock: Intl.DateTimeFormat
let day: Intl.DateTimeFormat

/** Other than the machine's own: a server may be anywhere. */
export function setTimeZone(timeZone?: string) {
  clock = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit', timeZone })
  day = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone })
}
setTimeZone()

const dayMs = 24 * 3_600_000

/** 7 min ago; what is older than a day has its date. */
export const formatAgo = (at: number, now: number): string =>
  now - at < dayMs ? `${formatSpan(now - at)} ago` : `${day.format(at)}, ${clock.format(at)}`

/** 2:10 PM; on another day: Nov 3, 2:10 PM. */
export const formatClock = (at: number, now: number): string =>
  day.format(at) === day.format(now) ? clock.format(at) : `${day.format(at)}, ${clock.format(at)}`

/** When a phone was last here: just now, 2:10 PM, yesterday, Nov 3. */
export function formatSeen(at: number, now: number): string {
  if (now - at < 120_000) return 'just now'
  const on = day.format(at)
  if (on === day.format(now)) return clock.format(at)
  return on === day.format(now - dayMs) ? 'yesterday' : on
}

/** A visitor's words inside a sentence: whichever way they run, the sentence keeps its order. */
export const isolate = (text: string) => `\u2068${text}\u2069`
