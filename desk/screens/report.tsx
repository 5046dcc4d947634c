import { formatDay, formatPreciseDuration } from '#leads/clock.ts'
import type { Today } from '#leads/desk/today.ts'
import type { PromiseReport } from '#leads/reports/promise-report.ts'
import { count } from '#leads/words.ts'
import { Heading } from '../elements.tsx'
import { formatRoute } from '../route.ts'
import { usePolling } from '../use-polling.ts'
import { type Bar, BarChart, ShareRing, Table } from './charts.tsx'

const periods = ['7', '30', '90']
// More would overlap on a phone.
const mostTicks = 10

export function ReportScreen({
  query,
  hours: { open, promiseMinutes, emergencies },
}: Pick<Today, 'hours'> & { query: string }) {
  const asked = new URLSearchParams(query).get('days') ?? ''
  const days = periods.includes(asked) ? asked : '30'
  return (
    <>
      <Heading>Report</Heading>
      <p className="quiet">
        We promise a call within {promiseMinutes} minutes
        {open === 'always'
          ? ', day or night'
          : `. If we’re closed, within ${promiseMinutes} minutes after we open`}
        . Hatched bars are missed calls.
      </p>
      <nav className="periods" aria-label="Period">
        {periods.map((some) => (
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
      <Report key={days} days={days} emergencies={emergencies} />
    </>
  )
}

function Report({ days, emergencies }: Pick<Today['hours'], 'emergencies'> & { days: string }) {
  const path = `/api/report?days=${days}`
  const { data, trouble } = usePolling<{ report: PromiseReport }>(path, 30_000)
  if (!data) return <p className="quiet">{trouble ?? 'Loading…'}</p>
  const { report } = data
  const { share, byMinute, byHour, bySource, byShift, byPerson, channels } = report
  if (share === null)
    return (
      <p className="empty">
        {report.open > 0
          ? 'Nothing to report yet. The first deadline hasn’t passed.'
          : `No requests in the last ${days} days.`}
      </p>
    )
  const later = report.missed - report.uncalled
  const minutesPerTick = Math.ceil(byMinute.length / mostTicks)
  const daily = fillDays(report)
  const worst = byHour.reduce((a, b, at) => (b.missed > (byHour[a]?.missed ?? 0) ? at : a), 0)
  const worstMissed = byHour[worst]?.missed ?? 0
  return (
    <div className="report">
      <section className="card share">
        <h2 className="unseen">Calls on time</h2>
        <ShareRing share={share} figure={formatShare(share)} />
        {describeReport(report).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </section>
      <BarChart
        title="Response time"
        label={`Response times: ${report.kept} on time, ${later} later, ${report.uncalled} not called yet.${later + report.kept < 2 ? '' : ` Half of the calls came within ${formatTook(report.medianMs)}.`}`}
        nameOf="Called"
        bars={[
          ...byMinute.map((kept, at) => ({
            name: `Minute ${at + 1}`,
            tick: (at + 1) % minutesPerTick === 0 ? String(at + 1) : undefined,
            kept,
            missed: 0,
          })),
          { name: 'Later', tick: `${byMinute.length}+`, kept: 0, missed: later },
          { name: 'Not yet', tick: 'none', kept: 0, missed: report.uncalled },
        ]}
      />
      <BarChart
        title="By hour"
        label={`Requests by hour of arrival. ${worstMissed > 0 ? `The hour with the most missed calls is ${formatHour(worst)}: ${worstMissed}.` : 'None were missed.'}`}
        nameOf="Hour"
        bars={byHour.map((counts, at) => ({
          name: formatHour(at),
          tick: at % 6 === 3 ? formatHour(at) : undefined,
          ...counts,
        }))}
      />
      <BarChart
        title="By day"
        label={`Requests by day: ${daily.filter(({ missed }) => missed > 0).length} of ${daily.length} days had a missed call.`}
        nameOf="Day"
        bars={daily}
      />
      {byShift.afterHours.leads > 0 && (
        <section className="card">
          <h2>By business hours</h2>
          <Table
            head={['Received', 'Leads', 'On time']}
            rows={[
              [
                emergencies === 'always' ? 'Business hours and emergencies' : 'Business hours',
                byShift.businessHours,
              ] as const,
              ['After hours', byShift.afterHours] as const,
            ].map(([name, { leads, share }]) => [name, leads, formatShare(share)])}
          />
        </section>
      )}
      <section className="card">
        <h2>By source</h2>
        <Table
          head={['Source', 'Leads', 'On time']}
          rows={bySource.map(({ source, leads, share }) => [source, leads, formatShare(share)])}
        />
      </section>
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
      {channels.length > 0 && (
        <section className="card">
          <h2>Delivery time</h2>
          <Table
            head={['Sent by', 'Sent', 'Arrived', 'Failed']}
            rows={channels.map(({ channel, sent, arrived, failed, waiting }) => [
              `${channel}${waiting > 0 ? ` (${waiting} pending)` : ''}`,
              <Times key="sent" {...sent} />,
              arrived ? <Times key="arrived" {...arrived} /> : '–',
              failed,
            ])}
          />
          <p className="quiet small">A dash means that we can’t tell whether it arrived.</p>
        </section>
      )}
    </div>
  )
}

type Lags = PromiseReport['channels'][number]['sent']
const Times = ({ count, medianMs, p95Ms }: Lags) => (
  <>
    {count}
    {count > 0 && (
      <small>
        usually {formatTook(medianMs)}
        <br />
        95% within {formatTook(p95Ms)}
      </small>
    )}
  </>
)

const formatShare = (share: number | null): string =>
  share === null ? '–' : `${(share * 100).toFixed(share === 1 || share === 0 ? 0 : 1)}%`

const formatTook = (ms: number | null): string => (ms === null ? '–' : formatPreciseDuration(ms))

export function describeReport(report: PromiseReport): string[] {
  const { kept, missed, uncalled, open, repeats = 0, suspect, calledInAirtable, byShift } = report
  const called = kept + missed - uncalled
  const isSimple = byShift.afterHours.leads === 0 && report.promiseMinutes !== null
  const onTime = isSimple ? `within ${report.promiseMinutes} minutes` : 'on time'
  return [
    `${kept} of ${count(kept + missed, 'request', 'requests')} got a call ${onTime}.`,
    called === 1 && `The call came after ${formatTook(report.medianMs)}.`,
    called > 1 &&
      `Half of the calls came within ${formatTook(report.medianMs)}, and 90% within ${formatTook(report.p90Ms)}.`,
    missed > 0 && `${missed} missed${describeUncalled(missed, uncalled)}.`,
    open > 0 && `${count(open, 'request is', 'requests are')} not due yet.`,
    repeats > 0 && `${count(repeats, 'request was a repeat', 'requests were repeats')}.`,
    suspect > 0 && `${count(suspect, 'request is', 'requests are')} possible spam and not counted.`,
    calledInAirtable > 0 &&
      `${count(calledInAirtable, 'call was', 'calls were')} recorded in Airtable and may have happened a little earlier than shown.`,
  ].filter((sentence) => sentence !== false)
}

function describeUncalled(missed: number, uncalled: number): string {
  if (uncalled === 0) return ''
  return uncalled === missed ? ' and not called yet' : `, ${uncalled} of them not called yet`
}

const formatHour = (hour: number) => `${hour % 12 || 12} ${hour < 12 ? 'AM' : 'PM'}`

const dayMs = 24 * 3_600_000
/** Includes days without leads. */
function fillDays({ from, to, timeZone, byDay }: PromiseReport): Bar[] {
  const noon = (at: number) => Date.parse(`${formatDay(at, timeZone)}T12:00Z`)
  const known = new Map(byDay.map((one) => [one.day, one]))
  const length = Math.round((noon(to) - noon(from)) / dayMs) + 1
  const every = Math.ceil(length / 5)
  // Create the formatter here, because the first one takes 100 ms on a slow phone.
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
