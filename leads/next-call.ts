import { formatOpening, formatShortClock } from './clock.ts'
import { computeCallStart } from './deadline.ts'
import { type BusinessHours, computeOpening, getClock, longestClosureDays } from './hours.ts'
import { dayMs, hourMs, minuteMs } from './time-units.ts'

const eveningHour = 18
const afternoonHour = 16

/** How far ahead the crew may plan a call. */
export const longestWaitMs = 60 * dayMs

/** Converts between times and hours on the company's clock, such as 18:00 in two days. */
function readClock(now: number, { timeZone }: BusinessHours) {
  const { toWall, toInstant } = getClock(timeZone)
  const midnight = Math.floor(toWall(now) / dayMs) * dayMs
  return {
    at: (hour: number, inDays = 0) => toInstant(midnight + inDays * dayMs + hour * hourMs),
    readHour: (at: number) => (toWall(at) % dayMs) / hourMs,
  }
}

/** Returns when the company opens on its next working day, or 8 AM at the earliest if it is already open at 6 AM. */
function computeMorning(now: number, hours: BusinessHours): number {
  const { at } = readClock(now, hours)
  const early = at(6, 1)
  const opensAt = computeOpening(early, hours)
  // A company that never closes, or opens by 6 AM, does not call homeowners that early.
  return opensAt > early ? opensAt : computeOpening(at(8, 1), hours)
}

/** Lists suggested times for a call that a homeowner asked for. The company may be closed at these times. */
export function listCallTimes(now: number, hours: BusinessHours): { label: string; at: number }[] {
  const { timeZone } = hours
  const clock = readClock(now, hours)
  const evening = clock.at(eveningHour)
  const morning = computeMorning(now, hours)
  return [
    { label: 'In an hour', at: now + hourMs },
    ...(evening - now >= hourMs
      ? [{ label: `This evening, ${formatTime(evening)}`, at: evening }]
      : []),
    { label: nameMorning(morning), at: morning },
  ]

  function formatTime(at: number): string {
    return formatShortClock(at, { now: at, timeZone })
  }

  function nameMorning(at: number): string {
    const day = formatOpening(at, { now, timeZone }).replace(/^on /, '')
    // A date such as Nov 30 gets no `morning`.
    const isMorning = clock.readHour(at) < 12 && !/\d/.test(day)
    return `${day[0]?.toUpperCase()}${day.slice(1)}${isMorning ? ' morning' : ''}, ${formatTime(at)}`
  }
}

type Attempt = { now: number; serviceType: string; attempts: number; noAnswerMinutes: number }

/**
 * Returns when to call again after an unanswered call: soon after the first call, in the evening after the second, and
 * after that, on the next working day at a different time of day. The time is during business hours, except for an
 * emergency if we take those at any hour.
 */
export function suggestCallTime(
  { now, serviceType, attempts, noAnswerMinutes }: Attempt,
  hours: BusinessHours,
): number {
  const isOpenAt = (at: number) => computeCallStart(at, serviceType, hours) === at
  const soon = computeCallStart(now + noAnswerMinutes * minuteMs, serviceType, hours)
  // An emergency cannot wait.
  if (attempts === 1 || serviceType === 'emergency') return soon
  const clock = readClock(now, hours)
  const evening = [eveningHour, 17, afternoonHour]
    .map((hour) => clock.at(hour))
    .find((at) => at >= now + hourMs && isOpenAt(at))
  if (attempts === 2 && evening !== undefined) return evening
  if (clock.readHour(now) >= 12) return computeMorning(now, hours)
  for (let days = 1; days <= longestClosureDays; days++)
    if (isOpenAt(clock.at(afternoonHour, days))) return clock.at(afternoonHour, days)
  return computeMorning(now, hours)
}
