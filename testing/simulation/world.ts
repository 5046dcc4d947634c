import { setImmediate as nextTurn } from 'node:timers/promises'
import { createRandom, pickOne } from '#fakes/random.ts'
import { formatTimestamp } from '#leads/clock.ts'
import { minuteMs } from '#leads/time-units.ts'
import type { Timers } from '#leads/timers.ts'

export const secondMs = 1_000

const timeoutError = new DOMException('Timeout', 'TimeoutError')

/** The process that a task belongs to. Killing it drops its tasks, and pausing it delays them. */
export type Owner = { isDead: boolean; pausedUntil: number }

type Task = {
  at: number
  number: number
  owner: Owner | undefined
  work: () => void
  /** True if someone is waiting for a result, so the clock must not skip this time. */
  isBusy: boolean
}

export type World = ReturnType<typeof createWorld>

/** Counts pending PostgreSQL queries, which take real time. */
export type InFlight = ReturnType<typeof createInFlight>

export function createInFlight() {
  let count = 0
  let noteEnd = () => {}
  return {
    count: () => count,
    start() {
      count += 1
    },
    end() {
      count -= 1
      noteEnd()
    },
    /** Waits until a query ends, without taking CPU time from the database. */
    waitForEnd: async () => {
      if (count > 0)
        await new Promise<void>((resolve) => {
          noteEnd = resolve
        })
    },
  }
}

/**
 * A virtual clock and a seeded random number generator. One task runs at a time, and the clock moves only between
 * tasks, so the same seed gives the same events.
 */
export function createWorld(seed: number, startAt: number) {
  const random = createRandom(seed)
  const tasks = new Set<Task>()
  const events: { at: number; text: string }[] = []
  /** The time that timers measure, and the difference from the time of day. */
  let elapsed = 0
  let offset = startAt
  /** How far the processes' clocks are ahead of the real time. */
  let jumped = 0
  let lastNumber = 0
  let lastId = 0
  let activity = 0

  const trueNow = () => elapsed + offset
  const now = () => trueNow() + jumped

  const between = (from: number, to: number) => from + Math.floor(random() * (to - from + 1))
  const chance = (share: number) => random() < share
  const pick = <Item>(items: readonly Item[]) => pickOne(items, random)

  function schedule(ms: number, work: () => void, owner?: Owner, isBusy = false): () => void {
    const task = { at: elapsed + ms, number: ++lastNumber, owner, work, isBusy }
    tasks.add(task)
    activity += 1
    return () => tasks.delete(task)
  }

  const computeRunsAt = ({ at, owner }: Task) => Math.max(at, owner?.pausedUntil ?? 0)

  function findNext(): Task | undefined {
    let next: Task | undefined
    for (const task of tasks) {
      if (task.owner?.isDead) tasks.delete(task)
      else if (!next || computeRunsAt(task) < computeRunsAt(next)) next = task
      else if (computeRunsAt(task) === computeRunsAt(next) && task.number < next.number) next = task
    }
    return next
  }

  /** Runs the next task and everything that follows from it without waiting. */
  async function step(): Promise<void> {
    const next = findNext()
    if (!next) return
    tasks.delete(next)
    elapsed = Math.max(elapsed, computeRunsAt(next))
    next.work()
    await drain()
  }

  const inFlight = createInFlight()
  /** PostgreSQL's queries take real time. All other work needs only a few turns of the event loop. */
  async function drain(): Promise<void> {
    let seen = activity
    for (let quiet = 0; quiet < 2; quiet++) {
      await inFlight.waitForEnd()
      await nextTurn()
      if (seen !== activity || inFlight.count() > 0) quiet = 0
      seen = activity
    }
  }

  // Most of the time, polls find nothing, so fewer of them make the simulation faster. The processes poll shortly after
  // one another, because that is when they compete.
  const choosePollMs = () => minuteMs - (elapsed % minuteMs) + between(0, 2_000)

  const createTimers = (owner: Owner): Timers => ({
    start: (ms, work, isPoll) => schedule(isPoll ? choosePollMs() : ms, work, owner),
    timeout(ms) {
      const controller = new AbortController()
      schedule(ms, () => controller.abort(timeoutError), owner)
      return controller.signal
    },
  })

  return {
    random,
    between,
    chance,
    pick,
    now,
    trueNow,
    schedule,
    step,
    drain,
    createTimers,
    inFlight,
    makeId: () => `00000000-0000-4000-8000-${String(++lastId).padStart(12, '0')}`,
    noteActivity() {
      activity += 1
    },
    elapsed: () => elapsed,
    isBusy: () => [...tasks].some(({ isBusy, owner }) => isBusy && !owner?.isDead),
    pass: (ms: number, owner?: Owner) =>
      new Promise<void>((resolve) => {
        schedule(ms, resolve, owner, true)
      }),
    /** Sets the processes' clocks forward or back. */
    jump(ms: number) {
      jumped += ms
    },
    /** Moves the time of day forward without advancing timers. */
    skip(ms: number) {
      offset += ms
    },
    say: (text: string) => void events.push({ at: now(), text }),
    /** Returns the last events in plain words. */
    listEvents: (count = Number.POSITIVE_INFINITY) =>
      events
        .slice(-count)
        .map(({ at, text }) => `${formatTimestamp(at, 'America/Chicago').slice(11)} ${text}`),
  }
}
