import { type Clock, formatClock, formatDuration } from '../clock.ts'
import type { Context } from '../context.ts'
import { isDueAgain } from '../deadline.ts'
import { readField, readName } from '../field-outputs.ts'
import type { StoredLead } from '../lead.ts'
import { readNeed } from '../lead-state.ts'
import { hasAskedBefore } from '../store/find-leads.ts'
import {
  canNotify,
  isOn,
  listDevices,
  markDeviceGone,
  nameDeviceRecipient,
  type PushDevice,
} from '../store/push-devices.ts'
import { readVapidKeys } from '../store/stored-settings.ts'
import { dayMs } from '../time-units.ts'
import { readTown } from '../town.ts'
import { capitalize, chooseWords, count } from '../words.ts'
import {
  breakAutoLinks,
  describeCallAgain,
  describeLeads,
  describeQuestion,
  describeUpdate,
} from './alert.ts'
import type { Channel, Result } from './channel-type.ts'
import { findRetryAfter, post } from './service-call.ts'

// Keep this short, because the visitor waits for the response while the devices are read.
const planTimeoutMs = 300

/** Each device is a separate recipient, so that an unreachable one does not delay the others. */
export const push: Channel<'push'> = {
  kind: 'push',
  label: 'Push notification',
  setupHint: 'notifications (on the desk, under People)',
  wakesPhones: true,
  phoneConfirms: true,
  reasons: ['received', 'uncalled', 'missed', 'again', 'unresolved', 'called'],
  recipients: async ({ readDevices }, event) => {
    const devices = await readDevices(event?.reason === 'received' ? planTimeoutMs : undefined)
    return devices.filter(event ? isOn : canNotify).map((device) => ({
      name: nameDeviceRecipient(device),
      to: device.id,
      label: device.name,
      isOffDuty: event?.isOpen === false && device.schedule === 'business-hours',
      owner: device.email ?? undefined,
    }))
  },
  send: async (deliveries, { to }, context, signal) => {
    const device = await findDevice(to, context)
    if (!device) return deliveries.map(() => undeliverable)
    const clock = { now: context.now(), timeZone: context.hours().timeZone }
    return Promise.all(
      deliveries.map(async ({ lead, reason, messageId }) => {
        const message =
          reason === 'unresolved'
            ? describePushQuestion(lead, device.email === lead.callerEmail)
            : describePush(lead, clock, await hasAskedBefore(context.db, lead))
        // Make updates silent, because one may arrive at night.
        const isSilent = message.isCalled || reason === 'called'
        return sendPush({ ...message, isSilent, messageId }, device, context, signal)
      }),
    )
  },
  sendSummary: async ([first], { leads, isBurst }, { to }, context, signal) => {
    const device = await findDevice(to, context)
    if (!device) return undeliverable
    const clock = { now: context.now(), timeZone: context.hours().timeZone }
    const { headline, names, deadlineAt, hasEmergency } = describeLeads(leads, clock)
    const message = {
      title: headline,
      body: names.join(', '),
      // Replaces the last notification of the same kind.
      leadId: isBurst ? 'burst' : 'waiting',
      opensList: true,
      isEmergency: hasEmergency,
      ttlSeconds: countTtl(deadlineAt, clock.now),
      messageId: first?.messageId ?? '',
    }
    return sendPush(message, device, context, signal)
  },
  digest: {
    // Includes devices that are off so that a device that is turned on later does not get an old digest.
    recipients: (context) => push.recipients(context),
    send: async ({ id, text }, { to }, context, signal) => {
      const device = await findDevice(to, context)
      if (!device) return undeliverable
      const message = { title: 'To do today', body: text, leadId: 'digest', opensList: true }
      const options = { ttlSeconds: digestTtlSeconds, messageId: id }
      return sendPush({ ...message, ...options }, device, context, signal)
    },
  },
  explainFailure: (leads, lateBy) => `Push notifications for ${leads} are ${lateBy} late.`,
  doctorCheck: async ({ readDevices }) => {
    const devices = (await readDevices()).filter(isOn).length
    const text = `Push notifications go to ${count(devices, 'device')}.`
    return devices > 0 ? [{ state: 'ok', text }] : []
  },
  batchSize: 1,
  isAlert: true,
  expiresAfterMs: dayMs,
}

const undeliverable: Result = {
  ok: false,
  isUndeliverable: true,
  error: 'The device was removed or signed out, or its notifications are off.',
}

/** Returns undefined if the device must not be notified. */
async function findDevice(id: string, { env, db, now }: Context) {
  const devices = await listDevices(db, { deskEmails: env.deskEmails, now: now() })
  return devices.find((device) => device.id === id && isOn(device))
}

const requestTimeoutMs = 10_000
// Push services drop an undelivered notification at the deadline, or after a minute if the deadline has passed.
const minTtlSeconds = 60
// A planned call and the question about a result have no deadline.
const againTtlSeconds = 600
const digestTtlSeconds = 4 * 3_600

type PushMessage = {
  title: string
  body: string
  leadId: string
  /** The lead's version, so that a tap on an old notification cannot replace a colleague's plan. */
  version?: number
  /** True to open the list of leads instead of one lead. */
  opensList?: boolean
  /** True if the lead has a phone number. */
  canDial?: boolean
  isEmergency?: boolean
  /** True if nobody needs to call now: the notification makes no sound, has no buttons, and soon closes. */
  isCalled?: boolean
  /** True if the message asks for the result of a call. */
  isQuestion?: boolean
  ttlSeconds: number
}

