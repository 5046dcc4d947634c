import { createHash } from 'node:crypto'
import type * as v from 'valibot'
import type { DeliveryReason, ReasonKind } from '../delivery-reason.ts'
import type { BusinessHours } from '../hours.ts'
import type { StoredLead } from '../lead.ts'
import type { Log } from '../log.ts'
import type { ClaimedLead } from '../store/claims.ts'
import type { PushDevice } from '../store/push-devices.ts'
import type { Database } from '../store/tables.ts'
import type { System } from './system.ts'

/** A way to send leads. channels.ts lists all of them. */
export type Channel<
  Kind extends string = string,
  // biome-ignore lint/suspicious/noExplicitAny: the list has channels with different variables.
  Variables extends v.ObjectEntries = any,
  // biome-ignore lint/suspicious/noExplicitAny: the list has channels with different settings.
  Settings = any,
> = {
  /** Must not contain a hyphen, because deliveries are stored under `kind` or `kind-recipient`. */
  kind: Kind
  /** Shown to the owner. */
  label: string
  settings: {
    variables: Variables
    required: readonly (keyof Variables & string)[]
    /** Setting only these does not turn on the channel: they have a default, or belong to another channel. */
    optional?: readonly (keyof Variables & string)[]
    /** Returns undefined if the channel is not set up. */
    read(values: v.InferOutput<v.ObjectSchema<Variables, undefined>>): Settings | undefined
  }
  reasons: readonly ReasonKind[]
  /** Returns the recipients of an event, or all that may have pending deliveries. */
  recipients(context: RecipientContext<Settings>, event?: LeadEvent): Promise<Recipient[]>
  /** Returns one result per delivery, in order. Errors must not contain personal data. */
  send(
    deliveries: readonly ClaimedLead[],
    recipient: Recipient,
    context: Context<Settings>,
    signal: AbortSignal,
  ): Promise<Result[]>
  /** Completes the sentence "Set up …" for a developer. Only for alerts. */
  setupHint?: string
  /**
   * Messages can wake people, so this channel gets no suspected spam, and gets a lead only once its promise
   * has started.
   */
  wakesPhones?: boolean
  /** Sends one message about many leads from one network. Required for channels that wake phones. */
  sendSummary?(
    leads: readonly StoredLead[],
    recipient: Recipient,
    context: Context<Settings>,
    signal: AbortSignal,
  ): Promise<Result>
  /** A message has arrived once the service accepts it, such as a row in Airtable. */
  arrivesWhenSent?: boolean
  /** The phone itself confirms that it showed a message. */
  phoneConfirms?: boolean
  /** Asks the service whether a sent message arrived. Only for services that report it. */
  findArrival?(messageId: string, context: Context<Settings>, signal: AbortSignal): Promise<Arrival>
  /** Returns a sentence for the owner. The parameters are phrases such as "2 leads" and "5 minutes". */
  explainFailure(leads: string, lateBy: string): string
  /** Runs only if the channel is set up. */
  doctorCheck(context: DoctorContext<Settings>): Promise<DoctorCheck[]>
  /** The maximum number of deliveries per send. */
  batchSize: number
  /** Allows one sender at a time across all processes. */
  exclusive?: boolean
  /** The minimum time between two sends across all processes. */
  restMs?: number
  /** Tells staff that a lead needs a call. */
  isAlert: boolean
  /**
   * The time until a message expires; null to retry forever. Counts from the lead's deadline for alerts,
   * and from when the message was due for others.
   */
  expiresAfterMs: number | null
}

export type Recipient = {
  /** Identifies the recipient in the database: `kind`, or `kind-` and a hash. */
  name: string
  /** The address that `send` uses. */
  to: string
  /** Shown to the owner; contains no secret. */
  label: string
  /** Outside its hours, a phone gets an alert only if no other phone would get it. */
  isOffDuty?: boolean
}

export type LeadEvent = {
  lead: Pick<StoredLead, 'serviceType' | 'email' | 'promiseStartAt' | 'deadlineAt'> &
    Partial<Pick<StoredLead, 'source'>>
  reason: DeliveryReason
  /** Whether the company is open at the time of the event. */
  isOpen: boolean
}

/** The ID is for `findArrival`. An undeliverable message is not retried, because its recipient is gone. */
export type Result =
  | { ok: true; note?: string; messageId?: string; isUndeliverable?: boolean }
  | Failure

export type Arrival = { state: 'unknown' | 'arrived' } | { state: 'failed'; error: string }

export type Failure = {
  ok: false
  error: string
  /** The service rejects this lead, but would accept others. */
  refused?: boolean
  /** The service asks all senders to wait this long. */
  holdMs?: number
}

export type SiteSettings = {
  publicUrl: string
  /** The address of the "I’m calling" page; undefined where we cannot serve HTML. */
  answerUrl: string | undefined
  linkSecret: string | undefined
  timeZone: string
  escalateAfterMinutes: readonly number[] | undefined
  desk: { url: string } | undefined
  deskEmails: readonly string[]
  /** A contact for push services: https: or mailto:. */
  contactUrl: string
}

type RecipientContext<Settings> = {
  settings: Settings
  env: SiteSettings
  now: () => number
  /** After `timeoutMs`, returns the devices of the last successful read. */
  readDevices: (timeoutMs?: number) => Promise<readonly PushDevice[]>
}

/** The company's details in emails to homeowners. */
export type Company = { name: string; phone: string; email?: string | undefined }

export type Context<Settings> = RecipientContext<Settings> &
  System & {
    db: Database
    /** The published hours and details, which the owner may change while the site runs. */
    hours: () => BusinessHours
    company: () => Company
    fetch: typeof fetch
    pause: (ms: number) => Promise<void>
    log: Log
  }

/** Has no database, because doctor also runs before the database exists. */
export type DoctorContext<Settings> = RecipientContext<Settings> &
  System &
  Pick<Context<Settings>, 'hours' | 'fetch' | 'pause'> & {
    /** Whether to send a test to each recipient. */
    sends: boolean
  }

type DoctorCheck = { state: 'ok' | 'to do'; text: string; next?: string }

/** Names recipients by a hash, which hides addresses in logs and does not depend on their order. */
export function nameRecipients(kind: string, addresses: readonly string[]): Recipient[] {
  const hash = (to: string) => createHash('sha256').update(to.toLowerCase()).digest('hex')
  const named = addresses.map((to) => ({ name: `${kind}-${hash(to).slice(0, 8)}`, to, label: to }))
  return named.filter(({ name }, at) => named.findIndex((one) => one.name === name) === at)
}
