import { kindOf } from '../delivery/receivers.ts'
import type { FaultLog } from '../log.ts'
import { giveUpAfter } from '../store/give-up-after.ts'
import { type Backlog, countWaiting } from '../store/reading.ts'
import type { Database } from '../store/tables.ts'
import { proveWritable } from '../store/write-check.ts'
import { clearWriteFault, defaultSaveMs, reportWriteFault } from './accept-lead.ts'

export type HealthOptions = {
  db: Database
  longestSaveMs?: number
  findNotSetUp: () => Promise<readonly string[]>
  /** What the owner should look at, given what waits. */
  findWarnings: (backlog: readonly Backlog[], now: number) => Promise<string[]>
  now: () => number
  faults: FaultLog
}

const reuseMs = 1_000

/** Whether a lead could be stored now (undefined: no), and what waits. */
export function createHealthCheck(options: HealthOptions) {
  const { db, now, faults, longestSaveMs = defaultSaveMs } = options

  async function findHealth() {
    await proveWritable(db)
    clearWriteFault(faults)
    const backlog = await countWaiting(db)
    const byChannel: Record<string, number> = {}
    for (const { channel, waiting } of backlog)
      byChannel[kindOf(channel)] = (byChannel[kindOf(channel)] ?? 0) + waiting
    const oldestAt = Math.min(...backlog.map((channel) => channel.oldestAt))
    const notSetUp = await options.findNotSetUp()
    const warnings = await options.findWarnings(backlog, now()).catch(() => [])
    return {
      ok: true,
      database: db.engine,
      deliveries: {
        waiting: backlog.reduce((sum, { waiting }) => sum + waiting, 0),
        oldestWaitingSeconds: backlog.length > 0 ? Math.round((now() - oldestAt) / 1000) : null,
        byChannel,
      },
      notSetUp,
      warnings: [...notSetUp, ...warnings],
    }
  }

  const check = () =>
    giveUpAfter(longestSaveMs, findHealth).catch((error) => reportWriteFault(faults, error))

  // Each check is a durable write: a client that asks more often gets the answer just found.
  let last: { at: number; health: ReturnType<typeof check> } | undefined
  return () => {
    if (!last || Math.abs(now() - last.at) >= reuseMs) last = { at: now(), health: check() }
    return last.health
  }
}
