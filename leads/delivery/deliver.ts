import type { Channel, ClaimedLead, Outcome } from '../channel.ts'
import { type FaultLog, type Log, nameError } from '../log.ts'
import {
  acquireChannel,
  bringForward,
  releaseChannel,
  renewLease,
} from '../store/channel-leases.ts'
import {
  claimDue,
  findNextDueAt,
  freeClaims,
  retryDeliveries,
  type Settlement,
  settleDeliveries,
} from '../store/deliveries.ts'
import { adoptDeliveries } from '../store/receivers.ts'
import type { Database } from '../store/tables.ts'
import { computeRetryMs, findLongestRetryMs, longestRetryMs } from './retry.ts'
import { createAlarm, runSingly } from './wake.ts'

export type DeliveryTiming = {
  leaseMs: number
  renewEveryMs: number
  pollMs: number
  /** How soon to look again after finding the channel in another sender's hands. */
  takenMs: number
  settleRetryMs: number
}

// A lease plus a poll is the longest a killed process's work lies still: under a minute.
const defaultTiming: DeliveryTiming = {
  leaseMs: 45_000,
  renewEveryMs: 10_000,
  pollMs: 5_000,
  takenMs: 500,
  settleRetryMs: 1_000,
}

const settleTries = 30

// Two machines' clocks may differ by this much without anyone having set one.
const clockSlackMs = 5_000

export type Deliverer = ReturnType<typeof createDeliverer>

