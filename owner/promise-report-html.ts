import { escapeHtml } from '#leads/alerts/email.ts'
import {
  formatLag,
  formatPeriod,
  formatShare,
  formatSource,
  formatTook,
  lagTitles,
  type PromiseReport,
  sourceTitles,
  type Tally,
} from './promise-report.ts'

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
${
  kept + missed === 0
    ? '<p class="empty">No lead of this time has had its ten minutes yet.</p>'
    : `<section><h2>How fast homeowners were answered</h2>${drawMinutes(report.byMinute)}</section>
<section><h2>By hour of the day</h2>${legend}${drawTallies(
        report.byHour.map((tally, hour) => ({
          ...tally,
          label: hour % 3 === 0 ? `${String(hour).padStart(2, '0')}:00` : '',
          title: `${String(hour).padStart(2, '0')}:00`,
        })),
        'Leads by hour of the day, kept and missed',
      )}</section>
${drawDays(report)}`
}
${drawTable('Where leads come from', sourceTitles, report.bySource.map(formatSource))}
${drawTable('From request to hand-over', lagTitles, report.channels.map(formatLag))}
<section class="notes">${notes.map((note) => `<p>${escapeHtml(note)}</p>`).join('')}</section>
</main>
</body>
</html>
`
}

const figure = (value: string, what: string, isBad = false) =>
  `<div${isBad ? ' class="bad"' : ''}><b>${escapeHtml(value)}</b><span>${escapeHtml(what)}</span></div>`

const legend =
  '<p class="legend"><i class="kept"></i>kept <svg width="14" height="14" aria-hidden="true"><rect width="14" height="14" rx="3" fill="#f3d9ca" stroke="#b4501e" stroke-width="2"/></svg>missed</p>'

/** A ring that fills up. */
function drawShare(share: number | null): string {
  const length = 2 * Math.PI * 40
  return `<svg class="ring" viewBox="0 0 100 100" aria-hidden="true"><circle cx="50" cy="50" r="40" fill="none" stroke="#efe6d6" stroke-width="13"/><circle cx="50" cy="50" r="40" fill="none" stroke="#3f5458" stroke-width="13" stroke-dasharray="${((share ?? 0) * length).toFixed(1)} ${length.toFixed(1)}" transform="rotate(-90 50 50)"/></svg>`
}

const chart = { width: 720, height: 220, left: 40, bottom: 30, top: 24 }
const plotHeight = chart.height - chart.bottom - chart.top

/** A round number at or over the largest, so that the lines stand at whole leads. */
function findTop(largest: number): number {
  const steps = [1, 2, 3, 4, 6, 8, 10].flatMap((step) => [step, step * 10, step * 100, step * 1000])
  return steps.sort((a, b) => a - b).find((step) => step >= largest) ?? largest
}

function drawFrame(top: number, label: string, content: string): string {
  const { width, height, left, bottom } = chart
  const values = top === 1 ? [0, 1] : top % 2 === 0 ? [0, top / 2, top] : [0, top]
  const lines = values.map((value) => {
    const y = height - bottom - (value / top) * plotHeight
    return `<line x1="${left}" x2="${width}" y1="${y}" y2="${y}" stroke="#efe6d6"/><text x="${left - 8}" y="${y + 4}" text-anchor="end">${value}</text>`
  })
  return `<div class="scroll"><svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">${lines.join('')}${content}</svg></div>`
}

const bar = (x: number, width: number, from: number, to: number, top: number, style: string) => {
  const y = (value: number) => chart.height - chart.bottom - (value / top) * plotHeight
  return to > from
    ? `<rect x="${x.toFixed(1)}" y="${y(to).toFixed(1)}" width="${width.toFixed(1)}" height="${(y(from) - y(to)).toFixed(1)}" ${style}/>`
    : ''
}
const keptStyle = 'fill="#3f5458" rx="2"'
const missedStyle = 'fill="#f3d9ca" stroke="#b4501e" stroke-width="2" rx="2"'

function drawTallies(columns: (Tally & { label: string; title: string })[], label: string): string {
  const top = findTop(Math.max(...columns.map(({ kept, missed }) => kept + missed)))
  const step = (chart.width - chart.left) / columns.length
  const width = Math.min(48, step * 0.68)
  const content = columns.map(({ kept, missed, label: text, title }, at) => {
    const x = chart.left + at * step + (step - width) / 2
    return `<g><title>${title}: ${kept} kept, ${missed} missed</title>${bar(x, width, 0, kept, top, keptStyle)}${bar(x, width, kept, kept + missed, top, missedStyle)}<text x="${(x + width / 2).toFixed(1)}" y="${chart.height - 8}" text-anchor="middle">${text}</text></g>`
  })
  return drawFrame(top, label, content.join(''))
}

function drawMinutes(counts: readonly number[]): string {
  const top = findTop(Math.max(...counts))
  const step = (chart.width - chart.left) / counts.length
  const width = step * 0.72
  const content = counts.map((count, at) => {
    const x = chart.left + at * step + (step - width) / 2
    const isKept = at < 10
    const label = isKept ? `${at}–${at + 1}` : at === 10 ? 'later' : 'never'
    const y = chart.height - chart.bottom - (count / top) * plotHeight
    return `<g><title>${isKept ? `${label} min` : label}: ${count}</title>${bar(x, width, 0, count, top, isKept ? keptStyle : missedStyle)}${count > 0 ? `<text class="value" x="${(x + width / 2).toFixed(1)}" y="${(y - 5).toFixed(1)}" text-anchor="middle">${count}</text>` : ''}<text x="${(x + width / 2).toFixed(1)}" y="${chart.height - 8}" text-anchor="middle">${label}</text></g>`
  })
  const deadline = chart.left + 10 * step
  content.push(
    `<line x1="${deadline}" x2="${deadline}" y1="0" y2="${chart.height - chart.bottom}" stroke="#b4501e" stroke-width="2" stroke-dasharray="5 4"/>`,
  )
  return `${drawFrame(top, 'Leads by minutes until the answer', content.join(''))}<p class="caption">Minutes until somebody said “I am calling”. The line is the promise.</p>`
}

const mostColumns = 45

/** By day; a long time is gathered into as many days each as needed. */
function drawDays({ byDay }: PromiseReport): string {
  if (byDay.length < 2) return ''
  const first = Date.parse(byDay[0]?.day ?? '')
  const last = Date.parse(byDay.at(-1)?.day ?? '')
  const days = Math.round((last - first) / 86_400_000) + 1
  const daysEach = Math.ceil(days / mostColumns)
  const columns = Array.from({ length: Math.ceil(days / daysEach) }, (_, at) => {
    const start = first + at * daysEach * 86_400_000
    const title = new Date(start).toISOString().slice(0, 10)
    return { kept: 0, missed: 0, label: '', title }
  })
  for (const { day, kept, missed } of byDay) {
    const column = columns[Math.floor((Date.parse(day) - first) / 86_400_000 / daysEach)]
    if (!column) continue
    column.kept += kept
    column.missed += missed
  }
  const every = Math.ceil(columns.length / 8)
  for (const [at, column] of columns.entries())
    if (at % every === 0) column.label = column.title.slice(5)
  const heading = daysEach === 1 ? 'By day' : `By ${daysEach} days`
  return `<section><h2>${heading}</h2>${legend}${drawTallies(columns, 'Leads by day, kept and missed')}</section>`
}

function drawTable(heading: string, titles: readonly string[], rows: readonly string[][]): string {
  if (rows.length === 0) return ''
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
