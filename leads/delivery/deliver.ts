import type { Channel } from '../channels/channel-type.ts'
import { type ChannelContext, channels, listRecipients } from '../channels/channels.ts'
import { nameError } from '../log.ts'
import { listDueChannels } from '../store/claims.ts'
import { expireDeliveries, findOldestDueAt } from '../store/deliveries.ts'
import { removeTraces } from '../store/erase-lead.ts'
import { forgetAddresses } from '../store/rate-limit.ts'
import { checkArrivals } from './check-arrivals.ts'
import { remindDue } from './remind.ts'
import {
  createSender,
  type DeliveryOptions,
  databaseFault,
  pollMs,
  reportDatabaseFault,
} from './send-due.ts'

const cleanUpEveryMs = 60_000

export type Deliverer = ReturnType<typeof createDeliverer>

/** Sends due deliveries and reminders in one loop per recipient, so that none delays another. */
export function createDeliverer(
  context: ChannelContext,
  { all = channels, ...options }: DeliveryOptions & { all?: readonly Channel[] },
) {
  const { now, pause, timers } = context
  const { faults } = options
  const stopping = new AbortController()
  const aborting = new AbortController()
  const signals = { stopping: stopping.signal, aborting: aborting.signal }
  let isStarted = false
  let cancelPoll = () => {}
  let endAt = 0

  function createLoop(work: () => Promise<number>) {
    let cancelTimer = () => {}
    let isOver = false
    // Wake-ups may arrive faster than runs end, and each run uses a database connection.
    const run = coalesceRuns(async () => {
      cancelTimer()
      if (stopping.signal.aborted || isOver) return
      let delayMs = await work()
      while (delayMs <= pollMs && now() + delayMs < endAt) {
        await pause(delayMs)
        delayMs = await work()
      }
      // Otherwise, a later poll runs the work.
      if (delayMs <= pollMs && isStarted && !stopping.signal.aborted && !isOver)
        cancelTimer = timers.start(delayMs, run)
    })
    const end = () => {
      isOver = true
      cancelTimer()
    }
    return { run, end }
  }

  /** Maps each recipient's name to its delivery loop. */
  const loops = new Map<string, ReturnType<typeof createLoop> & { kind: string }>()

  /** Creates loops for new recipients and ends those of removed ones. */
  async function refreshLoops(channel: Channel): Promise<void> {
    const fault = `${channel.kind} recipients`
    const recipients = await listRecipients(channel, context).catch((error) => {
      faults.report(fault, { error: nameError(error) }, `cannot look up ${fault}`)
    })
    if (!recipients) return
    faults.clear(fault, `can look up ${fault} again`)
    const names = new Set(recipients.map(({ name }) => name))
    for (const [name, loop] of loops)
      if (loop.kind === channel.kind && !names.has(name)) {
        loop.end()
        loops.delete(name)
      }
    for (const recipient of recipients.filter(({ name }) => !loops.has(name))) {
      const run = createSender(channel, recipient, context, { ...options, ...signals })
      loops.set(recipient.name, { kind: channel.kind, ...createLoop(run) })
    }
  }

  let sending: Promise<unknown> = Promise.resolve()
  /** Starts the loops with deliveries that are due before the next poll. */
  const startDue = coalesceRuns(async () => {
    if (stopping.signal.aborted) return
    await Promise.all(all.map(refreshLoops))
    try {
      // One query for all recipients, because most of the time nothing is due.
      const due = await listDueChannels(context.db, [...loops.keys()], now() + pollMs)
      faults.clear(databaseFault, 'the database is available again; continuing deliveries')
      sending = Promise.all(due.map((name) => loops.get(name)?.run()))
    } catch (error) {
      reportDatabaseFault(faults, error)
    }
  })

  async function deliverAll(): Promise<void> {
    await startDue()
    await sending
  }

  let cleanedUpAt = Number.NEGATIVE_INFINITY
  async function cleanUp(): Promise<void> {
    if (now() - cleanedUpAt < cleanUpEveryMs) return
    cleanedUpAt = now()
    // The desk and /healthz report the remaining traces until this succeeds.
    await removeTraces(context.db).catch(() => {})
    await forgetAddresses(context.db, now())
    const oldestAt = await findOldestDueAt(context.db)
    for (const { kind, isAlert, expiresAfterMs } of all) {
      if (expiresAfterMs === null || now() - oldestAt < expiresAfterMs) continue
      const limits = { before: now() - expiresAfterMs, now: now(), isAlert }
      const leadIds = await expireDeliveries(context.db, kind, limits)
      if (leadIds.length > 0) context.log.warn({ kind, leadIds }, 'messages expired unsent')
    }
  }

  /** `work` returns the time when more is due. */
  const createDatabaseLoop = (what: string, work: () => Promise<number | undefined>) =>
    createLoop(async () => {
      try {
        const nextAt = (await work()) ?? Number.POSITIVE_INFINITY
        faults.clear(what, `can again ${what}`)
        return Math.max(nextAt - now(), 0)
      } catch (error) {
        const message = `cannot ${what}; the database is unavailable`
        faults.report(what, { error: nameError(error) }, message)
        return pollMs
      }
    })

  let hasMore = false
  const reminderLoop = createDatabaseLoop('send reminders', async () => {
    await cleanUp()
    const { reminded, nextAt } = await remindDue(context, all)
    if (reminded > 0) {
      hasMore = true
      wake()
    }
    return nextAt
  })
  const arrivalLoop = createDatabaseLoop('check whether messages arrived', async () => {
    const { isUrgent, nextAt } = await checkArrivals(context, all, aborting.signal)
    if (isUrgent) await reminderLoop.run()
    return nextAt
  })

  /** Sends due deliveries now rather than at the next poll. Reminders can wait for the poll. */
  function wake(): void {
    void startDue()
  }

  function poll(): void {
    cancelPoll = timers.start(pollMs, poll)
    wake()
    void reminderLoop.run()
    void arrivalLoop.run()
  }

  return {
    /** Keeps delivering until stopped. */
    start(): void {
      isStarted = true
      poll()
    },

    wake,

    /** For a runtime without timers: sends deliveries that are due within the budget, then returns. */
    async deliverDue(budgetMs: number): Promise<void> {
      endAt = Math.max(endAt, now() + budgetMs)
      await Promise.all([deliverAll(), reminderLoop.run(), arrivalLoop.run()])
      if (hasMore) await deliverAll()
      hasMore = false
    },

    /** Waits for sends in progress. Aborts those that exceed the grace period; they are retried later. */
    async stop(graceMs: number): Promise<void> {
      stopping.abort()
      cancelPoll()
      const cancelTimer = timers.start(graceMs, () => aborting.abort())
      const runs = [...loops.values(), reminderLoop, arrivalLoop].map(({ run }) => run())
      await Promise.all([startDue(), ...runs])
      cancelTimer()
    },
  }
}

/** Runs once at a time. Calls during a run cause one more run, not several. */
function coalesceRuns(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined
  let again = false
  const run = async () => {
    try {
      while (again) {
        again = false
        await work()
      }
    } finally {
      running = undefined
    }
  }
  return () => {
    again = true
    running ??= run()
    return running
  }
}
