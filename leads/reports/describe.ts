import { confirmsArrival, findChannel, readLabel, rowChannel } from '../channels/channels.ts'
import {
  type Clock,
  formatAt,
  formatDate,
  formatDuration,
  formatPreciseDuration,
} from '../clock.ts'
import { type DeliveryReason, type ReasonKind, readReason } from '../delivery-reason.ts'
import { describeHistory, type Sharer } from '../describe-event.ts'
import { listShown, pickFields, readField, readName, readPhone } from '../field-outputs.ts'
import { type LeadField, leadFields } from '../fields.ts'
import type { StoredLead } from '../lead.ts'
import type { CancelReason } from '../lead-state.ts'
import { makeSafe } from '../safe-text.ts'
import { describeSource, phoneCall } from '../source.ts'
import type { Delivery, LeadRecord, OtherRequests } from '../store/find-leads.ts'
import { minuteMs } from '../time-units.ts'
import { readTown } from '../town.ts'
import { keepForOwner, readFirstName } from '../words.ts'

export type LeadCard = ReturnType<typeof describeCard>
export type LeadInFull = ReturnType<typeof describeInFull>

export const describeCard = (lead: StoredLead) => ({
  id: lead.id,
  name: readName(lead),
  /** Empty if the homeowner gave no name. */
  firstName: readFirstName(lead.name),
  /** Null if the homeowner gave only an email address. */
  phone: readPhone(lead.phone) ?? null,
  email: makeSafe(lead.email),
  service: readField(lead, 'serviceType'),
  isEmergency: lead.serviceType === 'emergency',
  address: makeSafe(lead.address),
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
  saleDetails: lead.saleDetails,
  lastNote: lead.lastNote === null ? null : { text: lead.lastNote, person: lead.lastNoteBy },
  isSuspect: lead.suspect !== null,
})

type Options = Clock & {
  /** Labels by recipient name. */
  recipients: ReadonlyMap<string, string>
  /** True to explain why messages were not sent. Only owners see this, because only they can have the server fixed. */
  explainsErrors?: boolean
  others?: OtherRequests
  sharers?: readonly Sharer[]
}

export const describeInFull = (lead: LeadRecord, options: Options) => ({
  ...describeCard(lead),
  /** Requests with the same number, newest first. */
  sameNumber: (options.others?.sameNumber ?? []).map(describeCard),
  /** Requests that share only the email. They share no calls, because anyone can type someone else's email. */
  sameEmail: (options.others?.sameEmail ?? []).map(describeCard),
  fields: listShown(lead),
  /** The values as stored, so that the crew can correct them. */
  values: pickFields(lead),
  /** Null if the form sent no source. */
  source: lead.source === null ? null : describeSource(lead.source),
  consent: lead.consent === null ? null : describeConsent(lead.consent),
  suspicion: lead.suspect ? explainSuspicion(lead.suspect) : null,
  /** When the email to the homeowner after “No answer” goes out; null once Undo can no longer stop it. */
  emailAt: computeEmailAt(lead),
  history: describeHistory(lead, options),
  /** The oldest entry of the history. */
  beginning: lead.source === phoneCall ? 'Added during a phone call' : 'Request received',
  deliveries: lead.deliveries
    .filter(({ state }) => state !== 'cancelled')
    .map((delivery) => {
      const state = computeDeliveryState(delivery)
      const explain = (text: string | null) =>
        options.explainsErrors && text ? keepForOwner(text) : null
      return {
        recipient: delivery.recipient,
        /** The service that keeps a row for the lead, if this delivery goes there. */
        rowIn: delivery.recipient === rowChannel.kind ? rowChannel.label : null,
        what: describeWhat(delivery, lead.promiseStartAt ?? 0, options),
        state,
        status: describeState(delivery, lead, options),
        error: state === 'waiting' || state === 'failed' ? explain(delivery.lastError) : null,
        note: explain(delivery.note),
      }
    }),
})

const computeEmailAt = ({ deliveries }: LeadRecord): number | null =>
  deliveries.find(
    ({ reason, state, attempts }) =>
      reason === 'unreached' && state === 'waiting' && attempts === 0,
  )?.nextAttemptAt ?? null

type StateInWords = Exclude<Delivery['state'], 'expired' | 'asking'> | 'arrived'

