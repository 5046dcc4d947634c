import type { Channel, Recipient, Result } from '../channels/channel-type.ts'
import { type ChannelContext, findSettings, wakingChannels } from '../channels/channels.ts'
import { isDueAgain } from '../deadline.ts'
import type { StoredLead } from '../lead.ts'
import { type FaultLog, nameError } from '../log.ts'
import {
  type ClaimedLead,
  cancelCalled,
  claimCombined,
  claimDue,
  findNextDueAt,
  limitCombined,
  releaseClaims,
} from '../store/claims.ts'
import { addMissingDeliveries, recordResults, retryDeliveries } from '../store/deliveries.ts'
import { findLead } from '../store/reading.ts'
import { acquireChannel, pauseChannel, releaseChannel, renewLease } from '../store/sender-leases.ts'
import { planRecipients } from './plan.ts'
import { type DecidedResult, decideReport, decideResults } from './record-results.ts'

// Another process takes over from a killed one after a lease and a poll, within a minute.
export const leaseMs = 45_000
export const pollMs = 5_000
// The delay before trying again to acquire a lease that another process holds.
const retryLeaseMs = 500
const recordTries = 30
const recordRetryMs = 1_000
// Often enough for the promise, and 30 messages an hour at most.
const combineEveryMs = 2 * 60_000

export type DeliveryOptions = {
  faults: FaultLog
  renewEveryMs?: number
}

export const databaseFault = 'delivery database'

export function reportDatabaseFault(faults: FaultLog, error: unknown): void {
  const message = 'cannot send deliveries; the database is unavailable'
  faults.report(databaseFault, { error: nameError(error) }, message)
}

/** Returns how long the service asks all senders to wait. */
const computeHoldMs = (results: readonly Result[]): number =>
  Math.max(0, ...results.map((result) => (result.ok ? 0 : (result.holdMs ?? 0))))

const isUndeliverable = (result: Result | undefined) => result?.ok && result.isUndeliverable

