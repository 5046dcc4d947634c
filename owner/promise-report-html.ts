import { escapeHtml } from '#leads/safe-text.ts'
import type { PromiseReport } from './promise-report.ts'
import { formatPeriod, formatShare, formatTook, listTables } from './promise-report-text.ts'

/** One page that needs nothing else: no script, no other file. It holds figures, no people's names. */
export function formatReportHtml(report: PromiseReport): string {
  const { leads, kept, missed, open, suspect, neverAnswered, answeredInAirtable } = report
  const notes = [
    open > 0 && `${open} not counted yet: their ten minutes still run.`,
    suspect > 0 && `${suspect} suspect ${suspect === 1 ? 'lead is' : 'leads are'} not counted.`,
    answeredInAirtable > 0 &&
      `${answeredInAirtable} answered in Airtable: at the time counted here, or up to some minutes earlier.`,
    'Median and 90th percentile are of the leads that were answered.',
  ].filter((note) => note !== false)
  const charts =
    kept + missed > 0
      ? [drawMinutes(report.byMinute), drawHours(report.byHour), drawDays(report.byDay)]
      : ['<p class="empty">No lead of this time has had its ten minutes yet.</p>']
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="robots" content="noindex">
<title>The ten-minute promise</title>
<style>${style}</style>
</head>
<body>
<header>
<svg class="gable" viewBox="0 0 120 20" aria-hidden="true"><path d="M0 20 60 0l60 20" fill="none" stroke="#b4501e" stroke-width="5"/></svg>
<h1>The ten-minute promise</h1>
<p>${escapeHtml(formatPeriod(report))}</p>
</header>
<main>
<section class="figures" aria-label="Figures">
<div class="first">${drawShare(report.share)}<div><b>${formatShare(report.share)}</b><span>answered within 10 minutes</span></div></div>
${figure(String(leads), leads === 1 ? 'lead' : 'leads')}
${figure(formatTook(report.medianMs), 'median answer time')}
${figure(formatTook(report.p90Ms), '90th percentile')}
${figure(String(missed), neverAnswered > 0 ? `missed, ${neverAnswered} never answered` : 'missed', missed > 0)}
</section>
${charts.join('\n')}
${listTables(report).map(drawTable).join('\n')}
<section class="notes">${notes.map((note) => `<p>${escapeHtml(note)}</p>`).join('')}</section>
</main>
</body>
</html>
`
}

const figure = (value: string, what: string, isBad = false) =>
  `<div${isBad ? ' class="bad"' : ''}><b>${escapeHtml(value)}</b><span>${escapeHtml(what)}</span></div>`

/** A ring that fills up. */
function drawShare(share: number | null): string {
  const length = 2 * Math.PI * 40
  return `<svg class="ring" viewBox="0 0 100 100" aria-hidden="true"><circle cx="50" cy="50" r="40" fill="none" stroke="#efe6d6" stroke-width="13"/><circle cx="50" cy="50" r="40" fill="none" stroke="#3f5458" stroke-width="13" stroke-dasharray="${((share ?? 0) * length).toFixed(1)} ${length.toFixed(1)}" transform="rotate(-90 50 50)"/></svg>`
}

function drawMinutes(counts: readonly number[]): string {
  const columns = counts.map((count, at) => {
    const isKept = at < 10
    const label = isKept ? `${at}–${at + 1}` : at === 10 ? 'later' : 'never'
    const title = `${isKept ? `${label} min` : label}: ${count}`
    return { kept: isKept ? count : 0, missed: isKept ? 0 : count, label, title, value: count }
  })
  const chart = drawChart('Leads by minutes until the answer', columns, 10)
  return `<section><h2>How fast homeowners were answered</h2>${chart}<p class="caption">Minutes until somebody said “I am calling”. The line is the promise.</p></section>`
}

function drawHours(hours: PromiseReport['byHour']): string {
  const columns = hours.map(({ kept, missed }, hour) => {
    const name = `${String(hour).padStart(2, '0')}:00`
    const title = `${name}: ${kept} kept, ${missed} missed`
    return { kept, missed, label: hour % 3 === 0 ? name : '', title }
  })
  const chart = drawChart('Leads by hour of the day, kept and missed', columns)
  return `<section><h2>By hour of the day</h2>${legend}${chart}</section>`
}

const mostColumns = 45
const dayMs = 86_400_000

/** A long time is gathered into as many days each as needed. */
function drawDays(byDay: PromiseReport['byDay']): string {
  if (byDay.length < 2) return ''
  const first = Date.parse(byDay[0]?.day ?? '')
  const findDay = (day = '') => Math.round((Date.parse(day) - first) / dayMs)
  const days = findDay(byDay.at(-1)?.day) + 1
  const daysEach = Math.ceil(days / mostColumns)
  const groups = Map.groupBy(byDay, ({ day }) => Math.floor(findDay(day) / daysEach))
  const length = Math.ceil(days / daysEach)
  const every = Math.ceil(length / 8)
  const columns = Array.from({ length }, (_, at) => {
    const name = new Date(first + at * daysEach * dayMs).toISOString().slice(0, 10)
    const some = groups.get(at) ?? []
    const kept = some.reduce((sum, day) => sum + day.kept, 0)
    const missed = some.reduce((sum, day) => sum + day.missed, 0)
    const title = `${name}: ${kept} kept, ${missed} missed`
    return { kept, missed, label: at % every === 0 ? name.slice(5) : '', title }
  })
  const chart = drawChart('Leads by day, kept and missed', columns)
  return `<section><h2>${daysEach === 1 ? 'By day' : `By ${daysEach} days`}</h2>${legend}${chart}</section>`
}

const legend =
  '<p class="legend"><i class="kept"></i>kept <svg width="14" height="14" aria-hidden="true"><rect width="14" height="14" rx="3" fill="#f3d9ca" stroke="#b4501e" stroke-width="2"/></svg>missed</p>'

type Column = { kept: number; missed: number; label: string; title: string; value?: number }
const size = { width: 720, height: 220, left: 40, bottom: 30, top: 24 }
const keptStyle = 'fill="#3f5458" rx="2"'
const missedStyle = 'fill="#f3d9ca" stroke="#b4501e" stroke-width="2" rx="2"'

/** Columns of kept below missed; `deadline` is the column before which a line is drawn. */
function drawChart(name: string, columns: readonly Column[], deadline?: number): string {
  const { width, height, left, bottom, top } = size
  const most = roundUp(Math.max(...columns.map(({ kept, missed }) => kept + missed)))
  const findY = (value: number) => height - bottom - (value / most) * (height - bottom - top)
  const step = (width - left) / columns.length
  const barWidth = Math.min(48, step * 0.7)
  const bar = (x: number, from: number, to: number, look: string) =>
    to > from
      ? `<rect x="${x.toFixed(1)}" y="${findY(to).toFixed(1)}" width="${barWidth.toFixed(1)}" height="${(findY(from) - findY(to)).toFixed(1)}" ${look}/>`
      : ''
  const lines = (most % 2 === 0 ? [0, most / 2, most] : [0, most]).map((value) => {
    const y = findY(value)
    return `<line x1="${left}" x2="${width}" y1="${y}" y2="${y}" stroke="#efe6d6"/><text x="${left - 8}" y="${y + 4}" text-anchor="end">${value}</text>`
  })
  const bars = columns.map(({ kept, missed, label, title, value }, at) => {
    const x = left + at * step + (step - barWidth) / 2
    const all = kept + missed
    const write = (text: number | string, y: number, look = '') =>
      `<text${look} x="${(x + barWidth / 2).toFixed(1)}" y="${y.toFixed(1)}" text-anchor="middle">${text}</text>`
    return `<g><title>${title}</title>${bar(x, 0, kept, keptStyle)}${bar(x, kept, all, missedStyle)}${value ? write(value, findY(all) - 5, ' class="value"') : ''}${write(label, height - 8)}</g>`
  })
  const x = left + (deadline ?? 0) * step
  const line = `<line x1="${x}" x2="${x}" y1="0" y2="${height - bottom}" stroke="#b4501e" stroke-width="2" stroke-dasharray="5 4"/>`
  return `<div class="scroll"><svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${name}">${lines.join('')}${bars.join('')}${deadline ? line : ''}</svg></div>`
}