/** `sent` means that the service accepted the message; `arrived`, that the service or the phone confirmed it. */
export function computeDeliveryState({ state, arrivedAt }: Delivery): StateInWords {
  if (arrivedAt !== null) return 'arrived'
  if (state === 'asking') return 'sent'
  return state === 'expired' ? 'failed' : state
}

const cancellations: Record<CancelReason, string> = {
  called: 'someone called first',
  undone: 'undone',
  replaced: 'a later reminder replaced it',
  corrected: 'the phone number was corrected',
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
  { recipient, reason, dueAt }: Delivery,
  promiseStartAt: number,
  { recipients }: Options,
): string {
  const label = readLabel(recipient)
  const to = recipients.get(recipient)
  const about = describeReason(reason, dueAt - promiseStartAt)
  return [to ? `${label} to ${to}` : label, about].filter(Boolean).join(', ')
}

const reasonsInWords: Record<Exclude<ReasonKind, 'corrected' | 'uncalled'>, string> = {
  received: '',
  called: 'call started',
  outcome: 'status update',
  missed: 'missed deadline',
  again: 'reminder to call again',
  unresolved: 'reminder to enter the result',
  unreached: 'after no answer',
}

function describeReason(reason: DeliveryReason, waitedMs: number): string {
  const { kind, detail } = readReason(reason)
  if (kind === 'corrected') return `corrected ${leadFields[detail as LeadField]?.noun}`
  if (kind !== 'uncalled') return reasonsInWords[kind]
  const isEarly = waitedMs < Number(detail) * minuteMs
  return isEarly ? 'early reminder' : `reminder after ${detail} minutes`
}

const ordinals = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']

/** A version is a name that the owner chose, or a date. The second and later versions of a day also have a number. */
function describeConsent(version: string): string {
  const [, day, number] = version.match(/^(\d{4}-\d\d-\d\d)(?:-(\d+))?$/) ?? []
  if (!day) return `Version ${version}`
  return `Wording from ${formatDate(day)}${number ? `, version ${number}` : ''}`
}

// How long to wait for a phone's confirmation, which takes seconds unless the phone is off.
const confirmationMs = minuteMs

function describeState(delivery: Delivery, lead: StoredLead, clock: Clock): string {
  const { recipient, state, settledAt } = delivery
  const settled = formatAt(settledAt ?? 0, clock)
  switch (computeDeliveryState(delivery)) {
    case 'arrived':
      return describeArrival(delivery, lead, clock)
    case 'failed':
      return state === 'expired' ? `failed, stopped trying ${settled}` : `failed, tried ${settled}`
    case 'sent': {
      if (!confirmsArrival(recipient)) return `sent ${settled}`
      const isOpen = state === 'asking' || clock.now - (settledAt ?? 0) < confirmationMs
      return `sent ${settled}, ${isOpen ? 'waiting for confirmation' : 'not confirmed'}`
    }
    case 'waiting':
    case 'cancelled':
      return describeNextTry(delivery, clock.now)
  }
}

function describeNextTry({ attempts, nextAttemptAt, notBefore }: Delivery, now: number): string {
  // Nothing is sent to the recipient during a pause, such as one that a 429 asked for.
  const inMs = Math.max(nextAttemptAt, notBefore ?? 0) - now
  const when = inMs > 0 ? `in ${formatDuration(inMs)}` : 'now'
  if (attempts === 0) return inMs > 0 ? `will be sent ${when}` : 'not sent yet'
  const ordinal = ordinals[attempts]
  return `${ordinal ? `${ordinal} try` : `try ${attempts + 1}`} ${when}`
}

function describeArrival(
  { recipient, reason, dueAt, arrivedAt, tappedAt }: Delivery,
  { receivedAt }: StoredLead,
  clock: Clock,
): string {
  const at = arrivedAt ?? 0
  if (!findChannel(recipient)?.phoneConfirms) return `arrived ${formatAt(at, clock)}`
  // Reminders, and alerts that waited until we opened, come later on purpose, so show their time, not their delay.
  const isFirst = reason === 'received' && dueAt === receivedAt
  const shown = isFirst
    ? `shown ${formatPreciseDuration(at - receivedAt)} after the request`
    : `shown ${formatAt(at, clock)}`
  return tappedAt === null ? shown : `${shown}, tapped ${formatAt(tappedAt, clock)}`
}
