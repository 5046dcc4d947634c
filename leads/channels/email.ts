import type { SendMailOptions } from 'nodemailer'
import { checked, emails, hasProtocol, text } from '../variables.ts'
import { type Context, nameRecipients, type Result } from './channel-type.ts'
import { createAlertChannel } from './create-alert-channel.ts'
import { formatHtml, formatText } from './email-content.ts'

export const mailVariables = {
  SMTP_URL: checked(
    (text) => hasProtocol(text, ['smtp:', 'smtps:']),
    'must look like smtps://user:password@mail.example.com:465; in the password, write # / ? as %23 %2F %3F',
  ),
  ALERT_EMAIL_FROM: text,
}
const variables = {
  ...mailVariables,
  ALERT_EMAIL_TO: emails,
  ESCALATION_EMAIL_TO: emails,
}

export type MailSettings = { smtpUrl: string; from: string }

type EmailSettings = MailSettings & {
  /** Empty if email is set up only for signing in to the desk. */
  to: string[]
  remindTo: string[]
}

export const email = createAlertChannel<'email', typeof variables, EmailSettings>({
  kind: 'email',
  label: 'Email',
  setupHint: 'email (SMTP_URL and ALERT_EMAIL_…)',
  settings: {
    variables,
    required: ['SMTP_URL', 'ALERT_EMAIL_FROM', 'ALERT_EMAIL_TO'],
    read: ({ SMTP_URL, ALERT_EMAIL_FROM, ALERT_EMAIL_TO: to = [], ESCALATION_EMAIL_TO }) =>
      SMTP_URL && ALERT_EMAIL_FROM
        ? {
            smtpUrl: SMTP_URL,
            from: ALERT_EMAIL_FROM,
            to,
            remindTo: to.length > 0 ? (ESCALATION_EMAIL_TO ?? to) : [],
          }
        : undefined,
  },
  reasons: ['received', 'uncalled', 'missed', 'again'],
  recipients: async ({ settings: { to, remindTo } }, event) => {
    if (!event) return nameRecipients('email', [...to, ...remindTo])
    return nameRecipients('email', event.reason === 'received' ? to : remindTo)
  },
  sendAlert: ({ alert, to }, context, signal) => {
    const { id, leadId, reason, headline, isEmergency } = alert
    const mail = {
      to,
      subject: headline,
      text: formatText(alert),
      html: formatHtml(alert),
      ...(isEmergency && { priority: 'high' as const }),
    }
    // Lets mail programs group the messages about one lead.
    const firstId = reason === 'received' ? undefined : `${leadId}_received`
    return sendMail({ id, firstId, ...mail }, context, signal)
  },
})

const sendTimeoutMs = 30_000

type MailContext = Pick<Context<MailSettings>, 'settings' | 'timers' | 'openMailServer'>

type Mail = SendMailOptions & { id: string; firstId?: string | undefined }

export async function sendMail(
  { id, firstId, ...mail }: Mail,
  { settings, timers, openMailServer }: MailContext,
  signal: AbortSignal,
): Promise<Result> {
  const { smtpUrl, from } = settings
  const ending = AbortSignal.any([signal, timers.timeout(sendTimeoutMs)])
  const ended = new Promise<never>((_, reject) => {
    ending.addEventListener('abort', () => reject(ending.reason))
  })
  // The signal may also fire after the mail was sent.
  ended.catch(() => {})
  try {
    const domain = from.match(/@([a-z0-9.-]+)/i)?.[1] ?? 'localhost'
    await Promise.race([
      openMailServer(smtpUrl).sendMail({
        from,
        ...mail,
        // A retry has the same ID, so mail programs show the message once.
        messageId: `<${id}@${domain}>`,
        ...(firstId && { references: [`<${firstId}@${domain}>`] }),
        // Prevents automatic replies.
        headers: { 'Auto-Submitted': 'auto-generated' },
      }),
      ended,
    ])
    return { ok: true }
  } catch (error) {
    return { ok: false, error: explainMailError(error), refused: isMailRefused(error) }
  }
}

/** A 4xx is temporary, and a rejected MAIL FROM concerns ALERT_EMAIL_FROM, not one lead. */
function isMailRefused(error: unknown): boolean {
  const { responseCode, command } = error as Record<string, unknown>
  return Number(responseCode) >= 500 && (command === 'RCPT TO' || command === 'DATA')
}

/** Keeps only codes, because the server's messages may contain addresses. */
function explainMailError(error: unknown): string {
  const { name, code, responseCode, command } = error as Record<string, unknown>
  if (name === 'AbortError' || name === 'TimeoutError')
    return 'The mail server didn’t respond in time.'
  const codes = [
    typeof code === 'string' && /^E[A-Z]+$/.test(code) && code,
    typeof responseCode === 'number' && responseCode,
    typeof command === 'string' && /^[A-Z ]{1,20}$/.test(command) && `at ${command}`,
  ]
    .filter(Boolean)
    .join(' ')
  const where = codes ? ` (${codes})` : ''
  if (code === 'EAUTH')
    return `The mail server rejected the user name or password. Check SMTP_URL${where}.`
  if (typeof responseCode === 'number') return `The mail server rejected the email${where}.`
  return `The mail server couldn’t be reached. Check SMTP_URL${where}.`
}
