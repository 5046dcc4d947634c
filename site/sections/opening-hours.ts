import { type BusinessHours, readSpan, type Weekday, weekdays } from '#leads/hours.ts'

type Week = Exclude<BusinessHours['open'], 'always'>

/** Example: “Mon–Fri 7 AM–6 PM, Sat 8 AM–12 PM and 1 PM–4:30 PM”. */
export const formatOpeningHours = (open: Week) => listOpeningHours(open).join(', ')

export function listOpeningHours(open: Week): string[] {
  const groups: { first: Weekday; last: Weekday; spans: string }[] = []
  for (const day of weekdays) {
    const spans = (open[day] ?? []).map(formatSpan).join(' and ')
    const previous = groups.at(-1)
    if (previous?.spans === spans) previous.last = day
    else groups.push({ first: day, last: day, spans })
  }
  return groups
    .filter(({ spans }) => spans)
    .map(({ first, last, spans }) => `${first === last ? first : `${first}–${last}`} ${spans}`)
}

const formatSpan = (span: string) => readSpan(span).map(formatMinute).join('–')

/** Formats 450 as 7:30 AM, with a no-break space. */
function formatMinute(minute: number): string {
  const hour = Math.floor(minute / 60)
  const rest = minute % 60 ? `:${String(minute % 60).padStart(2, '0')}` : ''
  return `${hour % 12 || 12}${rest}\xa0${hour % 24 < 12 ? 'AM' : 'PM'}`
}
