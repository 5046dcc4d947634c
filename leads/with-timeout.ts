const tickMs = 250

/**
 * Rejects when the work takes longer, by a clock that stands still while this process does. A plain
 * timer of a process that was without the CPU for seconds fires before it reads the answer that has
 * long been there: that made a 503 of a lead which PostgreSQL could have stored.
 */
export function withTimeout<Result>(
  ms: number,
  /** What has not begun when nobody waits any more need not begin. */
  work: (isLate: () => boolean) => Promise<Result>,
): Promise<Result> {
  let leftMs = ms
  const isLate = () => leftMs <= 0
  return new Promise((resolve, reject) => {
    const timer = setInterval(() => {
      leftMs -= tickMs
      if (!isLate()) return
      clearInterval(timer)
      reject(new TooSlow())
    }, tickMs)
    work(isLate)
      .then(resolve, reject)
      .finally(() => clearInterval(timer))
  })
}

export class TooSlow extends Error {
  override name = 'TooSlow'
}
