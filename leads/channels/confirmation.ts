import { formatCallTime } from '../call-time.ts'
import type { Context } from '../context.ts'
import { readPhone } from '../field-outputs.ts'
import { readDigits } from '../lead.ts'
import { escapeHtml } from '../safe-text.ts'
import { phoneCall } from '../source.ts'
import type { ClaimedLead } from '../store/claims.ts'
import { hourMs, minuteMs } from '../time-units.ts'
import type { Channel, LeadEvent, Result } from './channel-type.ts'
import { type MailSettings, sendMail } from './email.ts'
import { formatButton, formatNote, formatPage } from './email-content.ts'

// The mail library would change other addresses, such as <a@example.com>, after the limits have counted them.
const plainAddress = /^[\w.+'-]+@[a-z\d.-]+$/i
const recentMs = 5 * minuteMs

/** Emails the homeowner. */
export const confirmation: Channel<'confirmation'> = {
  kind: 'confirmation',
  label: 'Email to the homeowner',
  reasons: ['received', 'unreached'],
  // One recipient is enough, because the email address is in the lead.
  recipients: async (_, event) =>
    event && !mayEmail(event.lead) ? [] : [{ name: 'confirmation', to: '', label: '' }],
  send: (claimed, _, context, signal) =>
    Promise.all(claimed.map((delivery) => sendConfirmation(delivery, context, signal))),
  explainFailure: (leads, lateBy) => `Emails to the homeowners of ${leads} are ${lateBy} late.`,
  adviceIfLate: 'The site retries for an hour.',
  doctorCheck: async () => [{ state: 'ok', text: 'Confirmation emails to homeowners are on.' }],
  batchSize: 1,
  isAlert: false,
  isLimited: true,
  expiresAfterMs: hourMs,
}

/** Suspected spam may contain a stranger's email address. Homeowners who called us have not agreed to emails. */
const mayEmail = ({ deadlineAt, source, email }: LeadEvent['lead']) =>
  deadlineAt !== null && source !== phoneCall && plainAddress.test(email)

async function sendConfirmation(
  delivery: ClaimedLead,
  context: Context & { settings: MailSettings },
  signal: AbortSignal,
): Promise<Result> {
  const { lead, reason } = delivery
  const { from } = context.settings
  const { name, email = from } = context.company()
  const firstId = `${lead.id}_confirmation`
  const mail = {
    ...describeConfirmation(delivery, context),
    ...(reason === 'received' ? { id: firstId } : { id: nameMail(firstId, delivery), firstId }),
    from: from.includes('<') ? from : { name, address: from },
    // Use an object, because a comma in a string would separate two addresses.
    to: { name: '', address: lead.email },
    replyTo: email,
  }
  const result = await sendMail(mail, context, signal)
  if (result.ok) return result
  if (result.refused) return { ok: false, error: result.error, isUndeliverable: true }
  // Every email has a different recipient, so one failure must not delay or repeat the others.
  return { ...result, refused: true }
}

/** Includes the revision so that an email on a later day has a new ID, because mail apps show each ID only once. */
const nameMail = (firstId: string, { reason, revision }: ClaimedLead) =>
  [firstId, reason, ...(revision > 0 ? [revision] : [])].join('_')

/**
 * Contains nothing that the visitor typed except the last four digits of the phone number; otherwise, spammers could
 * use the email to send text to strangers.
 */
export function describeConfirmation(
  { lead, reason, attempts }: Pick<ClaimedLead, 'lead' | 'reason' | 'attempts'>,
  { company, hours, now }: Pick<Context, 'company' | 'hours' | 'now'>,
) {
  const { name, phone } = company()
  const greeting = 'Hello,'
  const isUnreached = reason === 'unreached'
  const ending = readDigits(readPhone(lead.phone)?.callUrl ?? '').slice(-4)
  // Before a retry, someone may have changed the time of the next call, which also sets changedAt.
  const isRecent = attempts === 1 && now() - (lead.changedAt ?? 0) < recentMs
  const message = isUnreached
    ? `We ${isRecent ? 'just ' : ''}tried to reach you at the number ending in ${ending}. We’ll try again.`
    : `We got your request.${promiseCall()}`
  const call = `${isUnreached ? 'Call us at' : 'Questions? Call'} ${phone}`
  const ignore = 'If you didn’t ask us for an estimate, you can ignore this email.'
  const paragraph = (text: string) => `<p style="margin:0 0 14px">${escapeHtml(text)}</p>`
  const button = formatButton(readPhone(phone)?.callUrl ?? '', call)
  const content = [paragraph(greeting), paragraph(message), button, formatNote(ignore)]
  return {
    subject: `${name}: ${isUnreached ? 'we tried to reach you' : 'we got your request'}`,
    text: `${[greeting, message, `${call}.`, name, ignore].join('\n\n')}\n`,
    html: formatPage(name, content.join('\n')),
  }

  /** Promises nothing if someone has already called. */
  function promiseCall(): string {
    const { deadlineAt, calledAt } = lead
    if (deadlineAt === null || calledAt !== null) return ''
    if (deadlineAt <= now()) return ' We’ll call you as soon as we can.'
    const clock = { now: now(), timeZone: hours().timeZone, saysTomorrow: false }
    const time = formatCallTime(deadlineAt, clock)
    return ` We’ll call you by ${time}.`
  }
}
