import type { Problem } from '../health/check.ts'
import { type FaultLog, nameError } from '../log.ts'
import { checkWritable } from '../store/check-database.ts'
import type { Database } from '../store/tables.ts'
import type { Timers } from '../timers.ts'
import { withTimeout } from '../with-timeout.ts'
import { clearWriteFault, defaultSaveTimeoutMs, reportWriteFault } from './accept-lead.ts'

export type HealthOptions = {
  db: Database
  saveTimeoutMs?: number
  listProblems: (databaseFault?: string) => Promise<Problem[]>
  now: () => number
  timers: Timers
  faults: FaultLog
}

const reuseMs = 1_000

/** Returns whether leads can be stored and the IDs of warnings. Both are public. */
export function createHealthCheck(options: HealthOptions) {
  const { db, now, timers, faults, saveTimeoutMs = defaultSaveTimeoutMs } = options

  async function check() {
    const fault = await withTimeout(saveTimeoutMs, () => checkWritable(db, now()), timers).then(
      () => void clearWriteFault(faults),
      (error) => {
        reportWriteFault(faults, error)
        return nameError(error)
      },
    )
    const problems = await withTimeout(
      saveTimeoutMs,
      () => options.listProblems(fault),
      timers,
    ).catch((error) => options.listProblems(nameError(error)))
    return { ok: fault === undefined, warnings: problems.map(({ id }) => id) }
  }

  // Each check waits for the disk, so requests within a second share one check.
  let last: { at: number; health: ReturnType<typeof check> } | undefined
  return () => {
    if (!last || Math.abs(now() - last.at) >= reuseMs) last = { at: now(), health: check() }
    return last.health
  }
}
