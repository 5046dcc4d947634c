import brand from '../brand.json' with { type: 'json' }
import type { ShownField } from '../field-outputs.ts'
import { escapeHtml } from '../safe-text.ts'
import { capitalize, chooseWords } from '../words.ts'
import type { Alert } from './alert.ts'
import type { Digest } from './channel-type.ts'

export function formatText(alert: Alert): string {
  const { headline, remarks, rows, callUrl, mapUrl, answer } = alert
  const { call } = chooseWords(alert)
  return [
    headline,
    ...remarks,
    '',
    ...rows.flatMap(({ name, label, text }) => [
      `${label}: ${text}`,
      ...(name === 'phone' && callUrl ? [`Call: ${callUrl}`] : []),
      ...(name === 'address' && mapUrl ? [`Map: ${mapUrl}`] : []),
    ]),
    `Received: ${alert.receivedAt}`,
    ...(alert.deadline ? [`${capitalize(call)} by: ${alert.deadline}`] : []),
    ...(alert.source ? [`Source: ${alert.source}`] : []),
    '',
    ...(answer.url ? [`${answer.label}: ${answer.url}`] : []),
    answer.hint,
    '',
  ].join('\n')
}

const { roundness, palette } = brand
const { ink, slate, paper, sand, alarm } = palette

// Many mail programs ignore style sheets, so use inline styles.
export const formatButton = (
  href: string,
  text: string,
  background = palette.accent,
  color = palette.onAccent,
) =>
  `<a href="${escapeHtml(href)}" style="display:block;margin:0 0 12px;padding:15px 8px;border-radius:${8 * roundness}px;background:${background};color:${color};font-size:18px;font-weight:700;text-align:center;text-wrap:balance;text-decoration:none">${escapeHtml(text)}</a>`

export const formatNote = (text: string) =>
  `<p style="margin:0 0 14px;color:${slate};font-size:15px">${escapeHtml(text)}</p>`

/** Returns the HTML of an email. `content` must be HTML. */
export const formatPage = (title: string, content: string, background = ink) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="format-detection" content="telephone=no,address=no,email=no,url=no">
<title>${escapeHtml(title)}</title>
</head>
<body style="margin:0;padding:16px;background:${paper};color:${ink};font:16px/1.45 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<div style="max-width:480px;margin:0 auto;background:#ffffff;border:1px solid ${sand};border-radius:${12 * roundness}px;overflow:hidden">
<div style="padding:18px 20px;background:${background};color:#ffffff;font-size:21px;line-height:1.3;font-weight:800;overflow-wrap:anywhere">${escapeHtml(title)}</div>
<div style="padding:18px 20px 8px">
${content}
</div>
</div>
</body>
</html>
`

export function formatHtml(alert: Alert): string {
  const { headline, isEmergency, remarks, mapUrl, callUrl, answer } = alert
  const { call } = chooseWords(alert)
  const row = (label: string, content: string) =>
    `<tr><td style="padding:8px 14px 8px 0;color:${slate};vertical-align:top;white-space:nowrap">${label}</td><td style="padding:8px 0;font-weight:600;overflow-wrap:anywhere">${content}</td></tr>`
  const map = `<br><a href="${escapeHtml(mapUrl ?? '')}" style="color:${palette.link};font-weight:700">Open map</a>`
  // The call button shows the phone number.
  const showField = ({ name, label, text }: ShownField) =>
    name === 'phone' ? '' : row(label, escapeHtml(text) + (name === 'address' ? map : ''))
  const content = `${remarks.map(formatNote).join('\n')}
${callUrl ? formatButton(callUrl, `Call ${alert.phone}`) : ''}
${answer.url ? formatButton(answer.url, answer.label, slate, '#ffffff') : ''}
${formatNote(answer.hint)}
<table role="presentation" style="width:100%;border-collapse:collapse;border-top:1px solid ${sand};font-size:16px">
${alert.rows.map(showField).join('\n')}
${row('Received', escapeHtml(alert.receivedAt))}
${alert.deadline ? row(`${capitalize(call)} by`, escapeHtml(alert.deadline)) : ''}
${alert.source ? row('Source', escapeHtml(alert.source)) : ''}
</table>`
  return formatPage(headline, content, isEmergency ? alarm : ink)
}

export function formatDigest({ text, url }: Digest) {
  const note = 'You get this email when your day starts, and only if there is something to do.'
  return {
    subject: `To do: ${text}`,
    text: `${text}\n\nOpen Today: ${url}\n\n${note}\n`,
    html: formatPage(text, `${formatButton(url, 'Open Today')}\n${formatNote(note)}`),
  }
}
