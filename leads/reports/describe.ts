import { confirmsArrival, findChannel, readLabel } from '../channels/channels.ts'
import { formatAt, formatDuration, formatPreciseDuration } from '../clock.ts'
import { type ReasonKind, readReason } from '../delivery-reason.ts'
import { listShown, makeMapUrl, readField, readName, readPhone } from '../field-outputs.ts'
import type { CancelReason } from '../history.ts'
import type { StoredLead } from '../lead.ts'
import type { Request } from '../repeats.ts'
import { makeSafe } from '../safe-text.ts'
import { describeSource, phoneCall } from '../source.ts'
import type { Delivery, LeadRecord } from '../store/reading.ts'
import { readTown } from '../town.ts'
import { keepForOwner, readFirstName } from '../words.ts'
import { describeHistory } from './describe-event.ts'

export type LeadCard = ReturnType<typeof describeCard>
export type LeadInFull = ReturnType<typeof describeInFull>

// 20 requests from one number must not fill the screen.
const maxOthers = 2

/** `others` are the homeowner's other requests, the newest first. */
export const describeCard = (lead: StoredLead, others: readonly Request[] = []) => ({
  id: lead.id,
  name: readName(lead),
  /** Empty if the homeowner gave no name. */
  firstName: readFirstName(lead.name),
  /** Null if the homeowner gave only an email. */
  phone: readPhone(lead.phone) ?? null,
  email: makeSafe(lead.email),
  service: readField(lead, 'serviceType'),
  isEmergency: lead.serviceType === 'emergency',
  town: readTown(makeSafe(lead.address)),
  receivedAt: lead.receivedAt,
  promiseStartAt: lead.promiseStartAt,
  deadlineAt: lead.deadlineAt,
  status: lead.status,
  calledAt: lead.calledAt,
  calledVia: lead.calledVia,
  caller: lead.caller,
  callerEmail: lead.callerEmail,
  callAgainAt: lead.callAgainAt,
  attempts: lead.attempts,
  version: lead.version,
  changedAt: lead.changedAt,
  lastNote: lead.lastNote === null ? null : { text: lead.lastNote, person: lead.lastNoteBy },
  isSuspect: lead.suspect !== null,
  isInBurst: lead.inBurst === 1,
  others: others.slice(0, maxOthers).map(({ id, receivedAt }) => ({ id, receivedAt })),
  moreOthers: Math.max(0, others.length - maxOthers),
})

type Options = {
  now: number
  timeZone: string
  /** Labels by channel name. */
  recipients: ReadonlyMap<string, string>
  others?: readonly Request[] | undefined
}

export const describeInFull = (lead: LeadRecord, options: Options) => ({
  ...describeCard(lead, options.others),
  fields: listShown(lead),
  /** Null without an address. */
  mapUrl: makeMapUrl(lead.address) ?? null,
  source: describeSource(lead.source),
  consent: lead.consent,
  suspicion: lead.suspect ? explainSuspicion(lead.suspect) : null,
  /** When the email to the homeowner after “No answer” goes out, while Undo can still stop it. */
  emailAt: computeEmailAt(lead),
  history: describeHistory(lead, options),
  /** The first entry of the history. */
  beginning: lead.source === phoneCall ? 'Added during a phone call' : 'Request received',
  deliveries: lead.deliveries
    .filter(({ state }) => state !== 'cancelled')
    .map((delivery) => {
      const state = computeDeliveryState(delivery)
      return {
        channel: delivery.channel,
        what: describeWhat(delivery, lead.promiseStartAt ?? 0, options),
        state,
        status: describeState(delivery, lead, options),
        error: state === 'waiting' || state === 'failed' ? explain(delivery.lastError) : null,
        note: explain(delivery.note),
      }
    }),
})

const explain = (text: string | null) => text && keepForOwner(text)

const computeEmailAt = ({ deliveries }: LeadRecord): number | null =>
  deliveries.find(
    ({ reason, state, attempts }) =>
      reason === 'unreached' && state === 'waiting' && attempts === 0,
  )?.nextAttemptAt ?? null