export function createDeliverer({
  db,
  channels,
  escalateDue = async () => ({ escalated: 0, nextAt: undefined }),
  now,
  random,
  pause,
  log,
  faults,
  timing = defaultTiming,
}: {
  db: Database
  channels: readonly Channel[]
  /** Writes the deliveries of reminders that are due. */
  escalateDue?: () => Promise<{ escalated: number; nextAt: number | undefined }>
  now: () => number
  random: () => number
  pause: (ms: number) => Promise<void>
  log: Log
  faults: FaultLog
  timing?: DeliveryTiming
}) {
  const stopping = new AbortController()
  const aborting = new AbortController()
  const lease = (holder: string) => ({ holder, now: now(), until: now() + timing.leaseMs })

  // A database that breaks off in the middle leaves a run's leases behind. Waiting for their end
  // would cost a homeowner most of a minute.
  const leftHolders = new Map<Channel, string>()

  async function freeLeftLeases(channel: Channel): Promise<void> {
    const holder = leftHolders.get(channel)
    if (holder === undefined) return
    await freeClaims(db, channel.name, holder)
    await releaseChannel(db, channel.name, holder, now())
    leftHolders.delete(channel)
  }

  const adopted = new Set<Channel>()

  async function adoptFormer(channel: Channel): Promise<void> {
    const { name, formerName } = channel
    if (formerName === undefined || adopted.has(channel)) return
    if (await adoptDeliveries(db, { name, formerName, now: now() })) adopted.add(channel)
  }

  /** Sends all that is due on a channel, one run at a time. Returns when to look again. */
  async function deliverChannel(channel: Channel): Promise<number> {
    const holder = crypto.randomUUID()
    try {
      await freeLeftLeases(channel)
      await adoptFormer(channel)
      const dueAt = await findNextDueAt(db, channel.name)
      faults.clear('delivery database', 'deliveries can be read again')
      if (dueAt === undefined) return timing.pollMs
      if (dueAt > now()) return Math.min(dueAt - now(), timing.pollMs)
      if (channel.exclusive && !(await acquireChannel(db, channel.name, lease(holder))))
        return timing.takenMs
      const { lost, stopRenewing } = keepLease(channel, holder)
      let restMs = channel.restMs
      try {
        while (!stopping.signal.aborted && !lost.aborted) {
          const claimed = await claimDue(db, channel.name, channel.batchSize, lease(holder))
          if (claimed.length === 0) break
          const holdMs = await sendClaimed(channel, holder, claimed, lost)
          if (holdMs !== undefined) {
            restMs = Math.max(holdMs, restMs)
            break
          }
          if (claimed.length < channel.batchSize) break
          await pause(channel.restMs)
        }
      } finally {
        stopRenewing()
        if (channel.exclusive) await releaseChannel(db, channel.name, holder, now() + restMs)
      }
      return Math.min(restMs, timing.pollMs)
    } catch (error) {
      faults.report(
        'delivery database',
        { error: nameError(error) },
        'deliveries wait: the database cannot be used',
      )
      if (!leftHolders.has(channel)) leftHolders.set(channel, holder)
      return timing.pollMs
    }
  }

  /** Renews the lease for as long as the work takes; `lost` tells when another has taken it. */
  function keepLease(
    channel: Channel,
    holder: string,
  ): { lost: AbortSignal; stopRenewing: () => void } {
    const losing = new AbortController()
    const renewal = setInterval(async () => {
      try {
        if (!(await renewLease(db, channel.name, channel.exclusive, lease(holder)))) losing.abort()
      } catch {
        // While the database is away nobody else can take the lease either.
      }
    }, timing.renewEveryMs)
    return { lost: losing.signal, stopRenewing: () => clearInterval(renewal) }
  }

  async function sendClaimed(
    channel: Channel,
    holder: string,
    claimed: readonly ClaimedLead[],
    lost: AbortSignal,
  ): Promise<number | undefined> {
    const signal = AbortSignal.any([lost, aborting.signal])
    const { outcomes, holdMs } = await channel.send(claimed, signal).catch((error) => ({
      outcomes: claimed.map(
        ({ lead, occasion }) =>
          ({ leadId: lead.id, occasion, ok: false, error: nameError(error) }) as const,
      ),
      holdMs: undefined,
    }))
    await settle(channel, holder, claimed, outcomes)
    return holdMs
  }

  async function settle(
    channel: Channel,
    holder: string,
    claimed: readonly ClaimedLead[],
    outcomes: readonly Outcome[],
  ): Promise<void> {
    const settlements = claimed.map(({ lead, occasion, attempts }): Settlement => {
      const delivery = { leadId: lead.id, occasion }
      const outcome = outcomes.find((one) => one.leadId === lead.id && one.occasion === occasion)
      if (outcome?.ok) return { ...delivery, ok: true, note: outcome.note, next: outcome.next }
      const error = outcome?.error ?? 'the channel reported nothing about this lead'
      return {
        ...delivery,
        ok: false,
        error,
        nextAttemptAt:
          now() +
          computeRetryMs(
            attempts,
            random,
            findLongestRetryMs(channel.urgent, now() - lead.receivedAt),
          ),
      }
    })
    // What was sent must be recorded, or it is sent again: worth waiting for a database that restarts.
    for (let tries = 1; ; tries++) {
      try {
        await settleDeliveries(db, channel.name, settlements, { holder, now: now() })
        break
      } catch (error) {
        if (tries === settleTries || aborting.signal.aborted) throw error
        await pause(timing.settleRetryMs)
      }
    }
    await reportSettlements(channel, claimed, settlements, outcomes)
  }

  const proven = new Set<string>()

  async function reportSettlements(
    channel: Channel,
    claimed: readonly ClaimedLead[],
    settlements: readonly Settlement[],
    outcomes: readonly Outcome[],
  ): Promise<void> {
    const leadIds = settlements.filter(({ ok }) => ok).map(({ leadId }) => leadId)
    if (leadIds.length > 0) {
      const recovered = faults.clear(`channel ${channel.name}`, `${channel.name} takes leads again`)
      // The others have backed off by up to 15 minutes, and there is no more reason to wait. The
      // first success of a process counts, too: what failed before it began, it cannot know.
      if (recovered || !proven.has(channel.name))
        await retryDeliveries(db, 'all', now(), channel.name)
      proven.add(channel.name)
      log.info({ channel: channel.name, leadIds }, 'delivered')
    }
    for (const [at, settlement] of settlements.entries()) {
      if (settlement.ok) continue
      const { leadId, occasion, error } = settlement
      const outcome = outcomes.find((one) => one.leadId === leadId && one.occasion === occasion)
      const refused = outcome?.ok === false && outcome.refused
      // Nobody got through: the channel's fault, said once. Otherwise this lead's, said once too.
      if (leadIds.length === 0 && !refused)
        faults.report(
          `channel ${channel.name}`,
          { error },
          `${channel.name} takes no leads: they wait`,
        )
      else if (claimed[at]?.attempts === 1)
        log.warn({ channel: channel.name, leadId, error }, 'not delivered yet: it will be retried')
    }
  }

  // Before the first look nobody knows by which clock the last process wrote: only what no retry
  // rule can have set is brought forward then. When this process saw the clock go back, all is.
  let lastLookAt: number | undefined
  async function watchClock(): Promise<void> {
    const at = now()
    const wentBack = lastLookAt !== undefined && at < lastLookAt - clockSlackMs
    if (lastLookAt === undefined || wentBack) {
      const retriesUntil = wentBack ? at : at + longestRetryMs + clockSlackMs
      const leasesUntil = at + timing.leaseMs + clockSlackMs
      await bringForward(db, { now: at, retriesUntil, leasesUntil })
    }
    lastLookAt = at
    if (wentBack) wake()
  }

  /** Returns when to look again, and whether there is something new to deliver. */
  async function escalate(): Promise<{ delayMs: number; escalated: boolean }> {
    try {
      await watchClock()
      const { escalated, nextAt = Number.POSITIVE_INFINITY } = await escalateDue()
      faults.clear('promise database', 'reminders go out again')
      const delayMs = Math.min(Math.max(nextAt - now(), 0), timing.pollMs)
      return { delayMs, escalated: escalated > 0 }
    } catch (error) {
      faults.report(
        'promise database',
        { error: nameError(error) },
        'no reminder goes out: the database cannot be used',
      )
      return { delayMs: timing.pollMs, escalated: false }
    }
  }

  const wake = () => {
    for (const alarm of alarms) alarm.ring()
  }

  // Wake-ups may come faster than runs end, and each run takes a connection from the visitors'.
  let endAt = 0
  const watchClockSingly = runSingly(() => watchClock().catch(() => {}))
  const runs = channels.map((channel) =>
    runSingly(async () => {
      while (now() < endAt) {
        const delayMs = await deliverChannel(channel)
        const dueAt = await findNextDueAt(db, channel.name).catch(() => undefined)
        if (dueAt === undefined || dueAt - now() > timing.pollMs) break
        await pause(Math.max(Math.min(delayMs, timing.takenMs), dueAt - now()))
      }
    }),
  )
  const deliverAll = async () => {
    await Promise.all(runs.map((run) => run()))
  }
  const escalateAll = runSingly(async () => {
    let anyEscalated = false
    while (now() < endAt) {
      const { delayMs, escalated } = await escalate()
      anyEscalated ||= escalated
      if (delayMs >= timing.pollMs) break
      await pause(delayMs)
    }
    if (anyEscalated) await deliverAll()
  })

  const alarms = [...channels, escalate].map(() => createAlarm())
  let loops: Promise<void>[] = []

  return {
    /** Keeps delivering until stopped. */
    start(): void {
      const work = channels.map((channel) => () => deliverChannel(channel))
      work.push(async () => {
        const { delayMs, escalated } = await escalate()
        if (escalated) wake()
        return delayMs
      })
      loops = work.map(async (run, at) => {
        while (!stopping.signal.aborted) {
          const delayMs = await run()
          if (!stopping.signal.aborted) await alarms[at]?.sleep(delayMs)
        }
      })
    },

    /** Something may be due: look now rather than at the next poll. */
    wake,

    /** For a home without a timer of its own: delivers what is due or about to be, then returns. */
    async deliverDue(budgetMs: number): Promise<void> {
      endAt = Math.max(endAt, now() + budgetMs)
      await watchClockSingly()
      await Promise.all([deliverAll(), escalateAll()])
    },

    /** Ends after what is in flight; what takes longer than the grace is broken off and tried again. */
    async stop(graceMs: number): Promise<void> {
      stopping.abort()
      wake()
      const timer = setTimeout(() => aborting.abort(), graceMs)
      await Promise.all(loops)
      clearTimeout(timer)
    },
  }
}
