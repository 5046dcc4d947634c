import { openMailServer } from '../alerts/smtp.ts'
import { escapeHtml } from '../safe-text.ts'

/** Sends somebody the way in. Throws when the mail server does not take it. */
export async function mailLink(
  email: string,
  link: string,
  { smtpUrl, from, company }: { smtpUrl: string; from: string; company: string },
): Promise<void> {
  const transport = openMailServer(smtpUrl)
  const said = 'It works once, for 15 minutes. If you did not ask for it, delete this mail.'
  await transport.sendMail({
    from,
    to: email,
    subject: `Sign in to the desk of ${company}`,
    text: `Open the desk:\n${link}\n\n${said}\n`,
    html: `<p><a href="${escapeHtml(link)}">Open the desk</a></p><p>${said}</p>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  })
}
