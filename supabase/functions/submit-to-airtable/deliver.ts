import { type FaultLog, type Log, nameError } from './fault-log.ts'
import {
  acquireChannel,
  type ClaimedLead,
  claimDue,
  type Database,
  findNextDueAt,
  releaseChannel,
  renewLease,
  retryDeliveries,
  type Settlement,
  type StoredLead,
  settleDeliveries,
} from './store.ts'

export type Outcome = { leadId: string } & (
  | { ok: true; note?: string }
  | { ok: false; error: string }
)

export type Channel = {
  name: string
  /** How many leads one send takes at most. */
  batchSize: number
  /** One sender at a time, across all processes. */
  exclusive: boolean
  /** The least time between two sends, whichever process sends. */
  restMs: number
  /** Reports one outcome a lead; errors carry no personal data. holdMs: nobody may send that long. */
  send(
    leads: readonly StoredLead[],
    signal: AbortSignal,
  ): Promise<{ outcomes: Outcome[]; holdMs?: number }>
}

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

const firstRetryMs = 5_000
const longestRetryMs = 15 * 60_000

/** Doubles from 5 s to 15 min; the jitter keeps leads that failed together from returning together. */
export function computeRetryMs(attempts: number, random: () => number): number {
  const fullMs = Math.min(longestRetryMs, firstRetryMs * 2 ** Math.min(attempts - 1, 20))
  return Math.round(fullMs * (0.5 + random() / 2))
}

export type Deliverer = ReturnType<typeof createDeliverer>

