import { dayMs, hourMs, minuteMs } from './time-units.ts'

// Computes when the company is open. The page and the server share this code so that both show the same deadline.

export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const
export type Weekday = (typeof weekdays)[number]

export const dayNames = {
  Mon: 'Monday',
  Tue: 'Tuesday',
  Wed: 'Wednesday',
  Thu: 'Thursday',
  Fri: 'Friday',
  Sat: 'Saturday',
  Sun: 'Sunday',
} as const satisfies Record<Weekday, string>

export type BusinessHours = {
  /** The company's time zone, such as America/Chicago. */
  timeZone: string
  /** `always`, or spans such as 7:00-18:00 for each weekday. A day without spans is closed. */
  open: 'always' | { readonly [Day in Weekday]?: readonly string[] }
  /** Holidays, such as 2026-12-25, or 12-25 for every year. */
  closedDates: readonly string[]
  /** `always` if someone also calls back about emergencies while the company is closed. */
  emergencies: 'always' | 'when open'
  /** While the company is open, it promises a call within this time. */
  promiseMinutes: number
}

export const longestClosureDays = 366

/** Returns `at` if the company is open, or when it next opens. Validation guarantees that it opens within a year. */
export const computeOpening = (at: number, hours: BusinessHours): number =>
  computeOpeningWithinYear(at, hours) ?? at

export function computeOpeningWithinYear(at: number, hours: BusinessHours): number | undefined {
  if (hours.open === 'always') return at
  for (const { from } of listSpans(at, hours)) return Math.max(at, from)
}

/** Lists the company's open periods from the current one through the next year. */
function* listSpans(at: number, { timeZone, open, closedDates }: BusinessHours) {
  if (open === 'always') return
  const { toWall, toInstant } = getClock(timeZone)
  const now = toWall(at)
  const today = now - (now % dayMs)
  for (let day = today; day <= today + longestClosureDays * dayMs; day += dayMs) {
    const date = new Date(day)
    const iso = date.toISOString().slice(0, 10)
    // A yearly holiday such as 12-25 has no year, so compare only the end of the date.
    if (closedDates.some((closed) => iso.endsWith(closed))) continue
    for (const span of open[date.toUTCString().slice(0, 3) as Weekday] ?? []) {
      const [from = 0, to = 0] = readSpan(span).map((minute) => toInstant(day + minute * minuteMs))
      // In spring, a span that starts in the skipped hour may be empty.
      if (from < to && at < to) yield { from, to }
    }
  }
}

const morning = 7 * hourMs

/**
 * Returns when the next working day starts: when the company first opens that day, or at 7 AM if it is open from
 * midnight. Returns Infinity if it always opens at midnight and closes by 7 AM.
 */
export function computeNextStart(after: number, hours: BusinessHours): number {
  const { toWall, toInstant } = getClock(hours.timeZone)
  const findMidnight = (at: number) => toWall(at) - (toWall(at) % dayMs)
  const allDay = Object.fromEntries(weekdays.map((day) => [day, ['0:00-24:00']]))
  const days = hours.open === 'always' ? { ...hours, open: allDay, closedDates: [] } : hours
  let started: number | undefined
  for (const { from, to } of listSpans(toInstant(findMidnight(after)), days)) {
    const midnight = findMidnight(from)
    const startsAt = toWall(from) === midnight ? toInstant(midnight + morning) : from
    // Skip this span, which continues a working day after a break or after midnight.
    if (midnight === started || startsAt >= to) continue
    started = midnight
    if (startsAt > after) return startsAt
  }
  return Number.POSITIVE_INFINITY
}

export const isOpen = (at: number, hours: BusinessHours): boolean =>
  computeOpening(at, hours) === at

/**
 * When a phone is notified. While the company is closed, `business-hours` means only if no other phone can be notified.
 */
export const schedules = ['always', 'business-hours', 'off'] as const
export type Schedule = (typeof schedules)[number]

/** 7:00-18:00 → 420, 1080 */
export function readSpan(span: string): [from: number, to: number] {
  const [fromHour = 0, fromMinute = 0, toHour = 0, toMinute = 0] = span.split(/[:-]/).map(Number)
  return [fromHour * 60 + fromMinute, toHour * 60 + toMinute]
}

const clocks = new Map<string, ReturnType<typeof createClock>>()
export function getClock(timeZone: string) {
  const clock = clocks.get(timeZone) ?? createClock(timeZone)
  clocks.set(timeZone, clock)
  return clock
}

/** Converts between epoch milliseconds and local time, which is represented as if it were UTC. */
function createClock(timeZone: string) {
  // The Swedish format is 2026-11-17 07:13:05.
  const { format } = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  })
  const toWall = (at: number) => Date.parse(`${format(at).replace(' ', 'T')}Z`)
  /** In fall, a repeated time means the first one. In spring, a skipped time means an hour later. */
  function toInstant(wall: number): number {
    const offsetAt = (at: number) => toWall(at) - at
    const before = wall - offsetAt(wall - dayMs)
    const after = wall - offsetAt(wall + dayMs)
    return toWall(before) !== wall && toWall(after) === wall ? after : before
  }
  return { format, toWall, toInstant }
}

export function isTimeZone(name: string): boolean {
  try {
    createClock(name)
    return true
  } catch {
    return false
  }
}
