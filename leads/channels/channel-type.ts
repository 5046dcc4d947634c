import type { Context } from '../context.ts'
import type { DeliveryReason, ReasonKind } from '../delivery-reason.ts'
import { hash } from '../hash.ts'
import type { StoredLead } from '../lead.ts'
import type { ChannelSettings } from '../settings.ts'
import type { ClaimedLead, Summary } from '../store/claims.ts'

/** A way to send leads. channels.ts lists all channels. */
export type Channel<
  Kind extends string = string,
  // biome-ignore lint/suspicious/noExplicitAny: the list has channels with different settings.
  Settings = Kind extends keyof ChannelSettings ? NonNullable<ChannelSettings[Kind]> : any,
> = {
  /** Must not contain a hyphen, because deliveries are stored under `kind` or `kind-recipient`. */
  kind: Kind
  /** Shown to the owner. */
  label: string
  reasons: readonly ReasonKind[]
  /** Returns the recipients of an event or, without an event, all that may have pending deliveries. */
  recipients(
    context: Pick<Context, 'env' | 'readDevices'> & { settings: Settings },
    event?: LeadEvent,
  ): Promise<Recipient[]>
  /** Returns one result per delivery, in order. Errors must not contain personal data. */
  send(
    deliveries: readonly ClaimedLead[],
    recipient: Recipient,
    context: Context & { settings: Settings },
    signal: AbortSignal,
  ): Promise<Result[]>
  /** Completes the sentence "Set up …" for a developer. Only for alerts. */
  setupHint?: string
  /**
   * True if messages can wake people. Such a channel gets a new lead only once its promise has started, and suspected
   * spam only after someone has called.
   */
  wakesPhones?: boolean
  /** Sends one message for several deliveries. Required for channels that wake phones. */
  sendSummary?(
    deliveries: readonly ClaimedLead[],
    summary: Summary,
    recipient: Recipient,
    context: Context & { settings: Settings },
    signal: AbortSignal,
  ): Promise<Result>
  /** When a working day starts, sends owners or devices a summary of what to do. */
  digest?: {
    recipients(context: Context & { settings: Settings }): Promise<Recipient[]>
    send(
      digest: Digest,
      recipient: Recipient,
      context: Context & { settings: Settings },
      signal: AbortSignal,
    ): Promise<Result>
  }
  /** True if a message has arrived once the service accepts it, such as a row in Airtable. */
  arrivesWhenSent?: boolean
  /** True if the phone confirms that it showed a message. */
  phoneConfirms?: boolean
  /** Asks the service whether a sent message arrived. Only for services that report it. */
  findArrival?(
    messageId: string,
    context: Context & { settings: Settings },
    signal: AbortSignal,
  ): Promise<Arrival>
  /** Returns a sentence for the owner. The parameters are phrases such as "2 leads" and "5 minutes". */
  explainFailure(leads: string, lateBy: string): string
  /** Follows that sentence; by default, tells the owner to look under Today. */
  adviceIfLate?: string
  /** Tells a developer what the channel is for if it is not set up. */
  offer?: { text: string; next: string }
  /** Runs only if the channel is set up. */
  doctorCheck(
    // Doctor also runs before the database exists.
    context: Omit<Context, 'db' | 'company' | 'log'> & { settings: Settings },
    options: { sends: boolean },
  ): Promise<DoctorCheck[]>
  /** The maximum number of deliveries per send. */
  batchSize: number
  /** If a sender is killed, another process takes over its recipient after this time; 20 s by default. */
  leaseMs?: number
  /** The minimum time between two sends across all processes. */
  restMs?: number
  /** True if messages tell the crew that a lead needs a call. */
  isAlert: boolean
  /** Visitors can type anyone's email address, so store/limits.ts limits the messages about new leads. */
  isLimited?: boolean
  /**
   * The time until a message expires; null to retry forever. Counts from when the message was due or, for alerts, from
   * the lead's deadline if that is later.
   */
  expiresAfterMs: number | null
}

export type Recipient = {
  /** Identifies the recipient in the database and in logs: `kind`, or `kind-` and part of a hash or device ID. */
  name: string
  /** Where `send` sends to, such as an email address. */
  to: string
  /** Shown to the owner; contains no secret. */
  label: string
  /** True outside a phone's hours, when it gets an alert only if no other phone would get it. */
  isOffDuty?: boolean
  /** The email address of the person who is signed in on this device. */
  owner?: string | undefined
}

export type Digest = {
  /** A retry has the same ID. */
  id: string
  /** Such as “3 to call again today, 2 not called yet.” */
  text: string
  /** The Today screen. */
  url: string
}

export type LeadEvent = {
  lead: Pick<StoredLead, 'serviceType' | 'email' | 'promiseStartAt' | 'deadlineAt'> &
    Partial<Pick<StoredLead, 'source' | 'callerEmail'>>
  reason: DeliveryReason
  /** Whether the company is open at the time of the event. */
  isOpen: boolean
}

/** `messageId` is for `findArrival`. */
export type Result = { ok: true; note?: string; messageId?: string } | FailedResult

export type Arrival = { state: 'unknown' | 'arrived' } | { state: 'failed'; error: string }

export type FailedResult = {
  ok: false
  error: string
  /** True if the message is not retried, because its recipient is gone or permanently rejected it. */
  isUndeliverable?: boolean
  /** The service rejects this lead, but would accept others. */
  refused?: boolean
  /** The service asks all senders to wait this long. */
  retryAfterMs?: number
}

type DoctorCheck = { state: 'ok' | 'to do'; text: string; next?: string }

/** Names recipients by a hash, which hides addresses in logs and does not depend on their order. */
export function nameRecipients(kind: string, addresses: readonly string[]): Recipient[] {
  const named = addresses.map((to) => {
    const name = `${kind}-${hash(to.toLowerCase()).slice(0, 8)}`
    return { name, to, label: to }
  })
  return named.filter(({ name }, at) => named.findIndex((one) => one.name === name) === at)
}
