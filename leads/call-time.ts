import { computePromise } from './deadline.ts'
import { type BusinessHours, getClock } from './hours.ts'
import { dayMs, minuteMs } from './time-units.ts'

/**
 * Returns the time by which the company calls. `startsLater` means that the promise starts when the company next opens.
 */
export function computeCallTime(now: number, service: string, hours: BusinessHours) {
  const { promiseStartAt, deadlineAt } = computePromise(now, service, hours)
  const time = formatTime(deadlineAt, { now, hours })
  return { time, deadlineAt, startsLater: promiseStartAt > now }
}

/** Formats a time for the person who uses this device. Lines can break only before `tomorrow` or `on`. */
export function formatTime(at: number, { now, hours }: { now: number; hours: BusinessHours }) {
  const readerZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const text = formatCallTime(at, { now, timeZone: hours.timeZone, readerZone })
  return text.replace(/ (?=[A-Z\d])/g, '\xa0')
}

type Clock = {
  now: number
  timeZone: string
  readerZone?: string
  /** False for an email, because it may be read on another day. */
  saysTomorrow?: boolean
}

/** Formats a promised time. Rounds up so that nobody sees an earlier time than promised. */
export const formatCallTime = (at: number, clock: Clock): string =>
  formatDayTime(at + minuteMs - 1, clock)

/** Counts the midnights between two times, because days have 23 to 25 hours. */
export function countDays(from: number, to: number, timeZone: string): number {
  const findDay = (at: number) => Math.floor(getClock(timeZone).toWall(at) / dayMs)
  return findDay(to) - findDay(from)
}

/**
 * Returns 7:10 AM, 7:10 AM tomorrow, 7:10 AM on Monday, or 7:10 AM on December 28, in the company's time zone. Adds the
 * name of the zone if the reader's clock differs.
 */
export function formatDayTime(
  at: number,
  { now, timeZone, readerZone = timeZone, saysTomorrow = true }: Clock,
): string {
  const format = (options: Intl.DateTimeFormatOptions, zone = timeZone) =>
    new Intl.DateTimeFormat('en-US', { timeZone: zone, ...options })
  const time = { hour: 'numeric', minute: '2-digit' } as const
  const plain = format(time).format(at)
  const isForeign = format(time, readerZone).format(at) !== plain
  const text = isForeign ? format({ ...time, timeZoneName: 'short' }).format(at) : plain
  const days = countDays(now, at, timeZone)
  return text.replace(/\s/g, ' ') + formatDay()

  function formatDay() {
    if (days < 1) return ''
    if (days < 2 && saysTomorrow) return ' tomorrow'
    const day =
      days < 7 ? ({ weekday: 'long' } as const) : ({ month: 'long', day: 'numeric' } as const)
    return ` on ${format(day).format(at)}`
  }
}
