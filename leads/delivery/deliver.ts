import type { Channel } from '../channel.ts'
import { nameError } from '../log.ts'
import { bringForward } from '../store/channel-leases.ts'
import { createChannelRun, type DeliveryDeps, leaseMs, pollMs } from './channel-run.ts'
import { runSingly } from './run-singly.ts'
import { longestRetryMs } from './settle.ts'

// Two machines' clocks may differ by this much without anyone having set one.
const clockSlackMs = 5_000

export type Deliverer = ReturnType<typeof createDeliverer>

export function createDeliverer({
  channels,
  findMore = async () => [],
  remindDue = async () => ({ reminded: 0, nextAt: undefined }),
  ...deps
}: DeliveryDeps & {
  channels: readonly Channel[]
  /** Those that come and go while it runs. */
  findMore?: () => Promise<readonly Channel[]>
  /** Writes the deliveries of reminders that are due. */
  remindDue?: () => Promise<{ reminded: number; nextAt: number | undefined }>
}) {
  const { db, now, pause, faults } = deps
  const stopping = new AbortController()
  const aborting = new AbortController()
  const signals = { stopping: stopping.signal, aborting: aborting.signal }

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

  let hasMore = false
  async function remind(): Promise<number> {
    try {
      await watchClock()
      const isNew = await refreshLoops()
      const { reminded, nextAt = Number.POSITIVE_INFINITY } = await remindDue()
      faults.clear('reminder database', 'reminders go out again')
      if (reminded > 0 || isNew) {
        hasMore = true
        wake()
      }
      return Math.max(nextAt - now(), 0)
    } catch (error) {
      faults.report(
        'reminder database',
        { error: nameError(error) },
        'no reminder goes out: the database cannot be used',
      )
      return pollMs
    }
  }

  let isStarted = false
  let endAt = 0
  // Wake-ups may come faster than runs end, and each run takes a connection from the visitors'.
  const createLoop = (work: () => Promise<number>) => {
    let timer: ReturnType<typeof setTimeout>
    let isOver = false
    const run = runSingly(async () => {
      clearTimeout(timer)
      if (stopping.signal.aborted || isOver) return
      let delayMs = await work()
      while (delayMs <= pollMs && now() + delayMs < endAt) {
        await pause(delayMs)
        delayMs = await work()
      }
      if (isStarted && !stopping.signal.aborted && !isOver)
        timer = setTimeout(run, Math.min(delayMs, pollMs))
    })
    const end = () => {
      isOver = true
      clearTimeout(timer)
    }
    return { run, end }
  }
  const createChannelLoop = (channel: Channel) =>
    createLoop(createChannelRun(channel, { ...deps, ...signals }))
  const loops = channels.map(createChannelLoop)
  const moreLoops = new Map<string, ReturnType<typeof createLoop>>()
  /** Those of new channels begin, those of channels that are gone end. Whether there are new ones. */
  async function refreshLoops(): Promise<boolean> {
    const found = await findMore()
    const names = new Set(found.map(({ name }) => name))
    for (const [name, loop] of moreLoops)
      if (!names.has(name)) {
        loop.end()
        moreLoops.delete(name)
      }
    const fresh = found.filter(({ name }) => !moreLoops.has(name))
    for (const channel of fresh) moreLoops.set(channel.name, createChannelLoop(channel))
    return fresh.length > 0
  }
  const { run: remindLoop } = createLoop(remind)
  const watchClockOnce = runSingly(() => watchClock().catch(() => {}))
  const runAll = (some: Iterable<{ run: () => Promise<void> }>) =>
    Promise.all(Array.from(some, ({ run }) => run()))
  const refreshOnce = runSingly(async () => {
    await refreshLoops()
  })
  const deliverAll = () =>
    Promise.all([runAll(loops), refreshOnce().then(() => runAll(moreLoops.values()))])

  /** Something may be due: look now rather than at the next poll. */
  function wake(): void {
    void deliverAll()
    void remindLoop()
  }

  return {
    /** Keeps delivering until stopped. */
    start(): void {
      isStarted = true
      wake()
    },

    wake,

    /** For a home without a timer of its own: delivers what is due or about to be, then returns. */
    async deliverDue(budgetMs: number): Promise<void> {
      endAt = Math.max(endAt, now() + budgetMs)
      await watchClockOnce()
      await Promise.all([deliverAll(), remindLoop()])
      if (hasMore) await deliverAll()
      hasMore = false
    },

    /** Ends after what is in flight; what takes longer than the grace is broken off and tried again. */
    async stop(graceMs: number): Promise<void> {
      stopping.abort()
      const timer = setTimeout(() => aborting.abort(), graceMs)
      await Promise.all([deliverAll(), remindLoop()])
      clearTimeout(timer)
    },
  }
}
