import { createHmac } from 'node:crypto'
import type { Result } from '../channel.ts'
import type { StoredLead } from '../lead.ts'
import { explainBrokenCall } from '../network-error.ts'
import { explainSource } from '../source.ts'
import type { Alert } from './alert.ts'
import { isLeadRefused } from './refusal.ts'

const requestTimeoutMs = 15_000

/** `gone`: the receiver says that it wants no more (410). */
export async function sendWebhook(
  alert: Alert,
  lead: StoredLead,
  { url, secret }: { url: string; secret: string | undefined },
  { fetch, now, signal }: { fetch: typeof globalThis.fetch; now: number; signal: AbortSignal },
): Promise<Result & { gone?: boolean }> {
  const body = JSON.stringify(formatPayload(alert, lead, now))
  const timestamp = String(Math.floor(now / 1000))
  let status: number
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'webhook-id': alert.id,
        'webhook-timestamp': timestamp,
        ...(secret && { 'webhook-signature': sign(secret, `${alert.id}.${timestamp}.${body}`) }),
      },
      body,
      // Followed, a redirect could carry a homeowner's data to an address the owner never named.
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
    })
    status = response.status
    // The status is the whole answer; a body without end is not waited for.
    await response.body?.cancel().catch(() => {})
  } catch (error) {
    return { ok: false, error: explainBrokenCall('The webhook', error) }
  }
  if (status >= 200 && status < 300) return { ok: true }
  if (status === 410) return { ok: false, error: webhookGone, gone: true }
  if (status === 0 || (status >= 300 && status < 400))
    return {
      ok: false,
      error: `The webhook answers with a redirect (${status}), which is not followed. Set ALERT_WEBHOOK_URL to where it leads.`,
    }
  const error = `The webhook answered ${status}.`
  return { ok: false, error, refused: isLeadRefused(status) }
}

export const webhookGone =
  'The webhook answered 410 Gone: it wants no more alerts, and gets none. Set another ALERT_WEBHOOK_URL, or run: npm run leads -- retry all'

/** By the Standard Webhooks scheme: the secret is base64, behind whsec_. */
function sign(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
}

/** Slack shows `text` and ignores the rest. In `lead` is what the visitor typed, as it was typed. */
function formatPayload(alert: Alert, lead: StoredLead, now: number) {
  const { occasion, callUrl, mapUrl, answerUrl } = alert
  const { id, name, email, phone, address, serviceType, suspect, receivedAt, answeredAt } = lead
  return {
    type: `lead.${occasion.replace(/-.*/, '')}`,
    timestamp: toIso(now),
    text: formatSlack(alert),
    data: {
      occasion,
      isEmergency: alert.isEmergency,
      headline: alert.headline,
      lead: {
        id,
        name,
        email,
        phone,
        address,
        serviceType,
        suspect,
        source: explainSource(lead.source),
        receivedAt: toIso(receivedAt),
        answeredAt: toIso(answeredAt),
      },
      callBy: alert.deadline,
      callUrl,
      mapUrl,
      answerUrl: answerUrl ?? null,
    },
  }
}

const toIso = (at: number | null) => (at === null ? null : new Date(at).toISOString())

// These three are all that Slack reads as markup for links, mentions and channels.
const escapeSlack = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

function formatSlack(alert: Alert): string {
  const { headline, service, remarks, name, phone, address, callUrl, mapUrl, answerUrl } = alert
  const link = (url: string, text: string) =>
    `<${url.replace(/[<>|]/g, encodeURIComponent)}|${escapeSlack(text).replaceAll('|', '/')}>`
  return [
    escapeSlack(headline),
    ...remarks.map(escapeSlack),
    `${escapeSlack(name)}: ${escapeSlack(service)}`,
    link(callUrl, phone),
    link(mapUrl, address),
    `Call by ${escapeSlack(alert.deadline)}`,
    ...(alert.source ? [`From ${escapeSlack(alert.source)}`] : []),
    ...(answerUrl ? [link(answerUrl, 'I am calling')] : []),
  ].join('\n')
}
