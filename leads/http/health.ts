import { nameError } from '../log.ts'
import { checkWritable } from '../store/save-lead.ts'
import { withTimeout } from '../with-timeout.ts'
import { clearWriteFault, defaultSaveTimeoutMs, reportWriteFault } from './accept-lead.ts'
import type { AppContext } from './app-context.ts'

const reuseMs = 1_000

/** Returns a function with a public result: `ok` is true if leads can be stored, and `warnings` has only IDs. */
export function createHealthCheck(context: AppContext) {
  const { db, now, timers, faults, saveTimeoutMs = defaultSaveTimeoutMs } = context

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
      () => context.listProblems(fault),
      timers,
    ).catch((error) => context.listProblems(nameError(error)))
    return { ok: fault === undefined, warnings: problems.map(({ id }) => id) }
  }

  // Each check waits for the disk, so requests within a second share one check.
  let last: { at: number; health: ReturnType<typeof check> } | undefined
  return () => {
    if (!last || Math.abs(now() - last.at) >= reuseMs) last = { at: now(), health: check() }
    return last.health
  }
}
