import { computeCallTime } from '#leads/call-time.ts'
import { type BusinessHours, readSpan, type Weekday } from '#leads/hours.ts'

export type Week = Exclude<BusinessHours['open'], 'always'>

/** Converts 7:00-24:00 to 07:00 and 00:00, the format of time inputs. */
export function parseSpan(span: string): [from: string, to: string] {
  const [from = '', to = ''] = span.split('-').map((time) => time.trim())
  const pad = (time: string) => (time ? time.padStart(5, '0') : '')
  return [pad(from), to === '24:00' ? '00:00' : pad(to)]
}

/** Converts 07:00 and 00:00 to 7:00-24:00, because a closing time of midnight means the end of the day. */
export function formatSpan([from, to]: readonly [from: string, to: string]): string {
  const shorten = (time: string) => time.replace(/^0/, '')
  const span = `${shorten(from)}-${to === '00:00' ? '24:00' : shorten(to)}`
  return span === '-' ? '' : span
}

/** Removes the day's entry if there are no hours, because a day without an entry is closed. */
export function setDay(week: Week, day: Weekday, spans: readonly string[] | undefined): Week {
  const { [day]: _, ...others } = week
  return spans?.length ? { ...others, [day]: spans } : others
}

export const copyDay = (week: Week, from: Weekday, to: readonly Weekday[]): Week =>
  to.reduce((copied, day) => setDay(copied, day, week[from]), week)

/** Adds a break from 12:00 to 13:00 to the last span, or adds an empty span if the last one does not cover it. */
export function addBreak(spans: readonly string[]): readonly string[] {
  const last = spans.at(-1) ?? ''
  const [from, to] = readSpan(last)
  if (!(from < noon && to > noon + 60)) return [...spans, '']
  const [start = '', end = ''] = last.split('-')
  return [...spans.slice(0, -1), `${start}-12:00`, `13:00-${end}`]
}
const noon = 12 * 60

/** Describes what the hours mean for a visitor right now; undefined while an entry is incomplete. */
export function describeHours(hours: BusinessHours, now: number): string | undefined {
  try {
    const { time, startsLater } = computeCallTime(now, '', hours)
    return `With these hours, you’re ${startsLater ? 'closed' : 'open'} now, and the page promises a call by ${time}.`
  } catch {
    return undefined
  }
}
