import type { Channel, ClaimedLead } from '../channel.ts'
import { type FaultLog, type Log, nameError } from '../log.ts'
import { acquireChannel, holdChannel, releaseChannel, renewLease } from '../store/channel-leases.ts'
import {
  claimDue,
  findNextDueAt,
  freeClaims,
  retryDeliveries,
  settleDeliveries,
} from '../store/deliveries.ts'
import { adoptDeliveries } from '../store/receivers.ts'
import type { Database } from '../store/tables.ts'
import { decideReport, decideSettlements, type Settled } from './settle.ts'

// A lease plus a poll is the longest a killed process's work lies still: under a minute.
export const leaseMs = 45_000
export const pollMs = 5_000
/** How soon to look again after finding the channel in another sender's hands. */
const takenMs = 500
const settleTries = 30
const settleRetryMs = 1_000

export type DeliveryDeps = {
  db: Database
  now: () => number
  random: () => number
  pause: (ms: number) => Promise<void>
  log: Log
  faults: FaultLog
  renewEveryMs?: number
}

/** Returns what sends all that is due on a channel, and says in how many milliseconds more will be. */
export function createChannelRun(
  channel: Channel,
  {
    db,
    now,
    random,
    pause,
    log,
    faults,
    renewEveryMs = 10_000,
    stopping,
    aborting,
  }: DeliveryDeps & { stopping: AbortSignal; aborting: AbortSignal },
): () => Promise<number> {
  const { name, formerName, exclusive, batchSize, restMs } = channel
  const lease = (holder: string) => ({ holder, now: now(), until: now() + leaseMs })
  // A database that breaks off in the middle leaves a run's leases behind. Waiting for their end
  // would cost a homeowner most of a minute.
  let leftHolder: string | undefined
  let isAdopted = formerName === undefined
  let isProven = false

  return async () => {
    const holder = crypto.randomUUID()
    try {
      await freeLeftLeases()
      if (!isAdopted && formerName)
        isAdopted = await adoptDeliveries(db, { name, formerName, now: now() })
      const delayMs = await findDelayMs()
      faults.clear('delivery database', 'deliveries can be read again')
      if (delayMs > 0) return delayMs
      if (exclusive && !(await acquireChannel(db, name, lease(holder)))) return takenMs
      await sendDue(holder)
      return await findDelayMs()
    } catch (error) {
      faults.report(
        'delivery database',
        { error: nameError(error) },
        'deliveries wait: the database cannot be used',
      )
      leftHolder ??= holder
      return pollMs
    }
  }

  async function freeLeftLeases(): Promise<void> {
    if (leftHolder === undefined) return
    await freeClaims(db, name, leftHolder)
    await releaseChannel(db, name, leftHolder, now())
    leftHolder = undefined
  }

  async function findDelayMs(): Promise<number> {
    const dueAt = await findNextDueAt(db, name)
    return dueAt === undefined ? Number.POSITIVE_INFINITY : Math.max(0, dueAt - now())
  }

  async function sendDue(holder: string): Promise<void> {
    const { lost, stopRenewing } = keepLease(holder)
    let holdMs = 0
    try {
      while (!stopping.aborted && !lost.aborted) {
        const claimed = await claimDue(db, name, batchSize, lease(holder))
        if (claimed.length === 0) break
        holdMs = await send(claimed, holder, lost)
        if (holdMs > 0 || claimed.length < batchSize) break
        await pause(restMs)
      }
    } finally {
      stopRenewing()
      if (exclusive) await releaseChannel(db, name, holder, now() + Math.max(holdMs, restMs))
      else if (holdMs > 0) await holdChannel(db, name, now() + holdMs)
    }
  }

  /** Renews the lease for as long as the work takes; `lost` tells when another has taken it. */
  function keepLease(holder: string): { lost: AbortSignal; stopRenewing: () => void } {
    const losing = new AbortController()
    let isRenewing = false
    const renewal = setInterval(async () => {
      // One at a time: of two under way, the older could be the last to be written.
      if (isRenewing) return
      isRenewing = true
      try {
        if (!(await renewLease(db, name, exclusive, lease(holder)))) losing.abort()
      } catch {
        // While the database is away nobody else can take the lease either.
      }
      isRenewing = false
    }, renewEveryMs)
    return { lost: losing.signal, stopRenewing: () => clearInterval(renewal) }
  }

  /** Returns how long nobody may send. */
  async function send(claimed: ClaimedLead[], holder: string, lost: AbortSignal): Promise<number> {
    const signal = AbortSignal.any([lost, aborting])
    const { outcomes, holdMs = 0 } = await channel.send(claimed, signal).catch((error) => ({
      outcomes: claimed.map(({ lead, occasion }) => {
        return { leadId: lead.id, occasion, ok: false as const, error: nameError(error) }
      }),
      holdMs: 0,
    }))
    const { urgent } = channel
    const settled = decideSettlements(claimed, outcomes, { now: now(), random, urgent })
    // What was sent must be recorded, or it is sent again: worth waiting for a database that restarts.
    for (let tries = 1; ; tries++) {
      try {
        await settleDeliveries(db, name, settled, { holder, now: now() })
        break
      } catch (error) {
        if (tries === settleTries || aborting.aborted) throw error
        await pause(settleRetryMs)
      }
    }
    await report(settled)
    return holdMs
  }

  async function report(settled: readonly Settled[]): Promise<void> {
    const { delivered, outages, putOff } = decideReport(settled)
    if (delivered.length > 0) {
      const recovered = faults.clear(`channel ${name}`, `${name} takes leads again`)
      // The others have backed off by up to 15 minutes, and there is no more reason to wait. The
      // first success of a process counts, too: what failed before it began, it cannot know.
      if (recovered || !isProven) await retryDeliveries(db, 'all', now(), name)
      isProven = true
      log.info({ channel: name, leadIds: delivered }, 'delivered')
    }
    for (const { error } of outages)
      faults.report(`channel ${name}`, { error }, `${name} takes no leads: they wait`)
    for (const { leadId, error } of putOff)
      log.warn({ channel: name, leadId, error }, 'not delivered yet: it will be retried')
  }
}
