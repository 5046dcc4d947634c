import { createHash } from 'node:crypto'
import brand from '../brand.json' with { type: 'json' }
import { formatDayTime } from '../call-time.ts'
import { type Alert, spamRemark } from '../channels/alert.ts'
import { type Clock, formatAt, formatDuration } from '../clock.ts'
import { isDueAgain } from '../deadline.ts'
import { describeEvent, explainNextCall } from '../describe-event.ts'
import { listShown, type ShownField } from '../field-outputs.ts'
import { computeLatestChange, isClosed, needsCall, readNeed } from '../lead-state.ts'
import { escapeHtml } from '../safe-text.ts'
import type { LeadRecord } from '../store/find-leads.ts'
import { capitalize, chooseWords } from '../words.ts'

const { roundness, palette } = brand
const { ink, slate, paper, sand, alarm, leaf } = palette
const style = `
*{box-sizing:border-box}
body{margin:0;padding:20px 16px 40px;background:${paper};color:${ink};font:17px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:30rem;margin:0 auto}
h1{margin:0 0 .6em;font-size:1.6rem;line-height:1.2;text-wrap:balance}
p{margin:0 0 1em}
.box{background:#fff;border:1px solid ${sand};border-top:6px solid ${slate};border-radius:${12 * roundness}px;padding:22px 20px}
.emergency{border-top-color:${alarm}}
.called{border-top-color:${leaf}}
.flag{display:inline-block;margin:0 0 .7em;padding:2px 10px;border-radius:${6 * roundness}px;background:${alarm};color:#fff;font-weight:700;letter-spacing:.04em}
dl{margin:1.3em 0 0}
dl div{padding:.6em 0;border-top:1px solid ${sand}}
dt{color:${slate};font-size:.9rem}
dd{margin:0;font-weight:600;white-space:pre-line}
a{color:${palette.link};font-weight:700}
dd a{display:inline-block;padding:.7em 0;margin:-.7em 0}
button,.call{display:block;width:100%;min-height:56px;padding:14px 16px;border:0;border-radius:${8 * roundness}px;background:${palette.accent};color:${palette.onAccent};font:700 1.15rem/1.3 system-ui,sans-serif;text-align:center;text-decoration:none;cursor:pointer}
button:hover,.call:hover{background:${palette.accentDeep}}
button:focus-visible,a:focus-visible{outline:3px solid ${ink};outline-offset:3px}
.took{color:${leaf};font-weight:700}
.late{color:${alarm};font-weight:700}
.small{margin:.8em 0 0;color:${slate};font-size:.95rem}
`

/** Blocks scripts, external resources, caching, framing, indexing, and the referrer. */
export const answerHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex, nofollow',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