export function describePush(
  lead: StoredLead,
  { now, timeZone }: Clock,
  isRepeat = false,
): PushMessage {
  const { id: leadId, serviceType, receivedAt, deadlineAt } = lead
  const name = breakAutoLinks(readName(lead))
  const { call } = chooseWords(lead)
  const isEmergency = serviceType === 'emergency'
  const isAgain = isDueAgain(lead, now)
  const isCalled = readNeed(lead) !== 'first-call' && !isAgain
  const describeTitle = () => {
    if (isCalled) return describeUpdate(lead, name)
    if (isAgain) {
      const again = describeCallAgain(lead, name, isRepeat)
      return isRepeat ? again : capitalize(again)
    }
    // Avoid a second colon after “Repeat request:”.
    const need = isRepeat ? `${call} ${name}` : `${name}: ${call}`
    if (deadlineAt !== null && now < deadlineAt)
      return `${need} by ${formatClock(deadlineAt, { now, timeZone })}`
    return `${need} now (requested ${formatDuration(now - receivedAt)} ago)`
  }
  return {
    title: `${isRepeat && !isCalled ? 'Repeat request: ' : ''}${describeTitle()}`,
    body: describeBody(lead, isEmergency && !isCalled),
    leadId,
    version: lead.version,
    canDial: lead.phone !== '',
    isEmergency,
    isCalled,
    ttlSeconds: isAgain ? againTtlSeconds : countTtl(deadlineAt ?? now, now),
  }
}

const describeBody = (lead: StoredLead, isAlarm: boolean): string =>
  [isAlarm ? 'EMERGENCY' : readField(lead, 'serviceType'), breakAutoLinks(readTown(lead.address))]
    .filter(Boolean)
    .join(' · ')

function describePushQuestion(lead: StoredLead, isCaller: boolean): PushMessage {
  const question = describeQuestion(lead, breakAutoLinks(readName(lead)), isCaller || undefined)
  return {
    title: capitalize(question),
    body: describeBody(lead, false),
    leadId: lead.id,
    isEmergency: lead.serviceType === 'emergency',
    isQuestion: true,
    ttlSeconds: againTtlSeconds,
  }
}

const countTtl = (deadlineAt: number, now: number) =>
  Math.max(minTtlSeconds, Math.ceil((deadlineAt - now) / 1000))

/** Also used to test a device from the desk. Marks the device as gone after a 404 or 410. */
export async function sendPush(
  message: PushMessage & { isSilent?: boolean; messageId: string },
  device: PushDevice,
  context: Context,
  signal: AbortSignal,
): Promise<Result> {
  const { env, db, fetch, now, timers } = context
  const { title, body, leadId, version, opensList = false, canDial = false, ttlSeconds } = message
  const { isEmergency = false, isCalled = false, isQuestion = false, isSilent = false } = message
  const deskUrl = env.desk?.url ?? env.publicUrl
  const data = {
    // Declarative Web Push: Safari shows this if the service worker does not run.
    web_push: 8030,
    mutable: true,
    notification: {
      title,
      body,
      tag: leadId,
      lang: 'en-US',
      navigate: opensList ? `${deskUrl}/` : `${deskUrl}/#/lead/${leadId}`,
      silent: isSilent,
    },
    lead: {
      leadId,
      version: version ?? null,
      opensList,
      canDial,
      isEmergency,
      isCalled,
      isQuestion,
    },
    receipt: { messageId: message.messageId },
  }
  const { endpoint, p256dh, auth } = device
  const options = {
    ttl: ttlSeconds,
    urgency: 'high' as const,
    topic: leadId.replaceAll('-', '').slice(0, 32),
  }
  const request = await context.encryptPush(
    { data, options },
    { endpoint, expirationTime: null, keys: { p256dh, auth } },
    await readVapidKeys(db, env.contactUrl),
  )
  const call = { fetch, timers, signal, timeoutMs: requestTimeoutMs }
  const response = await post('The push service', endpoint, request, call)
  if ('error' in response) return response
  await response.body?.cancel().catch(() => {})
  const { status } = response
  if (status === 404 || status === 410) {
    await markDeviceGone(db, device, now())
    const error = 'The device no longer receives notifications.'
    return { ok: false, isUndeliverable: true, error }
  }
  if (response.ok) return { ok: true }
  const error =
    status === 429
      ? 'The push service is limiting requests (429).'
      : `The push service returned ${status}.`
  // The service would reject this message again, but may accept the next one.
  const refused = status === 400 || status === 413
  return { ok: false, error, refused, ...findRetryAfter(response) }
}

// In this order: Chrome and most Android browsers; Firefox; Safari; Edge on Windows.
const knownServices = [
  'fcm.googleapis.com',
  'push.services.mozilla.com',
  'push.apple.com',
  'notify.windows.com',
]

/** Rejects unknown hosts, because a forged subscription could make the server call our own network. */
export function isPushService(endpoint: string, more: readonly string[]): boolean {
  const url = endpoint.length <= 1_000 && URL.parse(endpoint)
  if (!url) return false
  const { protocol, hostname, port, username } = url
  return (
    protocol === 'https:' &&
    port === '' &&
    username === '' &&
    [...knownServices, ...more].some((host) => hostname === host || hostname.endsWith(`.${host}`))
  )
}
