import type { BusinessHours } from '../hours.ts'
import type { Env } from '../settings.ts'
import type { ReachedLimit } from '../store/confirmation-limits.ts'
import type { PushDevice } from '../store/push-devices.ts'
import type { Pending, Undelivered } from '../store/reading.ts'

/** Where problems are shown: to monitoring, to the owner, at server start, to a developer. */
export type Place = 'healthz' | 'desk' | 'start' | 'doctor'

/**
 * `error` means that leads cannot be stored or can be lost; `warning`, that something needs attention.
 * A `note` is for a person to decide and does not make doctor fail.
 */
export type Severity = 'error' | 'warning' | 'note'

export type OwnerAction = { label: string } & (
  | { kind: 'open'; route: string }
  | { kind: 'turn-on-notifications' | 'retry-all' }
)

export type OwnerText = { text: string; action?: OwnerAction }
type DeveloperText = { text: string; next?: string }

export type Check<Found = unknown> = {
  id: string
  runsIn: readonly Place[]
  /** Defaults to a warning. */
  severity?: Severity
  /** Returns undefined or false if there is no problem. */
  find(context: HealthContext): Found | false | undefined
  /** Contains no variable names or commands. Required for checks that run in the desk. */
  forOwner?(found: Found, context: HealthContext): OwnerText
  forDeveloper(found: Found, context: HealthContext): DeveloperText
}

/** The input of the checks. A check with missing input finds nothing. */
export type HealthContext = {
  env: Env
  hours: BusinessHours
  now: number
  /** True if the site has an https address, and always in doctor, which prepares for that. */
  isPublic: boolean
  database?: DatabaseFacts | undefined
  /** Set if the database cannot be used. */
  databaseFault?: string | undefined
  /** True if the running site's SQLite file was deleted or replaced. */
  isFileGone?: boolean | undefined
  machine?: MachineFacts | undefined
  /** Why visitors do not see the version of the page that was published last. */
  pageFault?: string | undefined
  /** Whether the published page and site/content.ts differ. */
  pageDiffers?: boolean | undefined
}

export type DatabaseFacts = {
  /** By channel kind; has no entry for a kind without pending deliveries. */
  pending: ReadonlyMap<string, Pending>
  devices: readonly PushDevice[]
  /** The devices that confirmed none of their last 3 leads. */
  silentDevices: readonly PushDevice[]
  /** By channel kind: messages from the last day that did not arrive. */
  undelivered: ReadonlyMap<string, Undelivered>
  /** Addresses that cannot get another sign-in link now. */
  limitedAddresses: readonly string[]
  confirmationLimit?: ReachedLimit | undefined
  /** True if parts of an erased lead may still be in SQLite's files. */
  isErasing: boolean
}

/** The entry files read these, because only they can use the file system and the site's content. */
export type MachineFacts = {
  /** Undefined if the leads are in PostgreSQL. */
  storage?: {
    kind: 'disk' | 'memory' | 'container' | 'network'
    freeBytes: number
    newestBackupAt: number | undefined
  }
  /** True if only the container's network can reach the site's port, unless it is published. */
  inContainer?: boolean
  /** The places in site/content.ts that still have the template's content. */
  samples: readonly string[]
}

export type Problem = {
  id: string
  severity: Severity
  forOwner: OwnerText | undefined
  forDeveloper: DeveloperText
}

/** Lets TypeScript infer the type of `Found`. */
export const defineCheck = <Found>(check: Check<Found>): Check => check as Check

export const listProblems = (
  checks: readonly Check[],
  place: Place,
  context: HealthContext,
): Problem[] =>
  checks.flatMap((check) => {
    const { id, runsIn, severity = 'warning' } = check
    const found = runsIn.includes(place) && check.find(context)
    if (found === undefined || found === false) return []
    const forOwner = check.forOwner?.(found, context)
    return [{ id, severity, forOwner, forDeveloper: check.forDeveloper(found, context) }]
  })
