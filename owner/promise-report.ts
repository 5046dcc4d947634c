import { kindOf } from '#leads/delivery/receivers.ts'
import { promiseMs } from '#leads/lead.ts'
import { describeSource } from '#leads/source.ts'
import type { HandOver, PromiseRecord } from '#leads/store/reading.ts'
import { formatTable } from './terminal.ts'

export type Tally = { kept: number; missed: number }

/** `leads` are kept, missed and still open ones. */
export type SourceTally = Tally & { source: string; leads: number; share: number | null }

export type ChannelLag = {
  channel: string
  sent: number
  waiting: number
  within2s: number | null
  medianMs: number | null
  p95Ms: number | null
}

export type PromiseReport = {
  from: number
  to: number
  timeZone: string
  /** All but the suspect ones, which are promised nothing. */
  leads: number
  suspect: number
  kept: number
  missed: number
  /** Not answered, and their ten minutes are not over. */
  open: number
  /** Missed, and no answer is known to this day. */
  neverAnswered: number
  /** Seen in Airtable: answered at that time or somewhat earlier. */
  answeredInAirtable: number
  share: number | null
  medianMs: number | null
  p90Ms: number | null
  byHour: Tally[]
  byDay: (Tally & { day: string })[]
  /** How many were answered within the first minute, the second, … the tenth, later, never. */
  byMinute: number[]
  /** Where the leads came from, the most fruitful first. */
  bySource: SourceTally[]
  channels: ChannelLag[]
}

export function computeReport(
  records: readonly PromiseRecord[],
  handOvers: readonly HandOver[],
  { from, to, now, timeZone }: { from: number; to: number; now: number; timeZone: string },
): PromiseReport {
  const promised = records.filter(({ suspect }) => suspect === null)
  const isOpen = ({ receivedAt, answeredAt }: PromiseRecord) =>
    answeredAt === null && now < receivedAt + promiseMs
  const isKept = ({ receivedAt, answeredAt }: PromiseRecord) =>
    answeredAt !== null && answeredAt - receivedAt <= promiseMs
  const decided = promised.filter((record) => !isOpen(record))
  const kept = decided.filter(isKept).length
  const tookMs = decided
    .flatMap(({ receivedAt, answeredAt }) => (answeredAt === null ? [] : [answeredAt - receivedAt]))
    .sort((a, b) => a - b)

  const hours = Array.from({ length: 24 }, (): Tally => ({ kept: 0, missed: 0 }))
  const days = new Map<string, Tally>()
  const byMinute = Array.from({ length: 12 }, () => 0)
  const { hourOf, dayOf } = createCalendar(timeZone)
  for (const record of decided) {
    const outcome = isKept(record) ? 'kept' : 'missed'
    const hour = hours[hourOf(record.receivedAt)]
    if (hour) hour[outcome] += 1
    const day = dayOf(record.receivedAt)
    const tally = days.get(day) ?? { kept: 0, missed: 0 }
    tally[outcome] += 1
    days.set(day, tally)
    byMinute[findMinute(record)] = (byMinute[findMinute(record)] ?? 0) + 1
  }

  return {
    from,
    to,
    timeZone,
    leads: promised.length,
    suspect: records.length - promised.length,
    kept,
    missed: decided.length - kept,
    open: promised.length - decided.length,
    neverAnswered: decided.filter(({ answeredAt }) => answeredAt === null).length,
    answeredInAirtable: decided.filter(({ answeredBy }) => answeredBy === 'airtable').length,
    share: decided.length > 0 ? kept / decided.length : null,
    medianMs: findPercentile(tookMs, 0.5),
    p90Ms: findPercentile(tookMs, 0.9),
    byHour: hours,
    byDay: [...days]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([day, tally]) => ({ day, ...tally })),
    byMinute,
    bySource: tallySources(promised, { isOpen, isKept }),
    channels: computeLags(handOvers),
  }
}

// A stranger can write any campaign into a link: they shall not fill the report.
const mostSources = 12

function tallySources(
  records: readonly PromiseRecord[],
  { isOpen, isKept }: Record<'isOpen' | 'isKept', (record: PromiseRecord) => boolean>,
): SourceTally[] {
  const tally = (source: string, some: readonly PromiseRecord[]): SourceTally => {
    const decided = some.filter((record) => !isOpen(record))
    const kept = decided.filter(isKept).length
    const share = decided.length > 0 ? kept / decided.length : null
    return { source, leads: some.length, kept, missed: decided.length - kept, share }
  }
  const groups = [...Map.groupBy(records, ({ source }) => describeSource(source))].sort(
    ([a, as], [b, bs]) => bs.length - as.length || (a < b ? -1 : 1),
  )
  const shown = groups.length > mostSources ? mostSources - 1 : mostSources
  const others = groups.slice(shown).flatMap(([, some]) => some)
  return [
    ...groups.slice(0, shown).map(([source, some]) => tally(source, some)),
    ...(others.length > 0 ? [tally(`${groups.length - shown} others`, others)] : []),
  ]
}

const later = 10
const never = 11
function findMinute({ receivedAt, answeredAt }: PromiseRecord): number {
  if (answeredAt === null) return never
  const ms = answeredAt - receivedAt
  return ms > promiseMs ? later : Math.min(9, Math.max(0, Math.floor(ms / 60_000)))
}

/** The nearest rank: a time that was really taken, not one between two. */
export function findPercentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
}

