import { formatClock, formatDuration } from '../clock.ts'
import { isDueAgain } from '../deadline.ts'
import type { DeliveryReason } from '../delivery-reason.ts'
import { readField, readName } from '../field-outputs.ts'
import type { StoredLead } from '../lead.ts'
import type { ClaimedLead } from '../store/claims.ts'
import { hasAskedBefore } from '../store/list-repeats.ts'
import {
  canNotify,
  isOn,
  listDevices,
  markDeviceGone,
  nameDeviceChannel,
  type PushDevice,
} from '../store/push-devices.ts'
import type { PushReceipt } from '../store/push-receipts.ts'
import { readVapidKeys } from '../store/stored-settings.ts'
import { readTown } from '../town.ts'
import { list } from '../variables.ts'
import { capitalize, chooseWords } from '../words.ts'
import { breakAutoLinks, describeCallAgain, describeLeads } from './alert.ts'
import type { Channel, Context, Result } from './channel-type.ts'
import { post, readHold } from './service-call.ts'

const variables = {
  PUSH_SERVICES: list(
    (item) => /^[a-z0-9.-]+$/.test(item),
    'must be host names such as push.example.com, separated by commas',
  ),
}

type PushSettings = { services: string[] }

// Keep this short, because the visitor waits for the response while the devices are read.
const planTimeoutMs = 300

/** Each device is a separate recipient, so that an unreachable one does not delay the others. */
export const push: Channel<'push', typeof variables, PushSettings> = {
  kind: 'push',
  label: 'Push notification',
  setupHint: 'notifications (on the desk, under People)',
  wakesPhones: true,
  phoneConfirms: true,
  settings: {
    variables,
    required: [],
    read: ({ PUSH_SERVICES: services = [] }) => ({ services }),
  },
  reasons: ['received', 'uncalled', 'missed', 'again', 'called'],
  recipients: async ({ readDevices }, event) => {
    const devices = await readDevices(event?.reason === 'received' ? planTimeoutMs : undefined)
    return devices.filter(event ? isOn : canNotify).map((device) => ({
      name: nameDeviceChannel(device),
      to: device.id,
      label: device.name,
      isOffDuty: event?.isOpen === false && device.schedule === 'business-hours',
    }))
  },
  send: async (deliveries, { to }, context, signal) => {
    const device = await findDevice(to, context)
    if (!device) return deliveries.map(() => undeliverable)
    const clock = { now: context.now(), timeZone: context.env.timeZone }
    // Before the first send, because a failed query would repeat the whole batch.
    const repeats = await Promise.all(
      deliveries.map(({ lead }) => hasAskedBefore(context.db, lead)),
    )
    const waited = deliveries.filter(hasWaited).map(({ lead }) => lead)
    const send = (message: PushMessage, reason: DeliveryReason, leads: readonly StoredLead[]) => {
      const receipt = { reason, leadIds: leads.map(({ id }) => id) }
      return sendPush({ ...message, receipt }, device, context, signal)
    }
    const summary =
      waited.length > 1 && send(summarize(waited, 'waiting', clock), 'received', waited)
    return Promise.all(
      deliveries.map((delivery, at) => {
        const { lead, reason } = delivery
        return summary && hasWaited(delivery)
          ? summary
          : send(describePush(lead, clock, repeats[at]), reason, [lead])
      }),
    )
  },
  sendSummary: async (leads, { to }, context, signal) => {
    const device = await findDevice(to, context)
    if (!device) return undeliverable
    const clock = { now: context.now(), timeZone: context.env.timeZone }
    const message = summarize(leads, 'burst', clock)
    // The IDs of a burst do not fit into a message, so the phone confirms only that it showed one.
    const receipt = { reason: 'received' as const, leadIds: [] }
    return sendPush({ ...message, receipt }, device, context, signal)
  },
  explainFailure: (leads, lateBy) => `Push notifications for ${leads} are ${lateBy} late.`,
  doctorCheck: async ({ readDevices }) => {
    const count = (await readDevices()).filter(isOn).length
    const devices = count === 1 ? '1 device' : `${count} devices`
    return count > 0 ? [{ state: 'ok', text: `Push notifications go to ${devices}.` }] : []
  },
  // When the company opens, one notification lists the leads from the night. If a process is killed before
  // it records the results, the whole batch is sent again.
  batchSize: 10,
  isAlert: true,
  expiresAfterMs: 24 * 3_600_000,
}

const undeliverable: Result = {
  ok: true,
  isUndeliverable: true,
  note: 'The device was removed or signed out, or its notifications are off.',
}

/** Returns undefined if the device must not be notified. */
async function findDevice(id: string, { env, db, now }: Context<PushSettings>) {
  const devices = await listDevices(db, { deskEmails: env.deskEmails, now: now() })
  return devices.find((device) => device.id === id && isOn(device))
}

/** Returns true if the alert waited until the company opened. Emergencies get a separate notification. */
const hasWaited = ({ lead, reason }: ClaimedLead): boolean =>
  reason === 'received' &&
  lead.serviceType !== 'emergency' &&
  lead.calledAt === null &&
  (lead.promiseStartAt ?? 0) > lead.receivedAt

