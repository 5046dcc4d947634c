import type { Env } from '../settings.ts'
import type { PushDevice } from '../store/push-devices.ts'
import type { Pending } from '../store/reading.ts'

/** Where findings are shown: to monitors, to the owner, when the server starts, to a developer. */
export type Place = 'healthz' | 'desk' | 'start' | 'doctor'

/**
 * `error`: leads cannot be stored, or a restart loses them. `warning`: something needs to be done.
 * `note`: only a person can judge it; doctor still exits with 0.
 */
export type Severity = 'error' | 'warning' | 'note'

export type OwnerAction = { label: string } & (
  | { kind: 'open'; route: string }
  | { kind: 'turn-on-notifications' | 'resume-webhook' | 'retry-all' }
)

export type OwnerText = { text: string; action?: OwnerAction }
export type DeveloperText = { text: string; next?: string }

export type Check<Context = HealthContext, Found = unknown> = {
  id: string
  runsIn: readonly Place[]
  severity: Severity
  /** Returns undefined when all is well. */
  find(context: Context): Found | undefined | Promise<Found | undefined>
  /** Without names of variables and commands. Needed by checks that run in the desk. */
  forOwner?(found: Found, context: Context): OwnerText
  forDeveloper(found: Found, context: Context): DeveloperText
}

/** The facts that the checks read. A check whose facts are missing finds nothing. */
export type HealthContext = {
  env: Env
  now: number
  /** The site has an https address. Doctor sets it always, because it prepares a site for that. */
  isPublic: boolean
  database?: DatabaseFacts | undefined
  /** Why the database cannot be used. */
  databaseFault?: string | undefined
  machine?: MachineFacts | undefined
}

export type DatabaseFacts = {
  /** By kind of channel; a kind without pending deliveries is missing. */
  pending: ReadonlyMap<string, Pending>
  devices: readonly PushDevice[]
  isWebhookStopped: boolean
}

/** Read by the entry files, because only they may use the file system and the site's content. */
export type MachineFacts = {
  /** Undefined if the leads are in PostgreSQL. */
  storage?: {
    kind: 'disk' | 'memory' | 'container' | 'network'
    freeBytes: number
    newestBackupAt: number | undefined
  }
  /** The places in site/content.ts that still have the template's content. */
  samples: readonly string[]
}

export type Problem = {
  id: string
  severity: Severity
  forOwner: OwnerText | undefined
  forDeveloper: DeveloperText
}

/** Lets TypeScript infer what a check finds. */
export const defineCheck = <Found, Context = HealthContext>(
  check: Check<Context, Found>,
): Check<Context> => check as Check<Context>

export async function findProblems<Context>(
  checks: readonly Check<Context>[],
  place: Place,
  context: Context,
): Promise<Problem[]> {
  const problems = await Promise.all(
    checks.map(async (check): Promise<Problem[]> => {
      if (!check.runsIn.includes(place)) return []
      const found = await check.find(context)
      if (found === undefined) return []
      const { id, severity } = check
      const forOwner = check.forOwner?.(found, context)
      return [{ id, severity, forOwner, forDeveloper: check.forDeveloper(found, context) }]
    }),
  )
  return problems.flat()
}
