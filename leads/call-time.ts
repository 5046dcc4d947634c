import { computePromise } from './deadline.ts'
import type { BusinessHours } from './hours.ts'

const dayMs = 24 * 3_600_000

/** Returns the time by which the company calls. `isClosed` means that the promise starts later. */
export function computeCallTime(now: number, service: string, hours: BusinessHours) {
  const { promiseStartAt, deadlineAt } = computePromise(now, service, hours)
  const time = formatTime(deadlineAt, { now, hours })
  return { time, deadlineAt, isClosed: promiseStartAt > now }
}

/** Formats a time for the person who uses this device. */
export function formatTime(at: number, { now, hours }: { now: number; hours: BusinessHours }) {
  const readerZone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return formatCallTime(at, { now, timeZone: hours.timeZone, readerZone })
}

/**
 * Returns 7:10 AM, 7:10 AM tomorrow, 7:10 AM on Monday, or 7:10 AM on December 28, in the company's
 * time zone, with its name if the reader's clock differs.
 */
export function formatCallTime(
  at: number,
  { now, timeZone, readerZone = timeZone }: { now: number; timeZone: string; readerZone?: string },
): string {
  const format = (options: Intl.DateTimeFormatOptions, zone = timeZone) =>
    new Intl.DateTimeFormat('en-US', { timeZone: zone, ...options })
  const time = { hour: 'numeric', minute: '2-digit' } as const
  const plain = format(time).format(at)
  const isForeign = format(time, readerZone).format(at) !== plain
  const text = isForeign ? format({ ...time, timeZoneName: 'short' }).format(at) : plain
  // The Swedish format is 2026-11-17, which Date.parse reads as UTC.
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' })
  const days = (Date.parse(date.format(at)) - Date.parse(date.format(now))) / dayMs
  return text.replace(/\s/g, ' ') + formatDay()

  function formatDay() {
    if (days < 1) return ''
    if (days < 2) return ' tomorrow'
    if (days < 7) return ` on ${format({ weekday: 'long' }).format(at)}`
    return ` on ${format({ month: 'long', day: 'numeric' }).format(at)}`
  }
}
