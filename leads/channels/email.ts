import type { SendMailOptions } from 'nodemailer'
import type { Context } from '../context.ts'
import { listOwners } from '../store/people.ts'
import { nameRecipients, type Result } from './channel-type.ts'
import { createAlertChannel } from './create-alert-channel.ts'
import { formatDigest, formatHtml, formatText } from './email-content.ts'
import { explainMailError, isMailRefused, logIn } from './mail-server.ts'

export type MailSettings = { smtpUrl: string; from: string }

export const email = createAlertChannel<'email'>({
  kind: 'email',
  label: 'Email',
  setupHint: 'email (SMTP_URL and ALERT_EMAIL_…)',
  reasons: ['received', 'uncalled', 'missed', 'again', 'unresolved'],
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
    // Mail programs use the ID of the lead's first email to group the messages about one lead.
    const firstId = reason === 'received' ? undefined : `${leadId}_received`
    return sendMail({ id, firstId, ...mail }, context, signal)
  },
  digest: {
    recipients: async ({ db, env }) => nameRecipients('email', await listOwners(db, env)),
    send: (digest, { to }, context, signal) =>
      sendMail({ id: digest.id, to, ...formatDigest(digest) }, context, signal),
  },
  findLoginFault: ({ settings, openMailServer, timers }) =>
    logIn(openMailServer(settings.smtpUrl), timers).then(() => undefined, explainMailError),
})

const sendTimeoutMs = 30_000

type Mail = SendMailOptions & { id: string; firstId?: string | undefined }

export async function sendMail(
  { id, firstId, ...mail }: Mail,
  {
    settings,
    timers,
    openMailServer,
  }: Pick<Context, 'timers' | 'openMailServer'> & { settings: MailSettings },
  signal: AbortSignal,
): Promise<Result> {
  const { smtpUrl, from } = settings
  const ending = AbortSignal.any([signal, timers.timeout(sendTimeoutMs)])
  const ended = new Promise<never>((_, reject) => {
    ending.addEventListener('abort', () => reject(ending.reason))
  })
  // Ignore the rejection, because the signal may also fire after the mail was sent.
  ended.catch(() => {})
  try {
    ending.throwIfAborted()
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