/** The returned function sends a recipient's due deliveries and returns the delay until more are due. */
export function createSender(
  channel: Channel,
  recipient: Recipient,
  context: ChannelContext,
  options: DeliveryOptions & { stopping: AbortSignal; aborting: AbortSignal },
): () => Promise<number> {
  const { exclusive = false, batchSize, restMs = 0 } = channel
  const { name } = recipient
  const combines = channel.sendSummary !== undefined
  const { db, now, pause, timers, random, makeId, log } = context
  const { faults, renewEveryMs = 10_000, stopping, aborting } = options
  const lease = (holder: string) => ({ holder, now: now(), until: now() + leaseMs })
  // After a lost database connection, release our leases instead of waiting until they expire.
  let abandonedHolder: string | undefined
  let hasSucceeded = false

  return async () => {
    const holder = makeId()
    try {
      await releaseAbandonedLeases()
      const delayMs = await computeDelayMs()
      if (delayMs > 0) return delayMs
      if (exclusive && !(await acquireChannel(db, name, lease(holder)))) return retryLeaseMs
      await sendDue(holder)
      return await computeDelayMs()
    } catch (error) {
      reportDatabaseFault(faults, error)
      abandonedHolder ??= holder
      return pollMs
    }
  }

  async function releaseAbandonedLeases(): Promise<void> {
    if (abandonedHolder === undefined) return
    await releaseClaims(db, name, abandonedHolder)
    await releaseChannel(db, name, abandonedHolder, now())
    abandonedHolder = undefined
  }

  async function computeDelayMs(): Promise<number> {
    const dueAt = await findNextDueAt(db, name, { now: now(), combines })
    return dueAt === undefined ? Number.POSITIVE_INFINITY : Math.max(0, dueAt - now())
  }

  async function sendDue(holder: string): Promise<void> {
    const { lost, stopRenewing } = keepLease(holder)
    let holdMs = 0
    try {
      while (!stopping.aborted && !lost.aborted) {
        const due = await claimDue(db, name, batchSize, lease(holder), { combines })
        if (due.claimed.length === 0) break
        holdMs = computeHoldMs(await send(due.claimed, holder, lost, channel.send))
        if (holdMs > 0 || !due.hasMore) break
        await pause(restMs)
      }
      if (combines && holdMs === 0 && !stopping.aborted && !lost.aborted)
        holdMs = await sendCombined(holder, lost)
    } finally {
      stopRenewing()
      if (exclusive) await releaseChannel(db, name, holder, now() + Math.max(holdMs, restMs))
      else if (holdMs > 0) await pauseChannel(db, name, now() + holdMs)
    }
  }

  function needsCall(lead: StoredLead): boolean {
    return lead.status === 'open' || isDueAgain(lead, now())
  }

  /** Sends one message about a burst of leads. After a failure, it is retried like any other. */
  async function sendCombined(holder: string, lost: AbortSignal): Promise<number> {
    const claimed = await claimCombined(db, name, lease(holder))
    if (claimed.length === 0) return 0
    const called = claimed.filter(({ lead }) => !needsCall(lead))
    const leadIds = called.map(({ lead }) => lead.id)
    await cancelCalled(db, name, holder, { leadIds, now: now() })
    const toCall = claimed.filter((one) => !called.includes(one))
    const results = toCall.length > 0 ? await send(toCall, holder, lost, sendSummary) : []
    const isSent = results.some(({ ok }) => ok)
    await limitCombined(db, name, isSent ? now() + combineEveryMs : 0)
    return computeHoldMs(results)
  }

  /** Renews the lease until stopped. `lost` fires if another process has acquired it. */
  function keepLease(holder: string): { lost: AbortSignal; stopRenewing: () => void } {
    const losing = new AbortController()
    let isStopped = false
    let cancelTimer = timers.start(renewEveryMs, renew)
    // One at a time, so that an older renewal cannot overwrite a newer one.
    async function renew() {
      try {
        if (!(await renewLease(db, name, exclusive, lease(holder)))) losing.abort()
      } catch {
        // Without the database, no other process can acquire the lease either.
      }
      if (!isStopped) cancelTimer = timers.start(renewEveryMs, renew)
    }
    const stopRenewing = () => {
      isStopped = true
      cancelTimer()
    }
    return { lost: losing.signal, stopRenewing }
  }

  /** Sends an ordinary message if there is only one lead. */
  async function sendSummary(
    ...[claimed, ...rest]: Parameters<Channel['send']>
  ): Promise<Result[]> {
    const leads = [...new Map(claimed.map(({ lead }) => [lead.id, lead])).values()]
    if (!channel.sendSummary || leads.length === 1) return channel.send(claimed, ...rest)
    const result = await channel.sendSummary(leads, ...rest)
    return claimed.map(() => result)
  }

  async function send(
    claimed: ClaimedLead[],
    holder: string,
    lost: AbortSignal,
    transmit: Channel['send'],
  ): Promise<readonly Result[]> {
    const signal = AbortSignal.any([lost, aborting])
    const settings = findSettings(channel, context)
    const results = await transmit(claimed, recipient, { ...context, settings }, signal).catch(
      (error): Result[] => claimed.map(() => ({ ok: false, error: nameError(error) })),
    )
    const { isAlert } = channel
    const decided = decideResults(claimed, results, { now: now(), random, isAlert })
    // Retry while the database restarts, because a delivery without a recorded result is sent again.
    for (let tries = 1; ; tries++) {
      try {
        await recordResults(db, name, decided, {
          holder,
          now: now(),
          arrivesWhenSent: channel.arrivesWhenSent,
        })
        break
      } catch (error) {
        if (tries === recordTries || aborting.aborted) throw error
        await pause(recordRetryMs)
      }
    }
    await report(decided)
    await planAgain(claimed.filter((_, at) => isUndeliverable(results[at])))
    return results
  }

  /** Finds other phones if a recipient was removed or turned off after the planning. */
  async function planAgain(undelivered: readonly ClaimedLead[]): Promise<void> {
    for (const { lead, reason } of undelivered) {
      // Someone may have called or erased the lead in the meantime.
      const current = reason === 'called' ? undefined : await findLead(db, lead.id)
      if (!current || !needsCall(current)) continue
      const channels = await planRecipients(context, { lead: current, reason }, wakingChannels)
      await addMissingDeliveries(db, { leadId: lead.id, channels, reason }, now())
    }
  }

  async function report(decided: readonly DecidedResult[]): Promise<void> {
    const { sent, outages, delayed } = decideReport(decided)
    if (sent.length > 0) {
      const recovered = faults.clear(`channel ${name}`, `${name} accepts leads again`)
      // Other deliveries may have backed off by up to 15 minutes. The first success of a process counts
      // as a recovery, because deliveries may have failed before it started.
      if (recovered || !hasSucceeded) await retryDeliveries(db, 'all', now(), name)
      hasSucceeded = true
      log.info({ channel: name, leadIds: sent }, 'sent')
    }
    for (const { error } of outages)
      faults.report(`channel ${name}`, { error }, `${name} does not accept leads; retrying`)
    for (const { leadId, error } of delayed)
      log.warn({ channel: name, leadId, error }, 'not delivered; retrying')
  }
}
