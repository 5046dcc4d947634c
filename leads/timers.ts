/** Timers for code that waits. The simulation passes timers that follow a virtual clock. */
export type Timers = {
  /**
   * Runs the work after this delay. Returns a function that cancels it. `isPoll` means that no work is due, so the
   * simulation may wait longer.
   */
  start(ms: number, work: () => void, isPoll?: boolean): () => void
  /** Returns a signal that aborts after this delay. */
  timeout(ms: number): AbortSignal
}

export const systemTimers: Timers = {
  start(ms, work) {
    const timer = setTimeout(work, ms)
    return () => clearTimeout(timer)
  },
  timeout: (ms) => AbortSignal.timeout(ms),
}

export const createPause =
  ({ start }: Timers) =>
  (ms: number): Promise<void> =>
    new Promise((resolve) => {
      start(ms, resolve)
    })
