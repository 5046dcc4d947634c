import { formatOpening, formatShortClock } from '#leads/clock.ts'
import { computePromise } from '#leads/deadline.ts'
import { type BusinessHours, computeOpening, getClock } from '#leads/hours.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

let businessHours: BusinessHours | undefined

export const readBusinessHours = () => businessHours
export const setBusinessHours = (hours: BusinessHours) => {
  businessHours = hours
}

/** Lists when to call again: soon, this afternoon, and tomorrow morning, but only while the company is open. */
export function listCallTimes(
  { isEmergency }: { isEmergency: boolean },
  now: number,
  hours: BusinessHours,
): { label: string; at: number }[] {
  const { toWall, toInstant } = getClock(hours.timeZone)
  const midnight = Math.floor(toWall(now) / dayMs) * dayMs
  const todayAt = (hour: number) => toInstant(midnight + hour * hourMs)
  const isOpenAt = (at: number) =>
    computePromise(at, isEmergency ? 'emergency' : '', hours).promiseStartAt === at

  const soon = now + 30 * minuteMs
  const afternoon = [todayAt(14), todayAt(16)].find((at) => at - now >= hourMs && isOpenAt(at))
  const early = todayAt(24 + 6)
  const opensAt = computeOpening(early, hours)
  // A company that never closes, or opens before 6 AM, does not call homeowners that early.
  const morning = opensAt > early ? opensAt : computeOpening(todayAt(24 + 8), hours)

  return [
    ...(isOpenAt(soon) ? [{ label: 'In 30 minutes', at: soon }] : []),
    ...(afternoon
      ? [{ label: `This afternoon, ${formatShortClock(afternoon, afternoon)}`, at: afternoon }]
      : []),
    { label: nameMorning(morning), at: morning },
  ]

  function nameMorning(at: number): string {
    const time = formatShortClock(at, at)
    const day = formatOpening(at, now).replace(/^on /, '')
    // A date such as Nov 30 gets no "morning".
    const isMorning = toWall(at) % dayMs < 12 * hourMs && !/\d/.test(day)
    return `${day[0]?.toUpperCase()}${day.slice(1)}${isMorning ? ' morning' : ''}, ${time}`
  }
}
