import { systemTimers, type Timers } from './timers.ts'

const tickMs = 250

/**
 * Does not count time during which this process got no CPU. With a plain timer, a stalled process would time out
 * before it reads PostgreSQL's response, and return 503 for a stored lead.
 */
export function withTimeout<Result>(
  ms: number,
  /** Check `isLate` before each step: after the timeout, the result is no longer used. */
  work: (isLate: () => boolean) => Promise<Result>,
  timers: Timers = systemTimers,
): Promise<Result> {
  let leftMs = ms
  const isLate = () => leftMs <= 0
  return new Promise((resolve, reject) => {
    const tick = () => {
      leftMs -= tickMs
      if (isLate()) reject(new TimeoutError())
      else cancel = timers.start(tickMs, tick)
    }
    let cancel = timers.start(tickMs, tick)
    work(isLate)
      .then(resolve, reject)
      .finally(() => cancel())
  })
}

export class TimeoutError extends Error {
  override name = 'TimeoutError'
}
