// About 250 ms of work on a fast disk. With more leads in flight, visitors would wait longer than a retry takes; with
// far fewer, the server would spend its time rejecting leads.
const maxInFlight = 500
// Queue at least this many leads, so that the rate limit rejects any excess and tells the client when to try again.
const minQueued = 50

type Queue = { length: number; last: Promise<unknown> }

/**
 * Saves the leads from a network one at a time, because the rate limit locks the network anyway. If leads waited for
 * that lock in the database, each would hold a connection and block everyone else. Queues at most `limit` leads from a
 * network, or `minQueued` if that is more, because the rate limit would reject any excess.
 */
export function createNetworkQueues(limit: number) {
  const maxQueued = Math.max(limit, minQueued)
  const queues = new Map<string, Queue>()
  let inFlight = 0
  return {
    isEmpty: () => inFlight === 0,
    /** Leads without a network skip the queue. */
    async save<Result>(
      network: string | undefined,
      work: () => Promise<Result>,
    ): Promise<Result | 'overloaded' | 'queue full'> {
      if (inFlight >= maxInFlight) return 'overloaded'
      const queue: Queue = queues.get(network ?? '') ?? { length: 0, last: Promise.resolve() }
      if (queue.length >= maxQueued) return 'queue full'
      inFlight += 1
      queue.length += 1
      const result = queue.last.then(work)
      if (network !== undefined) {
        queues.set(network, queue)
        queue.last = result.catch(() => {})
      }
      try {
        return await result
      } finally {
        inFlight -= 1
        queue.length -= 1
        if (network !== undefined && queue.length === 0) queues.delete(network)
      }
    },
  }
}
