// A formatter holds tens of kilobytes outside JavaScript's heap, where the garbage collector does not
// see them: made for every alert, they added up to 900 MB. The owner has one time zone.
const formats = new Map<string, ReturnType<typeof makeFormats>>()
function makeFormats(timeZone: string) {
  const make = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { ...options, timeZone })
  const time = { hour: 'numeric', minute: '2-digit', timeZoneName: 'short' } as const
  return {
    day: make({ dateStyle: 'short' }),
    today: make(time),
    otherDay: make({ month: 'short', day: 'numeric', ...time }),
  }
}

/** The day is said only when it is another. */
export function formatClock(
  at: number,
  { now, timeZone }: { now: number; timeZone: string },
): string {
  const { day, today, otherDay } = formats.get(timeZone) ?? makeFormats(timeZone)
  formats.set(timeZone, { day, today, otherDay })
  const format = day.format(at) === day.format(now) ? today : otherDay
  return format.format(at).replace(/\s/g, ' ')
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
