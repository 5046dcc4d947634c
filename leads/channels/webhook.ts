import { Buffer } from 'node:buffer'
import { createHmac } from 'node:crypto'
import type { Context } from '../context.ts'
import { pickFields } from '../field-outputs.ts'
import type { StoredLead } from '../lead.ts'
import type { ChannelSettings } from '../settings.ts'
import { explainSource } from '../source.ts'
import { capitalize, chooseWords } from '../words.ts'
import type { Alert } from './alert.ts'
import type { Result } from './channel-type.ts'
import { createAlertChannel, type Message } from './create-alert-channel.ts'
import { findRetryAfter, isLeadRefused, post } from './service-call.ts'

export const webhook = createAlertChannel<'webhook'>({
  kind: 'webhook',
  label: 'Webhook',
  setupHint: 'a webhook (ALERT_WEBHOOK_URL)',
  reasons: ['received', 'uncalled', 'missed', 'again', 'unresolved'],
  // Show only the host, because the rest of the URL may be secret.
  recipients: async ({ settings: { url } }) => [
    { name: 'webhook', to: url, label: new URL(url).host },
  ],
  sendAlert: sendWebhook,
})

async function sendWebhook(
  { alert, lead }: Message,
  {
    settings,
    fetch,
    now,
    timers,
  }: Pick<Context, 'fetch' | 'now' | 'timers'> & {
    settings: NonNullable<ChannelSettings['webhook']>
  },
  signal: AbortSignal,
): Promise<Result> {
  const { url, secret } = settings
  const body = JSON.stringify(formatPayload(alert, lead, now()))
  const timestamp = String(Math.floor(now() / 1000))
  const headers = {
    'content-type': 'application/json',
    'webhook-id': alert.id,
    'webhook-timestamp': timestamp,
    ...(secret && { 'webhook-signature': sign(secret, `${alert.id}.${timestamp}.${body}`) }),
  }
  const response = await post('The webhook', url, { headers, body }, { fetch, timers, signal })
  if ('error' in response) return response
  // Do not read the body, because it may never end.
  await response.body?.cancel().catch(() => {})
  const { status } = response
  if (response.ok) return { ok: true }
  if (status === 0 || (status >= 300 && status < 400))
    return {
      ok: false,
      error: `The webhook returned a redirect (${status}), which the site does not follow. Set ALERT_WEBHOOK_URL to the final URL.`,
    }
  const error = `The webhook returned ${status}.`
  return { ok: false, error, refused: isLeadRefused(status), ...findRetryAfter(response) }
}

/** Signs according to Standard Webhooks. */
function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}

/** Slack shows `text` and ignores the rest. The fields of `lead` are not escaped. */
function formatPayload(alert: Alert, lead: StoredLead, now: number) {
  const { reason, callUrl, mapUrl, answer } = alert
  const { id, suspect, receivedAt, deadlineAt, calledAt } = lead
  return {
    type: `lead.${reason.replace(/-.*/, '')}`,
    timestamp: toIso(now),
    text: formatSlack(alert),
    data: {
      reason,
      isEmergency: alert.isEmergency,
      headline: alert.headline,
      lead: {
        id,
        ...pickFields(lead),
        suspect,
        source: explainSource(lead.source),
        receivedAt: toIso(receivedAt),
        deadlineAt: toIso(deadlineAt),
        calledAt: toIso(calledAt),
      },
      callBy: alert.deadline ?? null,
      callUrl: callUrl ?? null,
      mapUrl: mapUrl ?? null,
      answerUrl: answer.url ?? null,
    },
  }
}

const toIso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

// Slack's markup for links, mentions, and channels uses only these three characters.
const escapeSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function formatSlack(alert: Alert): string {
  const { headline, remarks, rows, callUrl, mapUrl, answer } = alert
  const { call } = chooseWords(alert)
  const link = (url: string, text: string) =>
    `<${url.replace(/[<>|]/g, encodeURIComponent)}|${escapeSlack(text).replaceAll('|', '/')}>`
  return [
    escapeSlack(headline),
    ...remarks.map(escapeSlack),
    ...rows.map(({ name, label, text }) => {
      const url = name === 'phone' ? callUrl : name === 'address' ? mapUrl : undefined
      return `${label}: ${url ? link(url, text) : escapeSlack(text)}`
    }),
    ...(alert.deadline ? [`${capitalize(call)} by ${escapeSlack(alert.deadline)}`] : []),
    ...(alert.source ? [`Source: ${escapeSlack(alert.source)}`] : []),
    ...(answer.url ? [link(answer.url, answer.label)] : []),
  ].join('\n')
}
