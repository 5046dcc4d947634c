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