const requestTimeoutMs = 10_000
// Push services drop a notification after the deadline, or a minute later if the deadline has passed.
const minTtlSeconds = 60
// A second call has no deadline.
const againTtlSeconds = 600

/** The device shows everything except the lead's ID. */
type PushMessage = {
  title: string
  body: string
  leadId: string
  /** Opens the list of leads instead of one lead. */
  opensList?: boolean
  /** The lead has a phone number. */
  canDial?: boolean
  isEmergency: boolean
  /** Replaces the earlier notification without a sound. */
  isCalled: boolean
  ttlSeconds: number
}

export function describePush(
  lead: StoredLead,
  { now, timeZone }: { now: number; timeZone: string },
  isRepeat = false,
): PushMessage {
  const { id: leadId, serviceType, receivedAt, deadlineAt, status } = lead
  const name = breakAutoLinks(readName(lead))
  const { call } = chooseWords(lead)
  const isEmergency = serviceType === 'emergency'
  const isAgain = isDueAgain(lead, now)
  const isCalled = status !== 'open' && !isAgain
  const describeTitle = () => {
    if (isCalled) return describeCall(lead, name)
    if (isAgain) {
      const again = describeCallAgain(lead, name, isRepeat)
      return isRepeat ? again : capitalize(again)
    }
    // A second colon would follow “Again:”.
    const need = isRepeat ? `${call} ${name}` : `${name}: ${call}`
    if (deadlineAt !== null && now < deadlineAt)
      return `${need} by ${formatClock(deadlineAt, { now, timeZone })}`
    return `${need} now, requested ${formatDuration(now - receivedAt)} ago`
  }
  return {
    title: `${isRepeat && !isCalled ? 'Again: ' : ''}${describeTitle()}`,
    body: [
      isEmergency && !isCalled ? 'EMERGENCY' : readField(lead, 'serviceType'),
      breakAutoLinks(readTown(lead.address)),
    ]
      .filter(Boolean)
      .join(' · '),
    leadId,
    canDial: lead.phone !== '',
    isEmergency,
    isCalled,
    ttlSeconds: isAgain ? againTtlSeconds : countTtl(deadlineAt ?? now, now),
  }
}

/** One notification for several leads. It replaces the last one with the same tag. */
function summarize(
  leads: readonly StoredLead[],
  tag: 'waiting' | 'burst',
  clock: { now: number; timeZone: string },
): PushMessage {
  const { headline, names, deadlineAt, hasEmergency } = describeLeads(leads, clock)
  return {
    title: headline,
    body: names.join(', '),
    leadId: tag,
    opensList: true,
    isEmergency: hasEmergency,
    isCalled: false,
    ttlSeconds: countTtl(deadlineAt, clock.now),
  }
}

const countTtl = (deadlineAt: number, now: number) =>
  Math.max(minTtlSeconds, Math.ceil((deadlineAt - now) / 1000))

function describeCall(lead: StoredLead, name: string): string {
  const { caller, status, attempts } = lead
  const isAgain = attempts > 0
  const who = caller ? breakAutoLinks(caller) : 'Someone'
  switch (status) {
    case 'call-again':
      return `No answer from ${name}`
    case 'done':
    case 'not-a-lead':
      // The caller of an earlier call may not be the person who closed the lead.
      return `${isAgain ? 'Someone' : who} marked ${name} as ${status === 'done' ? 'done' : 'not a lead'}`
    default:
      return `${who} is ${chooseWords(lead).calling} ${name}${isAgain ? ' again' : ''}`
  }
}

/** Also used to test a device from the desk. Marks the device as gone after a 404 or 410. */
export async function sendPush(
  message: PushMessage & { receipt: PushReceipt },
  device: PushDevice,
  context: Pick<Context<PushSettings>, 'env' | 'db' | 'fetch' | 'now' | 'timers' | 'encryptPush'>,
  signal: AbortSignal,
): Promise<Result> {
  const { env, db, fetch, now, timers } = context
  const { title, body, leadId, opensList = false, canDial = false, ttlSeconds } = message
  const { isEmergency, isCalled } = message
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
      // An update may come at night.
      silent: isCalled || message.receipt.reason === 'called',
    },
    lead: { leadId, opensList, canDial, isEmergency, isCalled },
    receipt: message.receipt,
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
    const note = 'The device no longer receives notifications.'
    return { ok: true, isUndeliverable: true, note }
  }
  if (response.ok) return { ok: true }
  const error =
    status === 429
      ? 'The push service is limiting requests (429).'
      : `The push service returned ${status}.`
  // The service would reject this message again, but may accept the next one.
  const refused = status === 400 || status === 413
  return { ok: false, error, refused, ...readHold(response) }
}

// Chrome, Edge, and most Android browsers; Firefox; Safari; Edge on Windows.
const knownServices = [
  'fcm.googleapis.com',
  'push.services.mozilla.com',
  'push.apple.com',
  'notify.windows.com',
]

/** Rejects other hosts, because a forged subscription could make the server call our own network. */
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
