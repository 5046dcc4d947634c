import { formatDay, formatPreciseDuration } from '#leads/clock.ts'
import type { Today } from '#leads/desk/today.ts'
import { reportDays } from '#leads/reports/periods.ts'
import type { PromiseReport } from '#leads/reports/promise-report.ts'
import { formatDollars } from '#leads/sale.ts'
import { dayMs, minuteMs } from '#leads/time-units.ts'
import { count } from '#leads/words.ts'
import { Heading, Mark } from '../elements.tsx'
import { formatRoute } from '../route.ts'
import { usePolling } from '../use-polling.ts'
import { type Bar, BarChart, Table } from './charts.tsx'

// More labels would overlap on a phone.
const mostTicks = 10

export function ReportScreen({
  query,
  hours: { open, emergencies, promiseMinutes },
}: Pick<Today, 'hours'> & { query: string }) {
  const asked = new URLSearchParams(query).get('days') ?? ''
  const days = reportDays.includes(asked) ? asked : '30'
  return (
    <>
      <div className="list-head">
        <Heading>Report</Heading>
        <nav className="periods" aria-label="Period">
          {reportDays.map((some) => (
            <a
              key={some}
              className="button"
              data-quiet
              href={formatRoute({ screen: 'report', query: `days=${some}` })}
              aria-current={some === days || undefined}
            >
              {some} days
            </a>
          ))}
        </nav>
      </div>
      <p className="quiet">
        We promise a call within {promiseMinutes} minutes
        {open === 'always'
          ? ', day or night'
          : `. If we’re closed, within ${promiseMinutes} minutes of opening${emergencies === 'always' ? ', except for emergencies' : ''}`}
        .
      </p>
      <Report key={days} days={days} />
    </>
  )
}