function computeLags(handOvers: readonly HandOver[]): ChannelLag[] {
  return [...Map.groupBy(handOvers, ({ channel }) => kindOf(channel))]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([channel, all]) => {
      const lags = all
        .flatMap(({ createdAt, settledAt }) => (settledAt === null ? [] : [settledAt - createdAt]))
        .sort((a, b) => a - b)
      return {
        channel,
        sent: lags.length,
        waiting: all.length - lags.length,
        within2s: lags.length > 0 ? lags.filter((ms) => ms <= 2_000).length / lags.length : null,
        medianMs: findPercentile(lags, 0.5),
        p95Ms: findPercentile(lags, 0.95),
      }
    })
}

function createCalendar(timeZone: string) {
  const hour = new Intl.DateTimeFormat('en-US', { hour: 'numeric', hourCycle: 'h23', timeZone })
  const day = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone })
  return { hourOf: (at: number) => Number(hour.format(at)), dayOf: (at: number) => day.format(at) }
}

/** When a day begins in a time zone; undefined when there is no such day. */
export function findMidnight(day: string, timeZone: string): number | undefined {
  const utc = Date.parse(`${day}T00:00:00Z`)
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(utc)) return undefined
  if (new Date(utc).toISOString().slice(0, 10) !== day) return undefined
  const clock = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'medium',
    timeZone,
  })
  const findOffsetMs = (at: number) => Date.parse(`${clock.format(at).replace(' ', 'T')}Z`) - at
  // Twice, because the first look may stand on the other side of a change of the clocks.
  return utc - findOffsetMs(utc - findOffsetMs(utc))
}

export const formatShare = (share: number | null): string =>
  share === null ? '–' : `${(share * 100).toFixed(share === 1 || share === 0 ? 0 : 1)} %`

export function formatTook(ms: number | null): string {
  if (ms === null) return '–'
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`
  if (ms < 60_000) return `${Math.round(ms / 1000)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3_600)} h ${Math.round((seconds % 3_600) / 60)} min`
}

export const formatPeriod = ({ from, to, timeZone }: PromiseReport): string => {
  const clock = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone,
  })
  return `${clock.format(from)} to ${clock.format(to)}, ${timeZone}`
}

/** For the terminal. */
export function formatReport(report: PromiseReport, width?: number): string {
  const { leads, suspect, kept, missed, open, share, medianMs, p90Ms } = report
  const lines = [
    `The ten-minute promise, ${formatPeriod(report)}`,
    '',
    ...(leads === 0
      ? ['No leads in this time.']
      : [
          `Leads                        ${leads}`,
          `Answered within 10 minutes   ${kept} (${formatShare(share)})`,
          `Missed                       ${missed}${report.neverAnswered > 0 ? `, of which ${report.neverAnswered} without any answer` : ''}`,
          ...(open > 0 ? [`Their ten minutes still run  ${open}`] : []),
          `Answer time, median          ${formatTook(medianMs)}`,
          `Answer time, 90th percentile ${formatTook(p90Ms)}`,
        ]),
    ...(suspect > 0 ? [`Suspect, not counted         ${suspect}`] : []),
    ...(report.answeredInAirtable > 0
      ? [
          '',
          `${report.answeredInAirtable} answered in Airtable: then, or up to some minutes earlier.`,
        ]
      : []),
    '',
  ]
  const plot = kept + missed > 0 ? `${plotHours(report.byHour)}\n` : ''
  const sources =
    report.bySource.length > 0
      ? `${formatTable(
          sourceTitles.map((title) => ({ title, minWidth: title.length })),
          report.bySource.map(formatSource),
          width,
        )}\n`
      : ''
  const lags =
    report.channels.length > 0
      ? `${formatTable(
          lagTitles.map((title) => ({ title, minWidth: title.length })),
          report.channels.map(formatLag),
          width,
        )}`
      : ''
  return `${lines.join('\n')}\n${plot}${sources}${lags}`
}

export const sourceTitles = ['From', 'Leads', 'Within 10 min', 'Missed', 'Share kept']
export const formatSource = ({ source, leads, kept, missed, share }: SourceTally): string[] => [
  source,
  String(leads),
  String(kept),
  String(missed),
  formatShare(share),
]

export const lagTitles = ['Channel', 'Sent', 'Waiting', 'Within 2 s', 'Median', '95 %']
export const formatLag = (lag: ChannelLag): string[] => [
  lag.channel,
  String(lag.sent),
  String(lag.waiting),
  formatShare(lag.within2s),
  formatTook(lag.medianMs),
  formatTook(lag.p95Ms),
]

const plotRows = 6

/** A column for each hour of the day: kept below, missed on top. */
function plotHours(hours: readonly Tally[]): string {
  const most = Math.max(...hours.map(({ kept, missed }) => kept + missed))
  const rows = Math.min(plotRows, most)
  const perRow = most / rows
  const draw = (row: number) =>
    hours.map(({ kept, missed }) => {
      // Whatever happened is seen, however small beside the rest.
      const missedRows = missed > 0 ? Math.max(1, Math.round(missed / perRow)) : 0
      const allRows = Math.max(
        missedRows + (kept > 0 ? 1 : 0),
        Math.round((kept + missed) / perRow),
      )
      if (row >= allRows) return '  '
      return row >= allRows - missedRows ? '░░' : '██'
    })
  const body = Array.from({ length: rows }, (_, at) => {
    const row = rows - 1 - at
    const label = row === rows - 1 ? String(most) : ''
    return `${label.padStart(4)} │${draw(row).join(' ')}`.trimEnd()
  })
  const axis = `     └${'─'.repeat(24 * 3 - 1)}`
  const marks = `      ${Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0')).join(' ')}`
  return ['By hour of the day: ██ kept, ░░ missed', ...body, axis, marks, ''].join('\n')
}
