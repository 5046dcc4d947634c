const tickMs = 250

/**
 * Does not count time during which this process got no CPU. With a plain timer, a stalled process
 * timed out before it read PostgreSQL's response, and answered 503 for a stored lead.
 */
export function withTimeout<Result>(
  ms: number,
  /** Check `isLate` before each step: after the timeout, the result is no longer used. */
  work: (isLate: () => boolean) => Promise<Result>,
): Promise<Result> {
  let leftMs = ms
  const isLate = () => leftMs <= 0
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      leftMs -= tickMs
      if (!isLate()) return
      clearInterval(timer)
      reject(new TimeoutError())
    }, tickMs)
    work(isLate)
      .then(resolve, reject)
      .finally(() => clearInterval(timer))
  })
}

export class TimeoutError extends Error {
  override name = 'TimeoutError'
}
