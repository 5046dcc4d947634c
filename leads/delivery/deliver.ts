import type { Channel } from '../channels/channel-type.ts'
import { channels, listRecipients } from '../channels/channels.ts'
import type { Context } from '../context.ts'
import { type FaultLog, nameError } from '../log.ts'
import { arrivals, listDueTimes, nameDigest } from '../store/claims.ts'
import { crew } from '../store/crew-rows.ts'
import { expireDeliveries } from '../store/deliveries.ts'
import { removeTraces } from '../store/erase-lead.ts'
import { forgetAddresses } from '../store/limits.ts'
import { cancelLostNotifications } from '../store/push-devices.ts'
import { minuteMs } from '../time-units.ts'
import { checkArrivals } from './check-arrivals.ts'
import { computeDigestAt, computeDigestStart, listDigestRecipients, sendDigest } from './digest.ts'
import { remindDue } from './remind.ts'
import { sendDue, wakesPhone } from './send-due.ts'

// If a process is killed, another one takes over after the lease and a poll, by default within 25 s.
const pollMs = 5_000
const cleanUpEveryMs = minuteMs

type Work = () => Promise<unknown>

export type Deliverer = ReturnType<typeof createDeliverer>

/** Sends due deliveries and reminders. The work for each recipient runs separately, so that none delays another. */
export function createDeliverer(
  context: Context,
  {
    all = channels,
    faults,
    renewEveryMs = 5_000,
  }: { all?: readonly Channel[]; faults: FaultLog; renewEveryMs?: number },
) {
  const { db, log, now, timers } = context
  const stopping = new AbortController()
  const aborting = new AbortController()
  const sender = {
    holder: context.makeId(),
    faults,
    renewEveryMs,
    succeeded: new Set<string>(),
    isOver,
    aborting: aborting.signal,
  }
  const running = new Set<string>()
  /** When paused work may run again. Ignored before `from`, because the clock may be set back. */
  const pauses = new Map<string, { from: number; to: number }>()
  let cleanedAt = 0
  let isStarted = false
  let endAt = 0
  let nextAt = 0
  let isWoken = false
  let endSleep = () => {}
  let looping: Promise<void> | undefined

  async function listWork(): Promise<Map<string, Work>> {
    const listSenders = async (channel: Channel) =>
      (await listRecipients(channel, context)).map((recipient): [string, Work] => [
        recipient.name,
        () => sendDue(channel, recipient, context, sender),
      ])
    const listDigests = async (channel: Channel) =>
      (await listDigestRecipients(channel, context)).map((recipient): [string, Work] => {
        const name = nameDigest(recipient.name)
        const send = () => sendDigest(channel, recipient, context, aborting.signal)
        return [name, () => send().finally(() => wait(name, pollMs))]
      })
    return new Map([
      ...(await Promise.all(all.flatMap((one) => [listSenders(one), listDigests(one)]))).flat(),
      [crew, async () => wait(crew, await remindDue(context, all))],
      [arrivals, () => checkArrivals(context, all, aborting.signal)],
      [cleaning, cleanUp],
    ])
  }

  /** Starts the work that is due. Returns when more work will be due. */
  async function tick(): Promise<number> {
    try {
      const work = await listWork()
      const startsAt = computeDigestStart(context)
      const due = await listDueTimes(db, [...work.keys()], {
        now: now(),
        holder: sender.holder,
        computeDigestAt: (from) => computeDigestAt(from, startsAt, now()),
      })
      faults.clear(databaseFault, 'the database is available again; continuing deliveries')
      let next = Number.POSITIVE_INFINITY
      // If the clock was set back, clean up now.
      const isClean = cleanedAt <= now() && now() < cleanedAt + cleanUpEveryMs
      for (const [name, dueAt] of due.set(cleaning, isClean ? cleanedAt + cleanUpEveryMs : 0)) {
        const { from, to } = pauses.get(name) ?? { from: 0, to: 0 }
        const at = now() < from ? dueAt : Math.max(dueAt, to)
        if (at > now()) next = Math.min(next, at)
        else if (!running.has(name)) void run(name, work.get(name))
      }
      return next
    } catch (error) {
      reportDatabaseFault(error)
      return now() + pollMs
    }
  }

  async function run(name: string, work?: Work): Promise<void> {
    running.add(name)
    try {
      await work?.()
    } catch (error) {
      reportDatabaseFault(error)
      wait(name, pollMs)
    }
    running.delete(name)
    ring()
  }

  function wait(name: string, ms: number): void {
    pauses.set(name, { from: now(), to: now() + ms })
  }

  function reportDatabaseFault(error: unknown): void {
    const message = 'cannot send deliveries; the database is unavailable'
    faults.report(databaseFault, { error: nameError(error) }, message)
  }

  async function cleanUp(): Promise<void> {
    cleanedAt = now()
    // Ignore errors: the desk and /healthz report the remaining traces until this succeeds.
    await removeTraces(db).catch(() => {})
    await forgetAddresses(db, now())
    await cancelLostNotifications(db, { now: now(), isTold: wakesPhone })
    for (const { kind, isAlert, expiresAfterMs } of all) {
      if (expiresAfterMs === null) continue
      const limits = { before: now() - expiresAfterMs, now: now(), isAlert }
      const leadIds = await expireDeliveries(db, kind, limits)
      if (leadIds.length > 0) log.warn({ kind, leadIds }, 'messages expired unsent')
    }
  }

  /** Returns true once no new send may start. */
  function isOver(): boolean {
    return stopping.signal.aborted || (!isStarted && now() >= endAt)
  }

  /** Calls `tick` when something is due and when woken. */
  async function loop(): Promise<void> {
    const isDueSoon = () => nextAt < endAt && nextAt <= now() + pollMs
    while (running.size > 0 || (!isOver() && (isStarted || isWoken || isDueSoon()))) {
      if (!isWoken) await sleep(isOver() ? pollMs : Math.min(nextAt - now(), pollMs))
      isWoken = false
      if (!isOver()) nextAt = await tick()
    }
    looping = undefined
  }

  const sleep = (ms: number) =>
    new Promise<void>((resolve) => {
      const cancel = timers.start(ms, resolve, ms === pollMs)
      endSleep = () => {
        cancel()
        resolve()
      }
    })

  function ring(): void {
    isWoken = true
    endSleep()
  }

  /** Sends due deliveries now rather than at the next poll. */
  function wake(): void {
    pauses.clear()
    ring()
    if (!stopping.signal.aborted) looping ??= loop()
  }

  return {
    wake,

    /** Keeps delivering until stopped. */
    start(): void {
      isStarted = true
      wake()
    },

    /** For a runtime that stops between requests: sends until the budget ends or nothing is due in the next 5 s. */
    async deliverDue(budgetMs: number): Promise<void> {
      endAt = Math.max(endAt, now() + budgetMs)
      wake()
      await looping
    },

    /** Waits for sends in progress. Aborts those that exceed the grace period; they are retried later. */
    async stop(graceMs: number): Promise<void> {
      stopping.abort()
      const cancelTimer = timers.start(graceMs, () => aborting.abort())
      ring()
      await looping
      cancelTimer()
    },
  }
}

const databaseFault = 'delivery database'
const cleaning = 'cleaning'
