/** The day is said only when it is another. */
export function formatClock(
  at: number,
  { now, timeZone }: { now: number; timeZone: string },
): string {
  const day = (time: number) =>
    new Intl.DateTimeFormat('en-US', { dateStyle: 'short', timeZone }).format(time)
  return new Intl.DateTimeFormat('en-US', {
    ...(day(at) !== day(now) && { month: 'short', day: 'numeric' }),
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
    timeZone,
  })
    .format(at)
    .replace(/\s/g, ' ')
}

const count = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`

/** As long as a person would say it: 40 seconds, 3 minutes 20 seconds, 25 minutes, 3 hours, 2 days. */
export function formatDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000))
  if (seconds < 60) return count(seconds, 'second')
  if (seconds < 600) {
    const rest = seconds % 60
    const minutes = count(Math.floor(seconds / 60), 'minute')
    return rest ? `${minutes} ${count(rest, 'second')}` : minutes
  }
  if (seconds < 5_400) return count(Math.round(seconds / 60), 'minute')
  if (seconds < 36 * 3_600) return count(Math.round(seconds / 3_600), 'hour')
  return count(Math.round(seconds / 86_400), 'day')
}

export const formatLeft = (ms: number): string =>
  ms < 60_000 ? 'less than a minute left' : `${count(Math.round(ms / 60_000), 'minute')} left`
