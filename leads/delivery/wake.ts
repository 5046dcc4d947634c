/** A sleep that another can end. A ring before the sleep is not lost: the sleep is then skipped. */
export function createAlarm() {
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

/** Work of which one run at most is under way: a call meanwhile makes it run once more, not twice. */
export function runSingly(work: () => Promise<void>): () => Promise<void> {
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
