// Who asks for more is asked again: a homeowner is promised a call within ten minutes.
const longestMs = 5 * 60_000

/** How long another server asks us to wait: in seconds, or until a date by its own clock. */
export function readRetryAfterMs(headers: Headers): number {
  const said = headers.get('retry-after') ?? ''
  const ms = /^\d+$/.test(said)
    ? Number(said) * 1000
    : Date.parse(said) - Date.parse(headers.get('date') ?? '')
  return Math.min(longestMs, Math.max(0, ms || 0))
}
