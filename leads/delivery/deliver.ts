import type { Channel } from '../channel.ts'
import { nameError } from '../log.ts'
import { bringForward } from '../store/channel-leases.ts'
import { createChannelRun, type DeliveryDeps, leaseMs, pollMs } from './channel-run.ts'
import { longestRetryMs } from './settle.ts'
import { createAlarm, runSingly } from './wake.ts'

// Two machines' clocks may differ by this much without anyone having set one.
const clockSlackMs = 5_000

export type Deliverer = ReturnType<typeof createDeliverer>

export function createDeliverer({
  channels,
  remindDue = async () => ({ reminded: 0, nextAt: undefined }),
  ...deps
}: DeliveryDeps & {
  channels: readonly Channel[]
  /** Writes the deliveries of reminders that are due. */
  remindDue?: () => Promise<{ reminded: number; nextAt: number | undefined }>
}) {
  const { db, now, pause, faults } = deps
  const stopping = new AbortController()
  const aborting = new AbortController()
  const signals = { stopping: stopping.signal, aborting: aborting.signal }
  const runs = channels.map((channel) => createChannelRun(channel, { ...deps, ...signals }))

  // Before the first look nobody knows by which clock the last process wrote: only what no retry
  // rule can have set is brought forward then. When this process saw the clock go back, all is.
  let lastLookAt: number | undefined
  async function watchClock(): Promise<void> {
    const at = now()
    const wentBack = lastLookAt !== undefined && at < lastLookAt - clockSlackMs
    if (lastLookAt === undefined || wentBack) {
      const retriesUntil = wentBack ? at : at + longestRetryMs + clockSlackMs
      const leasesUntil = at + leaseMs + clockSlackMs
      await bringForward(db, { now: at, retriesUntil, leasesUntil })
    }
    lastLookAt = at
    if (wentBack) wake()
  }

  /** Returns when to look again, and whether there is something new to deliver. */
  async function remind(): Promise<{ delayMs: number; hasReminded: boolean }> {
    try {
      await watchClock()
      const { reminded, nextAt = Number.POSITIVE_INFINITY } = await remindDue()
      faults.clear('reminder database', 'reminders go out again')
      return { delayMs: Math.max(nextAt - now(), 0), hasReminded: reminded > 0 }
    } catch (error) {
      faults.report(
        'reminder database',
        { error: nameError(error) },
        'no reminder goes out: the database cannot be used',
      )
      return { delayMs: pollMs, hasReminded: false }
    }
  }

  const alarms = [...channels, remind].map(() => createAlarm())
  const wake = () => {
    for (const alarm of alarms) alarm.ring()
  }
  let loops: Promise<void>[] = []

  // Wake-ups may come faster than runs end, and each run takes a connection from the visitors'.
  let endAt = 0
  const runUntilEnd = async (work: () => Promise<number>): Promise<void> => {
    while (now() < endAt) {
      const delayMs = await work()
      if (delayMs > pollMs) break
      await pause(delayMs)
    }
  }
  const watchClockOnce = runSingly(() => watchClock().catch(() => {}))
  const channelsOnce = runs.map((run) => runSingly(() => runUntilEnd(run)))
  const deliverAll = () => Promise.all(channelsOnce.map((run) => run()))
  const remindAll = runSingly(async () => {
    let anyReminded = false
    await runUntilEnd(async () => {
      const { delayMs, hasReminded } = await remind()
      anyReminded ||= hasReminded
      return delayMs
    })
    if (anyReminded) await deliverAll()
  })

  return {
    /** Keeps delivering until stopped. */
    start(): void {
      const remindAndWake = async () => {
        const { delayMs, hasReminded } = await remind()
        if (hasReminded) wake()
        return delayMs
      }
      loops = [...runs, remindAndWake].map(async (run, at) => {
        while (!stopping.signal.aborted) {
          const delayMs = await run()
          if (!stopping.signal.aborted) await alarms[at]?.sleep(Math.min(delayMs, pollMs))
        }
      })
    },

    /** Something may be due: look now rather than at the next poll. */
    wake,

    /** For a home without a timer of its own: delivers what is due or about to be, then returns. */
    async deliverDue(budgetMs: number): Promise<void> {
      endAt = Math.max(endAt, now() + budgetMs)
      await watchClockOnce()
      await Promise.all([deliverAll(), remindAll()])
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