const formatPage = (title: string, content: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="format-detection" content="telephone=no, address=no, email=no">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
${content}
</main>
</body>
</html>
`

/**
 * Shows the lead with one button. After someone has called, shows the time of the call and the number instead.
 * `isFirst` means that this person's press of the button recorded the call.
 */
export function formatAnswerPage(
  alert: Alert,
  lead: LeadRecord,
  isFirst: boolean,
  clock: Clock,
): string {
  const isCalled = !needsCall(lead)
  const words = chooseWords(lead)
  const title = nameTitle()
  const row = (label: string, content: string) => `<div><dt>${label}</dt><dd>${content}</dd></div>`
  const { callUrl, mapUrl = '' } = alert
  const call = callUrl
    ? `<a class="call" href="${escapeHtml(callUrl)}">Call ${escapeHtml(alert.phone)}</a>`
    : ''
  const showField = ({ name, label, text }: ShownField): string => {
    const shown = escapeHtml(text)
    // After someone has called, the call button shows the number.
    if (name === 'phone' && callUrl)
      return isCalled ? '' : row(label, `<a href="${escapeHtml(callUrl)}">${shown}</a>`)
    const map = `<br><a href="${escapeHtml(mapUrl)}" rel="noreferrer">Open map</a>`
    return row(label, name === 'address' ? shown + map : shown)
  }
  const kind = isCalled ? 'called' : alert.isEmergency ? 'emergency' : ''
  return formatPage(
    title,
    `<div class="box ${kind}">
${alert.isEmergency ? '<p class="flag">EMERGENCY</p>' : ''}
<h1>${title}</h1>
${isCalled ? describeLatestChange(lead, isFirst, clock) : describeDeadline(alert, lead, clock)}
${lead.suspect && readNeed(lead) === 'first-call' ? `<p>${spamRemark}</p>` : ''}
${isCalled ? call : `<form method="post"><button>I’m ${words.calling} now</button></form>\n<p class="small">This records the time and stops the reminders to the crew.</p>`}
<dl>
${listShown(lead).map(showField).join('\n')}
${row('Received', escapeHtml(alert.receivedAt))}
</dl>
</div>`,
  )

  function nameTitle(): string {
    if (isFirst) return `You’re ${words.calling}`
    if (isClosed(lead)) return 'Already handled'
    return isCalled ? `Already ${words.called}` : `${capitalize(words.call)} this homeowner`
  }
}

function describeDeadline({ deadline }: Alert, lead: LeadRecord, clock: Clock): string {
  const { deadlineAt, callAgainAt } = lead
  const { call } = chooseWords(lead)
  if (readNeed(lead) === 'next-call') {
    const when =
      callAgainAt === null || isDueAgain(lead, clock.now)
        ? 'now'
        : `at ${formatDayTime(callAgainAt, clock)}`
    return `<p>${capitalize(explainNextCall(lead))}. Please ${call} again ${when}.</p>`
  }
  if (deadlineAt === null || deadline === undefined) return ''
  const leftMs = deadlineAt - clock.now
  return leftMs > 0
    ? `<p>We promised to ${call} by <strong>${escapeHtml(deadline)}</strong>. You have ${formatDuration(leftMs)} left.</p>`
    : `<p class="late">We promised to ${call} by ${escapeHtml(deadline)}. That was ${formatDuration(-leftMs)} ago.</p>`
}

function describeLatestChange(lead: LeadRecord, isFirst: boolean, clock: Clock): string {
  const { receivedAt, deadlineAt, calledAt, events } = lead
  const last = computeLatestChange(events)
  if (calledAt === null || !last) return ''
  if (isFirst && last.at !== calledAt) return '<p>Recorded. Reminders have stopped.</p>'
  const isLate = deadlineAt !== null && calledAt > deadlineAt
  const took = `<span class="${isLate ? 'late' : 'took'}">${formatDuration(calledAt - receivedAt)}</span> after the request`
  if (isFirst)
    return `<p>Recorded ${escapeHtml(formatAt(calledAt, clock))}, ${took}. Reminders have stopped.</p>`
  const when = formatAt(last.at, clock)
  const what = escapeHtml(describeEvent(last, { ...clock, lead, when }))
  const timed = last.at === calledAt ? what.replace(when, `${when}, ${took}`) : what
  const next = isClosed(lead)
    ? 'There’s nothing left to do.'
    : 'If that wasn’t you, someone else is already on it.'
  return `<p>${timed}. ${next}</p>`
}

const formatNotice = (title: string, text: string) =>
  formatPage(title, `<div class="box"><h1>${title}</h1>\n<p>${text}</p></div>`)

export const unknownLink = formatNotice(
  'This link isn’t valid',
  'Part of the link may be missing, or the lead was erased. Open the link from the alert again, or copy the whole link.',
)

export const expiredLink = formatNotice(
  'This link has expired',
  'Links in alerts work for 7 days. You can still find this lead on the desk or in Airtable.',
)

export const unavailable = formatNotice(
  'This page isn’t working right now',
  'Contact the homeowner first. Then open this link again to check that your call was recorded.',
)
