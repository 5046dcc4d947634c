import { countDays } from './call-time.ts'
import { getClock } from './hours.ts'
import { dayMs, minuteMs } from './time-units.ts'
import { count } from './words.ts'

// Cache formatters: each takes tens of kilobytes outside the JavaScript heap, which the garbage collector does not
// count. Creating one per alert can use 900 MB.
const formats = new Map<string, ReturnType<typeof makeFormats>>()
function makeFormats(timeZone: string) {
  const make = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat('en-US', { ...options, timeZone })
  const time = { hour: 'numeric', minute: '2-digit' } as const
  return {
    day: make({ month: 'short', day: 'numeric' }),
    weekday: make({ weekday: 'long' }),
    time: make(time),
    timeWithZone: make({ ...time, timeZoneName: 'short' }),
  }
}
function getFormats(timeZone: string) {
  const found = formats.get(timeZone) ?? makeFormats(timeZone)
  formats.set(timeZone, found)
  return found
}

export type Clock = { now: number; timeZone: string }

/** Such as 2:10 PM CST, or Nov 3, 2:10 PM CST on a different day. */
export const formatClock = (at: number, clock: Clock): string =>
  joinDay(splitClock(at, clock, 'timeWithZone'))

/** Such as 2:10 PM, or Nov 3, 2:10 PM on a different day. */
export const formatShortClock = (at: number, clock: Clock): string =>
  joinDay(splitClock(at, clock, 'time'))

/** For a sentence: at 2:10 PM CST, or on Nov 3 at 2:10 PM CST. */
export function formatAt(at: number, clock: Clock): string {
  const { time, day } = splitClock(at, clock, 'timeWithZone')
  return day ? `on ${day} at ${time}` : `at ${time}`
}

const joinDay = ({ time, day }: ReturnType<typeof splitClock>) => (day ? `${day}, ${time}` : time)

function splitClock(at: number, { now, timeZone }: Clock, form: 'time' | 'timeWithZone') {
  const formats = getFormats(timeZone)
  const isToday = countDays(at, now, timeZone) === 0
  const time = formats[form].format(at).replace(/\s/g, ' ')
  return { time, day: isToday ? undefined : formats.day.format(at) }
}

/** Such as 2026-11-03 14:10:00, which spreadsheets read as a date and time. */
export const formatTimestamp = (at: number, timeZone: string): string =>
  getClock(timeZone).format(at)

/** Such as 2026-11-03. */
export const formatDay = (at: number, timeZone: string): string =>
  formatTimestamp(at, timeZone).slice(0, 10)

/** Converts a local date and time such as 2026-11-03T07:00 to epoch milliseconds. */
export const parseLocalTime = (text: string, timeZone: string): number =>
  getClock(timeZone).toInstant(Date.parse(`${text}Z`))

/** Returns the start and end of a day, such as 2026-11-03, from midnight to midnight. */
export function computeDay(day: string, timeZone: string): { from: number; to: number } {
  const next = formatDay(Date.parse(day) + dayMs, 'UTC')
  const computeMidnight = (date: string) => parseLocalTime(`${date}T00:00`, timeZone)
  return { from: computeMidnight(day), to: computeMidnight(next) }
}

/** Formats 2026-11-26 as Nov 26, 2026. */
export function formatDate(day: string): string {
  const [, date, month, year] = new Date(day).toUTCString().split(' ')
  return `${month} ${Number(date)}, ${year}`
}

/** Formats when the company next opens: at 7:00 AM, tomorrow, on Monday, or on Nov 30. */
export function formatOpening(at: number, { now, timeZone }: Clock): string {
  const { time, weekday, day } = getFormats(timeZone)
  const days = countDays(now, at, timeZone)
  if (days < 1) return `at ${time.format(at)}`
  if (days < 2) return 'tomorrow'
  return `on ${(days < 7 ? weekday : day).format(at)}`
}

/** Such as just now, 7 min ago, or, after a day, Nov 3, 2:10 PM. */
export function formatAgo(at: number, clock: Clock): string {
  const ms = clock.now - at
  if (ms < minuteMs) return 'just now'
  return ms < dayMs ? `${formatShortDuration(ms)} ago` : formatShortClock(at, clock)
}

/** Such as 40 seconds, 3 minutes 20 seconds, 25 minutes, 3 hours, or 2 days. */
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

/** Such as 40 sec, 7 min, 3 hr, or 2 days, with nonbreaking spaces. */
export function formatShortDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds}\u00a0sec`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}\u00a0min`
  if (seconds < 48 * 3_600) return `${Math.floor(seconds / 3_600)}\u00a0hr`
  return `${Math.floor(seconds / 86_400)}\u00a0days`
}

/** For measurements: 0.8 sec, 42 sec, 2 min 19 sec, or 2 hr 5 min. */
export function formatPreciseDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} sec`
  const seconds = Math.round(ms / 1000)
  if (ms < minuteMs) return `${seconds} sec`
  const minutes = Math.floor(seconds / 60)
  if (seconds < 3_600) return `${minutes} min${seconds % 60 ? ` ${seconds % 60} sec` : ''}`
  return `${Math.floor(minutes / 60)} hr ${minutes % 60} min`
}

export const formatLeft = (ms: number): string =>
  ms < minuteMs ? 'less than a minute left' : `${count(Math.round(ms / minuteMs), 'minute')} left`
