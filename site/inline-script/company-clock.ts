import { type BusinessHours, readSpan, type Weekday } from '#leads/hours.ts'
import { dayMs, minuteMs } from '#leads/time-units.ts'

/**
 * Computes and formats when the company opens and closes, as leads/hours.ts and leads/call-time.ts do, but in half the
 * code. Local times are represented as if they were UTC.
 */
export function createCompanyClock({ timeZone, open, closedDates }: BusinessHours) {
  const format = (at: number, options: object) =>
    new Date(at).toLocaleString('en-US', { timeZone, ...options })
  let swedish: Intl.DateTimeFormat | undefined
  const toWall = (at: number) => {
    // Create the formatter only when needed, because that takes 200 ms on a slow phone. The Swedish format is
    // 2026-11-17 07:13:05.
    swedish ??= new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
    return Date.parse(`${swedish.format(at).replace(' ', 'T')}Z`)
  }
  const toInstant = (wall: number) => {
    const [before = 0, after = 0] = [wall - dayMs, wall + dayMs].map((at) => wall + at - toWall(at))
    return toWall(before) !== wall && toWall(after) === wall ? after : before
  }
  const countDays = (at: number) => Math.floor(toWall(at) / dayMs)

  return {
    /** Returns the first opening period that has not ended. If the company is open, this period has already started. */
    findOpenTime(now: number) {
      let [from, to] = [0, 0]
      const today = countDays(now)
      for (let day = today; day <= today + 366; day++) {
        const date = new Date(day * dayMs)
        const iso = date.toISOString().slice(0, 10)
        if (closedDates.some((closed) => iso.endsWith(closed))) continue
        for (const span of (open as Week)[date.toUTCString().slice(0, 3) as Weekday] ?? []) {
          const [opensAt = 0, closesAt = 0] = readSpan(span).map((minute) =>
            toInstant(day * dayMs + minute * minuteMs),
          )
          if (opensAt >= closesAt || closesAt <= now) continue
          if (to && opensAt > to) return { from, to }
          from ||= opensAt
          to = closesAt
        }
      }
      return { from, to }
    },

    /** Rounds up to a whole minute. `names` is the style for the names of days and months. */
    formatTime(exactAt: number, now: number, names: 'long' | 'short' = 'long') {
      const at = exactAt + minuteMs - 1
      const time = { hour: 'numeric', minute: '2-digit' }
      const text = format(at, time)
      const isForeign = format(at, { ...time, timeZone: undefined }) !== text
      const days = countDays(at) - countDays(now)
      const day = format(at, days < 7 ? { weekday: names } : { month: names, day: 'numeric' })
      const zoned = isForeign ? format(at, { ...time, timeZoneName: 'short' }) : text
      const full = zoned + (days < 1 ? '' : days < 2 ? ' tomorrow' : ` on ${day}`)
      return full.replace(/\s(?=[A-Z\d])/g, '\xa0')
    },
  }
}

type Week = Exclude<BusinessHours['open'], 'always'>
