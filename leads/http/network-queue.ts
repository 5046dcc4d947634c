// About 250 ms of work on a good disk. More would make a visitor wait longer than a retry takes; much
// fewer would spend the time on refusals.
const maxInFlight = 500
// As many as a network may send per minute by default; more would be refused anyway.
const maxQueued = 50

type Queue = { length: number; last: Promise<unknown> }

/**
 * Saves one network's leads one after another, because the rate limit locks each network anyway. In the
 * database, each waiting lead would hold a connection and block everyone else.
 */
export function createNetworkQueues() {
  const queues = new Map<string, Queue>()
  let inFlight = 0
  return {
    isEmpty: () => inFlight === 0,
    /** Without a network, the lead does not wait in a queue. */
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