type StateInWords = Exclude<Delivery['state'], 'expired'> | 'arrived'

/** `sent` means that the service accepted the message, `arrived` that the service or the phone confirmed it. */
export function computeDeliveryState({ state, arrivedAt }: Delivery): StateInWords {
  if (arrivedAt !== null) return 'arrived'
  return state === 'expired' ? 'failed' : state
}

const cancellations: Record<CancelReason, string> = {
  called: 'someone called first',
  undone: 'undone',
  replaced: 'a later reminder replaced it',
  'device-gone': 'the device no longer receives notifications',
  restored: 'restored from a backup, may have been sent before',
}

export const describeCancellation = ({ cancelReason }: Delivery): string | null =>
  cancelReason && cancellations[cancelReason]

export const explainSuspicion = (suspect: string): string =>
  ({
    trap: 'A hidden field was filled in.',
    'too-fast': 'Sent within a second of opening the page.',
  })[suspect] ?? suspect

function describeWhat(
  { channel, reason, dueAt }: Delivery,
  promiseStartAt: number,
  { recipients }: Options,
): string {
  const label = readLabel(channel)
  const to = recipients.get(channel)
  const { kind: reasonKind, minutes } = readReason(reason)
  const isEarly = dueAt < promiseStartAt + Number(minutes) * 60_000
  const about: Record<ReasonKind, string> = {
    received: '',
    called: ', call started',
    outcome: ', status update',
    missed: ', missed deadline',
    again: ', reminder to call again',
    unreached: ', after no answer',
    uncalled: isEarly ? ', early reminder' : `, reminder after ${minutes} minutes`,
  }
  return `${label}${to ? ` to ${to}` : ''}${about[reasonKind]}`
}

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']

// A phone confirms a notification within seconds, unless it is off.
const confirmationMs = 60_000

function describeState(delivery: Delivery, lead: StoredLead, { now, timeZone }: Options): string {
  const { channel, state, attempts, settledAt, checkAt } = delivery
  const settled = formatAt(settledAt ?? 0, { now, timeZone })
  switch (computeDeliveryState(delivery)) {
    case 'arrived':
      return describeArrival(delivery, lead, { now, timeZone })
    case 'failed':
      return state === 'expired' ? `failed, stopped trying ${settled}` : `failed, tried ${settled}`
    case 'sent': {
      if (!confirmsArrival(channel)) return `sent ${settled}`
      const isOpen = checkAt !== null || now - (settledAt ?? 0) < confirmationMs
      return `sent ${settled}, ${isOpen ? 'waiting for confirmation' : 'not confirmed'}`
    }
  }
  const ordinal = ordinals[attempts]
  const tryName = ordinal ? `${ordinal} try` : `try ${attempts + 1}`
  // After a 429, the whole channel is on hold.
  const inMs = Math.max(delivery.nextAttemptAt, delivery.heldUntil ?? 0) - now
  if (attempts === 0) return inMs > 0 ? `will be sent in ${formatDuration(inMs)}` : 'not sent yet'
  return inMs > 0 ? `${tryName} in ${formatDuration(inMs)}` : `${tryName} now`
}

function describeArrival(
  { channel, reason, dueAt, arrivedAt, tappedAt }: Delivery,
  { receivedAt }: StoredLead,
  clock: { now: number; timeZone: string },
): string {
  const at = arrivedAt ?? 0
  if (!findChannel(channel)?.phoneConfirms) return `arrived ${formatAt(at, clock)}`
  // Reminders, and alerts that waited until we opened, are due later than the request.
  const isFirst = reason === 'received' && dueAt === receivedAt
  const shown = isFirst
    ? `shown ${formatPreciseDuration(at - receivedAt)} after the request`
    : `shown ${formatAt(at, clock)}`
  return tappedAt === null ? shown : `${shown}, tapped ${formatAt(tappedAt, clock)}`
}
