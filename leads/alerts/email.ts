import type { Result } from '../channel.ts'
import type { Alert } from './alert.ts'
import { formatHtml, formatText } from './email-content.ts'
import { isMailRefused } from './refusal.ts'
import { openMailServer } from './smtp.ts'

const handOverTimeoutMs = 30_000

export function createEmailSender({ smtpUrl, from }: { smtpUrl: string; from: string }) {
  const transport = openMailServer(smtpUrl)
  const domain = from.match(/@([a-z0-9.-]+)/i)?.[1] ?? 'localhost'

  return async (alert: Alert, to: string, signal: AbortSignal): Promise<Result> => {
    const { id, leadId, occasion, headline, isEmergency } = alert
    const ending = AbortSignal.any([signal, AbortSignal.timeout(handOverTimeoutMs)])
    const ended = new Promise<never>((_, reject) => {
      ending.addEventListener('abort', () => reject(ending.reason))
    })
    // Also after the mail has gone, when nobody listens any more.
    ended.catch(() => {})
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
          // All that is said about a lead is one conversation.
          ...(occasion !== 'received' && { references: [`<${leadId}_received@${domain}>`] }),
          ...(isEmergency && { priority: 'high' as const }),
          // Without it an absent colleague's mailbox answers every alert.
          headers: { 'Auto-Submitted': 'auto-generated' },
        }),
        ended,
      ])
      return { ok: true }
    } catch (error) {
      const { responseCode, command } = error as Record<string, unknown>
      const refused = isMailRefused(responseCode, command)
      return { ok: false, error: explainMailError(error), refused }
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
