import type { BusinessHours } from '../hours.ts'
import type { Env } from '../settings.ts'
import type { Pending, Undelivered } from '../store/find-leads.ts'
import type { ReachedLimit } from '../store/limits.ts'
import type { PushDevice } from '../store/push-devices.ts'
import type { MailFault } from '../store/stored-settings.ts'

/** Where problems are shown: to monitoring, to the owner, at server start, or to a developer. */
export type Place = 'healthz' | 'desk' | 'start' | 'doctor'

/**
 * An `error` means that leads cannot be stored or may be lost. A `warning` needs attention. A `note` leaves the
 * decision to a person and does not make doctor fail.
 */
export type Severity = 'error' | 'warning' | 'note'

export type OwnerAction = { label: string } & (
  | { kind: 'open'; route: string }
  | { kind: 'retry-all' }
)

type Finding = {
  /** The problem, for a developer. */
  text: string
  /** The next step for a developer. */
  next: string
  /** The desk’s message for the owner, without variable names or commands. */
  forOwner?: string
  action?: OwnerAction | undefined
}

/**
 * A check that runs on the desk also needs a message for the owner. `find` returns undefined or false if there is no
 * problem.
 */
export type Check = {
  id: string
  /** Defaults to a warning. */
  severity?: Severity
  /** True if crew members see the problem, too, because it concerns their phones and not the server. */
  forCrew?: boolean
} & (
  | {
      runsIn: readonly Exclude<Place, 'desk'>[]
      find(context: HealthContext): Finding | undefined | false
    }
  | {
      runsIn: readonly Place[]
      find(context: HealthContext): (Finding & { forOwner: string }) | undefined | false
    }
)

/** The input for the checks. A check with missing input finds nothing, except `no-alerts`, which needs only `env`. */
export type HealthContext = {
  env: Env
  hours: BusinessHours
  now: number
  /** True if the site has an https URL. Always true in doctor, which prepares the site for the public. */
  isPublic: boolean
  database?: DatabaseFacts | undefined
  /** Set if the database cannot be used. */
  databaseFault?: string | undefined
  /** True if the running site's SQLite file was deleted or replaced. */
  isFileGone?: boolean | undefined
  machine?: MachineFacts | undefined
  /** Why visitors do not see the page that was published last. */
  pageFault?: string | undefined
  /** The stored pages whose text is damaged, such as 'version 3'. */
  damagedPages?: readonly string[] | undefined
  /** True if the published page and site/content.ts differ. */
  pageDiffers?: boolean | undefined
}

export type DatabaseFacts = {
  /** By channel kind; has no entry for a kind without pending deliveries. */
  pending: ReadonlyMap<string, Pending>
  devices: readonly PushDevice[]
  /** The devices that confirmed none of their last 3 alerts. */
  silentDevices: readonly PushDevice[]
  /** By channel kind: messages from the last day that did not arrive. */
  undelivered: ReadonlyMap<string, Undelivered>
  /** Email addresses for which at least one network cannot request another sign-in link now. */
  limitedAddresses: readonly string[]
  confirmationLimit?: ReachedLimit | undefined
  /** The last failure of the mail server, if it has accepted no email since. */
  mailFault?: MailFault | undefined
  /** True if parts of an erased lead may still be in SQLite's files. */
  isErasing: boolean
}

/** The entry points read these, because only they can use the file system and the site's content. */
export type MachineFacts = {
  /** Undefined if the leads are in PostgreSQL. */
  storage?: {
    /** True if the data is in a container's own file system, which is deleted with the container. */
    isTemporary: boolean
    freeBytes: number
    newestBackupAt: number | undefined
  }
  /** The page's entries that still have the template's content, such as `about.award`. */
  samples: readonly string[]
}

export type Problem = Finding & { id: string; severity: Severity; forCrew: boolean }

export const listProblems = (
  checks: readonly Check[],
  place: Place,
  context: HealthContext,
): Problem[] =>
  checks.flatMap(({ id, runsIn, severity = 'warning', forCrew = false, find }) => {
    const found = runsIn.some((one) => one === place) && find(context)
    return found ? [{ id, severity, forCrew, ...found }] : []
  })
