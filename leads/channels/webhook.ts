import { Buffer } from 'node:buffer'
import { createHmac } from 'node:crypto'
import { pickFields } from '../field-outputs.ts'
import type { LeadField } from '../fields.ts'
import type { StoredLead } from '../lead.ts'
import { explainSource } from '../source.ts'
import { checked, webAddress } from '../variables.ts'
import { capitalize, chooseWords } from '../words.ts'
import type { Alert } from './alert.ts'
import type { Context, Result } from './channel-type.ts'
import { createAlertChannel, type Message } from './create-alert-channel.ts'
import { isLeadRefused, post, readHold } from './service-call.ts'

const variables = {
  ALERT_WEBHOOK_URL: webAddress(),
  ALERT_WEBHOOK_SECRET: checked(
    (text) => /^(whsec_)?[A-Za-z0-9+/]{16,}={0,2}$/.test(text),
    'must be base64, with or without the prefix whsec_, as in Standard Webhooks',
  ),
}

type WebhookSettings = { url: string; secret: string | undefined }

export const webhook = createAlertChannel<'webhook', typeof variables, WebhookSettings>({
  kind: 'webhook',
  label: 'Webhook',
  setupHint: 'a webhook (ALERT_WEBHOOK_URL)',
  settings: {
    variables,
    required: ['ALERT_WEBHOOK_URL'],
    read: ({ ALERT_WEBHOOK_URL: url, ALERT_WEBHOOK_SECRET: secret }) =>
      url ? { url, secret } : undefined,
  },
  reasons: ['received', 'uncalled', 'missed', 'again'],
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
  }: Pick<Context<WebhookSettings>, 'settings' | 'fetch' | 'now' | 'timers'>,
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
      error: `The webhook returned a redirect (${status}), which the site does not follow. Set ALERT_WEBHOOK_URL to the final address.`,
    }
  const error = `The webhook returned ${status}.`
  return { ok: false, error, refused: isLeadRefused(status), ...readHold(response) }
}

/** Signs according to Standard Webhooks. */
function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}

/** Slack shows `text` and ignores the rest. The fields of `lead` are as the visitor typed them. */
function formatPayload(alert: Alert, lead: StoredLead, now: number) {
  const { reason, callUrl, mapUrl, answerUrl } = alert
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
      answerUrl: answerUrl ?? null,
    },
  }
}

const toIso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

// Slack's markup for links, mentions, and channels uses only these three characters.
const escapeSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function formatSlack(alert: Alert): string {
  const { headline, remarks, rows, callUrl, mapUrl, answerUrl } = alert
  const { call, calling } = chooseWords(alert)
  const urls: Partial<Record<LeadField, string | undefined>> = { phone: callUrl, address: mapUrl }
  const link = (url: string, text: string) =>
    `<${url.replace(/[<>|]/g, encodeURIComponent)}|${escapeSlack(text).replaceAll('|', '/')}>`
  return [
    escapeSlack(headline),
    ...remarks.map(escapeSlack),
    ...rows.map(({ name, label, text }) => {
      const url = urls[name]
      return `${label}: ${url ? link(url, text) : escapeSlack(text)}`
    }),
    ...(alert.deadline ? [`${capitalize(call)} by ${escapeSlack(alert.deadline)}`] : []),
    ...(alert.source ? [`Source: ${escapeSlack(alert.source)}`] : []),
    ...(answerUrl ? [link(answerUrl, `I’m ${calling}`)] : []),
  ].join('\n')
}