export function createDeliverer({
  db,
  channels,
  now,
  random,
  pause,
  log,
  faults,
  timing = defaultTiming,
}: {
  db: Database
  channels: readonly Channel[]
  now: () => number
  random: () => number
  pause: (ms: number) => Promise<void>
  log: Log
  faults: FaultLog
  timing?: DeliveryTiming
}) {
  const holder = crypto.randomUUID()
  const stopping = new AbortController()
  const aborting = new AbortController()
  const lease = () => ({ holder, now: now(), until: now() + timing.leaseMs })

  /** Sends all that is due on a channel. Returns when to look again. */
  async function deliverChannel(channel: Channel): Promise<number> {
    try {
      const dueAt = await findNextDueAt(db, channel.name)
      faults.clear('delivery database', 'deliveries can be read again')
      if (dueAt === undefined) return timing.pollMs
      if (dueAt > now()) return Math.min(dueAt - now(), timing.pollMs)
      if (channel.exclusive && !(await acquireChannel(db, channel.name, lease())))
        return timing.takenMs
      const { lost, stopRenewing } = keepLease(channel)
      let restMs = channel.restMs
      try {
        while (!stopping.signal.aborted && !lost.aborted) {
          const claimed = await claimDue(db, channel.name, channel.batchSize, lease())
          if (claimed.length === 0) break
          const holdMs = await sendClaimed(channel, claimed, lost)
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
      return timing.pollMs
    }
  }

  /** Renews the lease for as long as the work takes; `lost` tells when another has taken it. */
  function keepLease(channel: Channel): { lost: AbortSignal; stopRenewing: () => void } {
    const losing = new AbortController()
    const renewal = setInterval(async () => {
      try {
        if (!(await renewLease(db, channel.name, channel.exclusive, lease()))) losing.abort()
      } catch {
        // While the database is away nobody else can take the lease either.
      }
    }, timing.renewEveryMs)
    return { lost: losing.signal, stopRenewing: () => clearInterval(renewal) }
  }

  async function sendClaimed(
    channel: Channel,
    claimed: readonly ClaimedLead[],
    lost: AbortSignal,
  ): Promise<number | undefined> {
    const leads = claimed.map(({ lead }) => lead)
    const signal = AbortSignal.any([lost, aborting.signal])
    const { outcomes, holdMs } = await channel.send(leads, signal).catch((error) => ({
      outcomes: leads.map(
        ({ id }) => ({ leadId: id, ok: false, error: nameError(error) }) as const,
      ),
      holdMs: undefined,
    }))
    await settle(channel, claimed, outcomes)
    return holdMs
  }

  async function settle(
    channel: Channel,
    claimed: readonly ClaimedLead[],
    outcomes: readonly Outcome[],
  ): Promise<void> {
    const settlements = claimed.map(({ lead, attempts }): Settlement => {
      const outcome = outcomes.find(({ leadId }) => leadId === lead.id)
      if (outcome?.ok) return { leadId: lead.id, ok: true, note: outcome.note }
      const error = outcome?.error ?? 'the channel reported nothing about this lead'
      return {
        leadId: lead.id,
        ok: false,
        error,
        nextAttemptAt: now() + computeRetryMs(attempts, random),
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
    await reportSettlements(channel, claimed, settlements)
  }

  async function reportSettlements(
    channel: Channel,
    claimed: readonly ClaimedLead[],
    settlements: readonly Settlement[],
  ): Promise<void> {
    const sent = settlements.filter(({ ok }) => ok)
    if (sent.length > 0) {
      // The others have backed off by up to 15 minutes, and there is no more reason to wait.
      if (faults.clear(`channel ${channel.name}`, `${channel.name} takes leads again`))
        await retryDeliveries(db, 'all', now(), channel.name)
      const leadIds = sent.map(({ leadId }) => leadId)
      log.info({ channel: channel.name, leadIds }, 'delivered')
    }
    for (const settlement of settlements) {
      if (settlement.ok) continue
      const { leadId, error } = settlement
      // Nobody got through: the channel's fault, said once. Others did: this lead's, said once too.
      if (sent.length === 0)
        faults.report(
          `channel ${channel.name}`,
          { error },
          `${channel.name} takes no leads: they wait`,
        )
      else if (claimed.find(({ lead }) => lead.id === leadId)?.attempts === 1)
        log.warn({ channel: channel.name, leadId, error }, 'not delivered yet: it will be retried')
    }
  }

  const alarms = channels.map(() => createAlarm())
  let loops: Promise<void>[] = []

  return {
    /** Keeps delivering until stopped. */
    start(): void {
      loops = channels.map(async (channel, at) => {
        while (!stopping.signal.aborted) {
          const delayMs = await deliverChannel(channel)
          if (!stopping.signal.aborted) await alarms[at]?.sleep(delayMs)
        }
      })
    },

    /** Something may be due: look now rather than at the next poll. */
    wake(): void {
      for (const alarm of alarms) alarm.ring()
    },

    /** For a home without a timer of its own: delivers what is due or about to be, then returns. */
    async deliverDue(budgetMs: number): Promise<void> {
      const endAt = now() + budgetMs
      await Promise.all(
        channels.map(async (channel) => {
          while (now() < endAt) {
            const delayMs = await deliverChannel(channel)
            const dueAt = await findNextDueAt(db, channel.name).catch(() => undefined)
            if (dueAt === undefined || dueAt - now() > timing.pollMs) break
            await pause(Math.max(Math.min(delayMs, timing.takenMs), dueAt - now()))
          }
        }),
      )
    },

    /** Ends after what is in flight; what takes longer than the grace is broken off and tried anew. */
    async stop(graceMs: number): Promise<void> {
      stopping.abort()
      for (const alarm of alarms) alarm.ring()
      const timer = setTimeout(() => aborting.abort(), graceMs)
      await Promise.all(loops)
      clearTimeout(timer)
    },
  }
}

/** A sleep that another can end. A ring before the sleep is not lost: the sleep is then skipped. */
function createAlarm() {
  let rung = false
  let end = () => {}
  return {
    ring(): void {
      rung = true
      end()
    },
    async sleep(ms: number): Promise<void> {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms)
          end = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      rung = false
    },
  }
}
