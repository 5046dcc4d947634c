import { buildPushPayload } from '@block65/webcrypto-web-push'
import type { Result } from '../channel.ts'
import { promiseMs, type StoredLead, serviceTypes } from '../lead.ts'
import { explainBrokenCall } from '../network-error.ts'
import { readRetryAfterMs } from '../retry-after.ts'
import { makeSafe } from '../safe-text.ts'
import type { PushDevice } from '../store/push-devices.ts'
import type { VapidKeys } from '../store/vapid-keys.ts'
import { findTown } from '../town.ts'
import { formatClock, formatDuration } from './clock.ts'

const requestTimeoutMs = 10_000
// To the end of the promise; what comes after it is news for a minute.
const leastSeconds = 60

/** What a device shows. Nothing travels that is not shown, but the lead's id. */
export type Ring = {
  title: string
  body: string
  leadId: string
  /** There is nothing to answer. */
  isTest?: boolean
  isEmergency: boolean
  /** Somebody is on it: quietly, in the place of what rang. */
  isAnswered: boolean
  ttlSeconds: number
}

export function describeRing(
  lead: StoredLead,
  { now, timeZone }: { now: number; timeZone: string },
): Ring {
  const { id: leadId, serviceType, receivedAt, answeredAt, answeredName } = lead
  const name = makeSafe(lead.name)
  const deadlineAt = receivedAt + promiseMs
  const isEmergency = serviceType === 'emergency'
  const isAnswered = answeredAt !== null
  const who = answeredName ? makeSafe(answeredName) : 'Somebody'
  const need =
    now < deadlineAt
      ? `call by ${formatClock(deadlineAt, { now, timeZone })}`
      : `asked ${formatDuration(now - receivedAt)} ago: call now`
  return {
    title: isAnswered ? describeAnswer(lead, who, name) : `${name}: ${need}`,
    body: [
      isEmergency && !isAnswered ? 'EMERGENCY' : serviceType && serviceTypes[serviceType],
      findTown(makeSafe(lead.address)),
    ]
      .filter(Boolean)
      .join(' · '),
    leadId,
    isEmergency,
    isAnswered,
    ttlSeconds: Math.max(leastSeconds, Math.ceil((deadlineAt - now) / 1000)),
  }
}

function describeAnswer({ outcome }: StoredLead, who: string, name: string): string {
  if (outcome === 'not-a-lead') return `${name} is not a lead, says ${who}`
  return outcome === 'done' ? `${name} is done, says ${who}` : `${who} is calling ${name}`
}

export type PushSettings = { deskUrl: string; vapid: VapidKeys }

/** `gone`: there is no such device any more. `holdMs`: it may not be rung that long. */
type PushResult = Result & { gone?: boolean; holdMs?: number }

export async function sendPush(
  ring: Ring,
  device: Pick<PushDevice, 'endpoint' | 'p256dh' | 'auth'>,
  { deskUrl, vapid }: PushSettings,
  { fetch, signal }: { fetch: typeof globalThis.fetch; signal: AbortSignal },
): Promise<PushResult> {
  const { title, body, leadId, isTest = false, isEmergency, isAnswered, ttlSeconds } = ring
  const data = {
    // Safari shows this by itself where the service worker does not run (Declarative Web Push).
    web_push: 8030,
    mutable: true,
    notification: {
      title,
      body,
      tag: leadId,
      lang: 'en-US',
      navigate: isTest ? `${deskUrl}/` : `${deskUrl}/#/lead/${leadId}`,
      silent: isAnswered,
    },
    ring: { leadId, isTest, isEmergency, isAnswered },
  }
  const { endpoint, p256dh, auth } = device
  try {
    const request = await buildPushPayload(
      {
        data,
        options: {
          ttl: ttlSeconds,
          urgency: 'high',
          topic: leadId.replaceAll('-', '').slice(0, 32),
        },
      },
      { endpoint, expirationTime: null, keys: { p256dh, auth } },
      vapid,
    )
    const response = await fetch(endpoint, {
      ...request,
      method: 'POST',
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]),
    })
    await response.body?.cancel().catch(() => {})
    return explain(response)
  } catch (error) {
    return { ok: false, error: explainBrokenCall('The push service', error) }
  }
}

function explain({ status, headers }: Response): PushResult {
  if (status >= 200 && status < 300) return { ok: true }
  if (status === 404 || status === 410)
    return { ok: true, gone: true, note: 'The device is gone: it rings no more.' }
  const error =
    status === 429
      ? 'The push service asks to slow down (429).'
      : `The push service answered ${status}.`
  if (status === 429 || status === 503)
    return { ok: false, error, holdMs: readRetryAfterMs(headers) }
  // A message it does not take would be refused again; the next lead's may be fine.
  const refused = status === 400 || status === 413
  return { ok: false, error, refused }
}

// Chrome, Edge and most Android browsers; Firefox; Safari; Edge on Windows.
const knownServices = [
  'fcm.googleapis.com',
  'push.services.mozilla.com',
  'push.apple.com',
  'notify.windows.com',
]

/** Whether we may call this address: a browser says it, and could name a machine inside our network. */
export function isPushService(endpoint: string, more: readonly string[]): boolean {
  if (endpoint.length > 1_000 || !URL.canParse(endpoint)) return false
  const { protocol, hostname, port, username } = new URL(endpoint)
  return (
    protocol === 'https:' &&
    port === '' &&
    username === '' &&
    [...knownServices, ...more].some((host) => hostname === host || hostname.endsWith(`.${host}`))
  )
}
