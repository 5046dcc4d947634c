import { createTransport } from 'nodemailer'
import type { Result } from '../channel.ts'
import type { Alert } from './alert.ts'
import { isMailRefused } from './refusal.ts'

export type EmailSettings = { smtpUrl: string; from: string; to: string }

const handOverTimeoutMs = 30_000

export type SendEmail = (alert: Alert, to: string, signal: AbortSignal) => Promise<Result>

export function createEmailSender({ smtpUrl, from }: Omit<EmailSettings, 'to'>): SendEmail {
  const transport = createTransport({
    url: smtpUrl,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 20_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = from.match(/@([a-z0-9.-]+)/i)?.[1] ?? 'localhost'

  return async (alert, to, signal) => {
    const { id, leadId, occasion, headline, isEmergency } = alert
    const broken = Promise.withResolvers<never>()
    const ending = AbortSignal.any([signal, AbortSignal.timeout(handOverTimeoutMs)])
    const breakOff = () => broken.reject(ending.reason)
    ending.addEventListener('abort', breakOff)
    try {
      await Promise.race([
        transport.sendMail({
          from,
          to,
          subject: headline,
          text: formatText(alert),
          html: formatHtml(alert),
          // A repeat after a lost answer has the same id, and mail programs show it once.
          messageId: `<${id}@${domain}>`,
          // All that is said about a lead stands in one conversation.
          ...(occasion !== 'received' && { references: [`<${leadId}_received@${domain}>`] }),
          ...(isEmergency && { priority: 'high' as const }),
          // Without it an absent colleague's mailbox answers every alert.
          headers: { 'Auto-Submitted': 'auto-generated' },
        }),
        broken.promise,
      ])
      return { ok: true }
    } catch (error) {
      const { responseCode, command } = error as Record<string, unknown>
      const refused = isMailRefused(responseCode, command)
      return { ok: false, error: explainMailError(error), refused }
    } finally {
      ending.removeEventListener('abort', breakOff)
    }
  }
}

/** Servers quote addresses in their refusals: only codes are kept. */
function explainMailError(error: unknown): string {
  const { name, code, responseCode, command } = error as Record<string, unknown>
  if (name === 'AbortError' || name === 'TimeoutError')
    return 'The mail server did not take the mail in time.'
  const said = [
    typeof code === 'string' && /^E[A-Z]+$/.test(code) && code,
    typeof responseCode === 'number' && responseCode,
    typeof command === 'string' && /^[A-Z ]{1,20}$/.test(command) && `at ${command}`,
  ]
    .filter(Boolean)
    .join(' ')
  const where = said ? ` (${said})` : ''
  if (code === 'EAUTH')
    return `The mail server does not accept user and password of SMTP_URL${where}.`
  if (typeof responseCode === 'number') return `The mail server refuses the mail${where}.`
  return `The mail server of SMTP_URL cannot be reached${where}.`
}

const openingChangesNothing = 'Opening the link changes nothing; press the button on its page.'
const setStatus =
  'When you call, set the row’s Status in Airtable to Called: it ends the reminders.'

export function formatText(alert: Alert): string {
  const { headline, remarks, name, service, phone, address, mapUrl, answerUrl } = alert
  return [
    headline,
    ...remarks,
    '',
    `Name: ${name}`,
    `Service: ${service}`,
    `Phone: ${phone}`,
    `Call: ${alert.callUrl}`,
    `Address: ${address}`,
    `Map: ${mapUrl}`,
    `Received: ${alert.receivedAt}`,
    `Call by: ${alert.deadline}`,
    ...(alert.source ? [`From: ${alert.source}`] : []),
    '',
    ...(answerUrl ? [`I am calling: ${answerUrl}`, openingChangesNothing] : [setStatus]),
    '',
  ].join('\n')
}

export const escapeHtml = (text: string): string =>
  text.replace(
    /[&<>"']/g,
    (character) =>
      ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[character] ?? '',
  )

// Mail programs drop style sheets, so every element carries its own.
export function formatHtml(alert: Alert): string {
  const { headline, isEmergency, remarks, mapUrl, callUrl, answerUrl } = alert
  const button = (href: string, text: string, background: string) =>
    `<a href="${escapeHtml(href)}" style="display:block;margin:0 0 12px;padding:15px 16px;border-radius:8px;background:${background};color:#ffffff;font-size:18px;font-weight:700;text-align:center;text-decoration:none">${escapeHtml(text)}</a>`
  const row = (what: string, content: string) =>
    `<tr><td style="padding:8px 14px 8px 0;color:#3f5458;vertical-align:top;white-space:nowrap">${what}</td><td style="padding:8px 0;font-weight:600;overflow-wrap:anywhere">${content}</td></tr>`
  const note = (text: string) =>
    `<p style="margin:0 0 14px;color:#3f5458;font-size:15px">${escapeHtml(text)}</p>`
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="format-detection" content="telephone=no,address=no,email=no,url=no">
<title>${escapeHtml(headline)}</title>
</head>
<body style="margin:0;padding:16px;background:#faf6ee;color:#1b2326;font:16px/1.45 -apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif">
<div style="max-width:480px;margin:0 auto;background:#ffffff;border:1px solid #efe6d6;border-radius:12px;overflow:hidden">
<div style="padding:18px 20px;background:${isEmergency ? '#a31621' : '#1b2326'};color:#ffffff;font-size:21px;line-height:1.3;font-weight:800;overflow-wrap:anywhere">${escapeHtml(headline)}</div>
<div style="padding:18px 20px 8px">
${remarks.map(note).join('\n')}
${button(callUrl, `Call ${alert.phone}`, '#b4501e')}
${answerUrl ? button(answerUrl, 'I am calling', '#3f5458') : ''}
${note(answerUrl ? openingChangesNothing : setStatus)}
<table role="presentation" style="width:100%;border-collapse:collapse;border-top:1px solid #efe6d6;font-size:16px">
${row('Name', escapeHtml(alert.name))}
${row('Service', escapeHtml(alert.service))}
${row('Address', `${escapeHtml(alert.address)}<br><a href="${escapeHtml(mapUrl)}" style="color:#b4501e;font-weight:700">Show on the map</a>`)}
${row('Received', escapeHtml(alert.receivedAt))}
${row('Call by', escapeHtml(alert.deadline))}
${alert.source ? row('From', escapeHtml(alert.source)) : ''}
</table>
</div>
</div>
</body>
</html>
`
}