/** A round number at or over the largest, so that the lines are at whole leads. */
function roundUp(largest: number): number {
  const power = 10 ** Math.floor(Math.log10(largest))
  return ([1, 2, 3, 4, 6, 8].find((step) => step * power >= largest) ?? 10) * power
}

function drawTable({ heading, titles, rows }: ReturnType<typeof listTables>[number]): string {
  const cells = (values: readonly string[], tag: string) =>
    values.map((value) => `<${tag}>${escapeHtml(value)}</${tag}>`).join('')
  return `<section><h2>${heading}</h2>
<div class="scroll"><table><thead><tr>${cells(titles, 'th')}</tr></thead><tbody>
${rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')}
</tbody></table></div></section>`
}

const style = `
:root{color-scheme:light}
*{box-sizing:border-box}
body{margin:0;background:#faf6ee;color:#1b2326;font:16px/1.5 system-ui,sans-serif;-webkit-print-color-adjust:exact;print-color-adjust:exact}
header{padding:36px 20px 30px;background:#1b2326;color:#faf6ee;text-align:center}
header p{margin:0;opacity:.85}
.gable{width:96px;height:16px}
h1{margin:.2em 0 .15em;font-size:clamp(1.7rem,5vw,2.5rem);line-height:1.15;font-weight:800;letter-spacing:-.015em}
h2{margin:0 0 .5em;font-size:1.25rem}
main{max-width:860px;margin:0 auto;padding:24px 16px 48px}
section{margin:0 0 18px;padding:22px;background:#fff;border:1px solid #efe6d6;border-radius:12px;break-inside:avoid}
.figures{display:grid;grid-template-columns:repeat(4,1fr);gap:20px 16px}
.figures b{display:block;font-size:1.55rem;line-height:1.2;font-variant-numeric:tabular-nums}
.figures span{color:#3f5458}
.figures .bad b{color:#8f3c12}
.first{grid-column:1/-1;display:flex;align-items:center;gap:20px;padding-bottom:18px;border-bottom:1px solid #efe6d6}
.first b{font-size:2.6rem;line-height:1.1}
.ring{width:104px;height:104px;flex:none}
.chart{display:block;width:100%;min-width:520px;height:auto;overflow:visible}
.chart text{font:12px system-ui,sans-serif;fill:#3f5458}
.chart .value{font-weight:700;fill:#1b2326}
.legend{display:flex;align-items:center;gap:8px;margin:0 0 .6em;color:#3f5458}
.legend svg{margin-left:12px}
.legend i{width:14px;height:14px;border-radius:3px;background:#3f5458}
.caption{margin:.6em 0 0;color:#3f5458}
.scroll{overflow-x:auto}
table{width:100%;border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:.5em .7em;border-bottom:1px solid #efe6d6;text-align:right;white-space:nowrap}
th{color:#3f5458;font-weight:600}
th:first-child,td:first-child{padding-left:0;text-align:left;white-space:normal;overflow-wrap:anywhere}
.notes{background:none;border:0;padding:0 22px;color:#3f5458}
.notes p{margin:0 0 .3em}
.empty{padding:22px;background:#fff;border:1px solid #efe6d6;border-radius:12px}
@media (max-width:560px){.figures{grid-template-columns:1fr 1fr}.chart text{font-size:15px}section{padding:18px 16px}}
@media print{body{background:#fff;font-size:11pt}header{padding:12px}main{padding:12px 0}section{margin-bottom:10px;padding:12px 16px}}
`