function Report({ days }: { days: string }) {
  const path = `/api/report?days=${days}`
  const { data, trouble } = usePolling<{ report: PromiseReport }>(path, 30_000)
  if (!data) return <p className="quiet">{trouble ?? 'Loading…'}</p>
  const { report } = data
  const { share, byMinute, byHour, bySource, byPerson } = report
  if (share === null)
    return (
      <div className="empty">
        <Mark />
        <p>
          {report.open > 0
            ? 'Nothing to report yet. The first deadline hasn’t passed.'
            : `No requests in the last ${days} days.`}
        </p>
      </div>
    )
  const late = report.missed - report.uncalled
  const minutesPerTick = Math.ceil(byMinute.length / mostTicks)
  const daily = fillDays(report)
  const worst = byHour.reduce((a, b, at) => (b.missed > (byHour[a]?.missed ?? 0) ? at : a), 0)
  const worstMissed = byHour[worst]?.missed ?? 0
  return (
    <>
      <dl className="card figures">
        {listFigures(report).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        {report.uncalled > 0 && (
          <div>
            <dt>Not called</dt>
            <dd>
              <a href={formatRoute({ screen: 'leads', query: `status=late&days=${days}` })}>
                {report.uncalled}
                <span className="unseen"> not called yet</span>
              </a>
            </dd>
          </div>
        )}
      </dl>
      <div className="list-head">
        <p className="quiet small">{describeReport(report).join(' ')}</p>
        <ul className="legend small">
          <li>On time</li>
          <li>Late or not called</li>
        </ul>
      </div>
      <div className="report">
        <BarChart
          title="Response time (minutes)"
          label={`Response times: ${report.kept} on time, ${late} later, ${report.uncalled} not called yet.`}
          nameOf="Called"
          bars={[
            ...byMinute.map((kept, at) => ({
              name: `Minute ${at + 1}`,
              tick: (at + 1) % minutesPerTick === 0 ? String(at + 1) : undefined,
              kept,
              missed: 0,
            })),
            {
              name: 'Later or not yet',
              tick: minutesPerTick === 1 ? `${byMinute.length}+` : undefined,
              kept: 0,
              missed: report.missed,
            },
          ]}
        />
        <BarChart
          title="Requests by hour"
          label={`Requests by hour of arrival. ${worstMissed > 0 ? `The worst hour was ${formatHour(worst)}, with ${count(worstMissed, 'call')} late or not made.` : 'All calls were on time.'}`}
          nameOf="Hour"
          bars={byHour.map((counts, at) => ({
            name: formatHour(at),
            tick: at % 6 === 3 ? formatHour(at) : undefined,
            ...counts,
          }))}
        />
        <BarChart
          title="Requests by day"
          label={`Requests by day: ${daily.filter(({ missed }) => missed > 0).length} of ${daily.length} days had a call that was late or not made.`}
          nameOf="Day"
          bars={daily}
        />
        {byPerson.length > 0 && (
          <section className="card">
            <h2>Calls by person</h2>
            <Table
              head={['Name', 'Calls', 'No answer']}
              rows={byPerson.map(({ person, calls, noAnswer }) => [
                person ?? 'Unknown',
                calls,
                noAnswer,
              ])}
            />
          </section>
        )}
        <section className="card">
          <h2>Requests by source</h2>
          <Table
            head={['Source', 'Requests', 'Reached', 'Won', 'Dollars']}
            rows={bySource.map(({ source, leads, reached, won, dollars }) => [
              source,
              leads,
              reached,
              won,
              formatDollars(dollars),
            ])}
          />
        </section>
      </div>
    </>
  )
}

// With fewer requests, a percentage would be misleading.
const fewest = 20

const formatTook = (ms: number | null) =>
  ms === null
    ? null
    : formatPreciseDuration(ms < 10 * minuteMs ? ms : Math.round(ms / minuteMs) * minuteMs)

/** Lists the figures with their values. “On time” is a fraction, such as “3 of 4”, or a percentage, such as “93.3%”. */
export function listFigures(report: PromiseReport): [name: string, value: string | number][] {
  const { kept, missed, uncalled, medianMs, p90Ms } = report
  const all = kept + missed
  const percent = ((kept / all) * 100).toFixed(kept === 0 || missed === 0 ? 0 : 1)
  const figures: [string, string | number | null][] = [
    ['On time', all < fewest ? `${kept} of ${all}` : `${percent}%`],
    ['Half within', formatTook(medianMs)],
    ['90% within', all < fewest ? null : formatTook(p90Ms)],
    ['Called late', missed - uncalled],
  ]
  return figures.filter((figure): figure is [string, string | number] => figure[1] !== null)
}

export function describeReport({ open, suspect, calledInAirtable }: PromiseReport): string[] {
  return [
    open > 0 && `${count(open, 'request is', 'requests are')} not due yet.`,
    suspect > 0 &&
      `${count(suspect, 'request looks like spam and isn’t', 'requests look like spam and aren’t')} counted.`,
    calledInAirtable > 0 &&
      `${count(calledInAirtable, 'call was', 'calls were')} recorded in Airtable and may have happened a little earlier than shown.`,
  ].filter((sentence) => sentence !== false)
}

const formatHour = (hour: number) => `${hour % 12 || 12} ${hour < 12 ? 'AM' : 'PM'}`

/** Includes days without leads. */
function fillDays({ from, to, timeZone, byDay }: PromiseReport): Bar[] {
  const noon = (at: number) => Date.parse(`${formatDay(at, timeZone)}T12:00Z`)
  const known = new Map(byDay.map((one) => [one.day, one]))
  const length = Math.round((noon(to) - noon(from)) / dayMs) + 1
  const every = Math.ceil(length / 5)
  // Create the formatter only when it is needed, because the first one takes 100 ms on a slow phone.
  const form = { month: 'short', day: 'numeric', timeZone: 'UTC' } as const
  const dayName = new Intl.DateTimeFormat('en-US', form)
  return Array.from({ length }, (_, at) => {
    const day = noon(from) + at * dayMs
    const { kept = 0, missed = 0 } = known.get(new Date(day).toISOString().slice(0, 10)) ?? {}
    const isTick = (length - 1 - at) % every === Math.floor(every / 2)
    const name = dayName.format(day)
    return { name, kept, missed, tick: isTick ? name : undefined }
  })
}
