import { describe, expect, it } from 'vitest'
import { createHostileTarget, tryRequests } from './bench/hostile-requests.ts'
import { engines, openTestDatabase } from './testing/database.ts'

// The short form of `npm run bench:hostile`: a new seed each time; a failure names it.
const seed = Date.now() % 1_000_000

describe.each(engines)('the function on %s', (engine) => {
  it('answers whatever it is sent, and stores only what a lead may be', async () => {
    const { findFault, statuses } = createHostileTarget(await openTestDatabase(engine))
    expect(await tryRequests(findFault, 1_500, seed)).toBeUndefined()
    // The requests are strange, but not so strange that they all end at the same door.
    const reached = [...statuses.keys()]
    expect(reached).toEqual(
      expect.arrayContaining([200, 202, 204, 303, 400, 401, 404, 405, 413, 415, 422]),
    )
  }, 60_000)
})
