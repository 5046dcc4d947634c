// Beyond this a visitor would wait longer than it takes to come again: a quarter of a second's work
// on a good disk. Much lower, and the work of refusing takes the place of the work of storing.
const maxInFlight = 500
// As many as a network may send in a minute by default: the rest would be refused anyway.
const maxInLine = 50

type Line = { length: number; last: Promise<unknown> }

/**
 * Leads on their way into the database. Those of one network stand in line here, one after the
 * other, as the rate limit has to look at them anyway: in the database each of them would hold a
 * connection while it waits, and keep everyone else out.
 */
export function createLeadLine() {
  const lines = new Map<string, Line>()
  let inFlight = 0
  return {
    isEmpty: () => inFlight === 0,
    /** Without a network nobody stands in line. */
    async save<Result>(
      network: string | undefined,
      work: () => Promise<Result>,
    ): Promise<Result | 'overloaded' | 'line too long'> {
      if (inFlight >= maxInFlight) return 'overloaded'
      const line: Line = lines.get(network ?? '') ?? { length: 0, last: Promise.resolve() }
      if (line.length >= maxInLine) return 'line too long'
      inFlight += 1
      line.length += 1
      const turn = line.last.then(work)
      if (network !== undefined) {
        lines.set(network, line)
        line.last = turn.catch(() => {})
      }
      try {
        return await turn
      } finally {
        inFlight -= 1
        line.length -= 1
        if (network !== undefined && line.length === 0) lines.delete(network)
      }
    },
  }
}
