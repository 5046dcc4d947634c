import { createHash } from 'node:crypto'
import type * as v from 'valibot'
import type { DeliveryReason, ReasonKind } from '../delivery-reason.ts'
import type { Lead } from '../fields.ts'
import type { StoredLead } from '../lead.ts'
import type { Log } from '../log.ts'
import type { ClaimedLead } from '../store/deliveries.ts'
import type { PushDevice } from '../store/push-devices.ts'
import type { Database } from '../store/tables.ts'

/** One way to tell someone about a lead. channels.ts lists them all. */
export type Channel<
  Kind extends string = string,
  // biome-ignore lint/suspicious/noExplicitAny: the list holds channels with different variables.
  Variables extends v.ObjectEntries = any,
  // biome-ignore lint/suspicious/noExplicitAny: the list holds channels with different settings.
  Settings = any,
> = {
  /** Without a hyphen: deliveries are stored under `kind` or `kind-recipient`. */
  kind: Kind
  /** Shown to the owner. */
  label: string
  settings: {
    /** The environment variables of this channel. */
    variables: Variables
    /** The variables without which the channel sends nothing. */
    required: readonly (keyof Variables & string)[]
    /** Variables with a default: alone they do not mean that someone set up the channel. */
    optional?: readonly (keyof Variables & string)[]
    /** Undefined: the channel is not set up. */
    read(values: v.InferOutput<v.ObjectSchema<Variables, undefined>>): Settings | undefined
  }
  /** The reasons for which this channel sends something. */
  reasons: readonly ReasonKind[]
  /** The recipients for one event, or, without an event, all that may have pending deliveries. */
  recipients(context: RecipientContext<Settings>, event?: LeadEvent): Promise<Recipient[]>
  /** Returns one result per delivery, in order. Errors must not contain personal data. */
  send(
    deliveries: readonly ClaimedLead[],
    recipient: Recipient,
    context: Context<Settings>,
    signal: AbortSignal,
  ): Promise<Result[]>
  /** A sentence for the owner, with values such as "2 leads" and "5 minutes". */
  explainFailure(leads: string, since: string): string
  /** Checks a channel that is set up. */
  doctorCheck(context: DoctorContext<Settings>): Promise<DoctorCheck[]>
  /** How many deliveries one send takes at most. */
  batchSize: number
  /** One sender at a time, across all processes. */
  exclusive: boolean
  /** The shortest time between two sends, across all processes. */
  restMs: number
  /** How long after the lead's deadline an undelivered message expires; null: it is retried forever. */
  expiresAfterMs: number | null
}

export type Recipient = {
  /** Identifies the recipient in the database: `kind`, or `kind-` and a hash. */
  name: string
  /** The address that `send` uses. */
  to: string
  /** Shown to the owner; contains no secret. */
  label: string
}

export type LeadEvent = { lead: Lead & Pick<StoredLead, 'deadlineAt'>; reason: DeliveryReason }

export type Result = { ok: true; note?: string } | Failure

export type Failure = {
  ok: false
  error: string
  /** The service rejects this lead only; it would accept others. */
  refused?: boolean
  /** The service asks all senders to wait this long. */
  holdMs?: number
}

/** The site's own settings that channels read. */
export type SiteSettings = {
  publicUrl: string
  /** The address of the "I am calling" page; undefined where the runtime cannot show pages. */
  answerUrl: string | undefined
  linkSecret: string | undefined
  timeZone: string
  escalateAfterMinutes: readonly number[]
  desk: { url: string } | undefined
  deskEmails: readonly string[]
  /** How a push service can reach the sender. */
  contactUrl: string
}

export type RecipientContext<Settings> = {
  settings: Settings
  env: SiteSettings
  now: () => number
  /** With `timeoutMs`, falls back to the devices read before. */
  readDevices: (timeoutMs?: number) => Promise<readonly PushDevice[]>
}

export type Context<Settings> = RecipientContext<Settings> & {
  db: Database
  fetch: typeof fetch
  pause: (ms: number) => Promise<void>
  log: Log
}

/** Without the database, which may not exist yet. */
export type DoctorContext<Settings> = RecipientContext<Settings> &
  Pick<Context<Settings>, 'fetch' | 'pause'> & {
    /** Send a test to each recipient. */
    sends: boolean
  }

export type DoctorCheck = { state: 'ok' | 'to do'; says: string; next?: string }

/** The hash keeps addresses out of logs and does not change when the owner reorders a list. */
export function nameRecipients(kind: string, addresses: readonly string[]): Recipient[] {
  const hash = (to: string) => createHash('sha256').update(to.toLowerCase()).digest('hex')
  const named = addresses.map((to) => ({ name: `${kind}-${hash(to).slice(0, 8)}`, to, label: to }))
  return named.filter(({ name }, at) => named.findIndex((one) => one.name === name) === at)
}
