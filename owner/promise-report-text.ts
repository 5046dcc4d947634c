import { formatShare, formatTook } from '#leads/desk/format-report.ts'
import type { PromiseReport } from '#leads/desk/promise-report.ts'
import { formatTable } from './terminal.ts'

/** For the terminal. */
export function formatReport(report: PromiseReport, width?: number): string {
  const { leads, kept, missed, open, suspect, neverAnswered, answeredInAirtable } = report
  const never = neverAnswered > 0 ? `, of which ${neverAnswered} without any answer` : ''
  const lines = [
    `The ten-minute promise, ${formatPeriod(report)}`,
    '',
    ...(leads === 0
      ? ['No leads in this time.']
      : [
          `Leads                        ${leads}`,
          `Answered within 10 minutes   ${kept} (${formatShare(report.share)})`,
          `Missed                       ${missed}${never}`,
          ...(open > 0 ? [`Their ten minutes still run  ${open}`] : []),
          `Answer time, median          ${formatTook(report.medianMs)}`,
          `Answer time, 90th percentile ${formatTook(report.p90Ms)}`,
        ]),
    ...(suspect > 0 ? [`Suspect, not counted         ${suspect}`] : []),
    ...(answeredInAirtable > 0
      ? ['', `${answeredInAirtable} answered in Airtable: then, or up to some minutes earlier.`]
      : []),
    '',
    ...(kept + missed > 0 ? plotHours(report.byHour) : []),
    ...listTables(report).map(({ titles, rows }) =>
      formatTable(
        titles.map((title) => ({ title, minWidth: title.length })),
        rows,
        width,
      ),
    ),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}

const listTables = ({ bySource, channels }: PromiseReport) =>
  [
    {
      titles: ['From', 'Leads', 'Within 10 min', 'Missed', 'Share kept'],
      rows: bySource.map(({ source, leads, kept, missed, share }) => [
        source,
        `${leads}`,
        `${kept}`,
        `${missed}`,
        formatShare(share),
      ]),
    },
    {
      titles: ['Channel', 'Sent', 'Waiting', 'Within 2 s', 'Median', '95 %'],
      rows: channels.map(({ channel, sent, waiting, within2s, medianMs, p95Ms }) => [
        channel,
        `${sent}`,
        `${waiting}`,
        formatShare(within2s),
        formatTook(medianMs),
        formatTook(p95Ms),
      ]),
    },
  ].filter(({ rows }) => rows.length > 0)

function formatPeriod({ from, to, timeZone }: PromiseReport): string {
  const style = { dateStyle: 'short', timeStyle: 'short', timeZone } as const
  const clock = new Intl.DateTimeFormat('sv-SE', style)
  return `${clock.format(from)} to ${clock.format(to)}, ${timeZone}`
}

const plotRows = 6

/** A column for each hour of the day: kept below, missed on top. */
function plotHours(hours: PromiseReport['byHour']): string[] {
  const most = Math.max(...hours.map(({ kept, missed }) => kept + missed))
  const rows = Math.min(plotRows, most)
  const perRow = most / rows
  const draw = (row: number) =>
    hours.map(({ kept, missed }) => {
      // Whatever happened is seen, however small beside the rest.
      const missedRows = missed > 0 ? Math.max(1, Math.round(missed / perRow)) : 0
      const leastRows = missedRows + (kept > 0 ? 1 : 0)
      const allRows = Math.max(leastRows, Math.round((kept + missed) / perRow))
      if (row >= allRows) return '  '
      return row >= allRows - missedRows ? '░░' : '██'
    })
  const body = Array.from({ length: rows }, (_, at) => {
    const label = at === 0 ? String(most) : ''
    return `${label.padStart(4)} │${draw(rows - 1 - at).join(' ')}`.trimEnd()
  })
  const marks = hours.map((_, hour) => String(hour).padStart(2, '0')).join(' ')
  return [
    'By hour of the day: ██ kept, ░░ missed',
    ...body,
    `     └${'─'.repeat(24 * 3 - 1)}`,
    `      ${marks}`,
    '',
  ]
}
