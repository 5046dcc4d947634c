import { describe, expect, it } from 'vitest'
import { createRandom } from '#demo/random.ts'
import { createLocation, engines, openTestDatabase } from '#testing/database.ts'
import { spawnServer } from '#testing/server-process.ts'
import { anonKey } from './hostile-requests.ts'
import { trySockets } from './hostile-sockets.ts'
import { createHostileTarget, tryAnswerLinks } from './hostile-target.ts'

// The short form of `npm run bench:hostile`: a new seed each time; a failure names it.
const seed = Date.now() % 1_000_000

describe.each(engines)('the function on %s', (engine) => {
  it('answers whatever it is sent, and stores only what a lead may be', async () => {
    const { tryRequests, statuses } = createHostileTarget(await openTestDatabase(engine))
    expect(await tryRequests(1_500, seed)).toBeUndefined()
    // The requests are strange, but not so strange that they all end at the same door.
    expect([...statuses.keys()]).toEqual(
      expect.arrayContaining([200, 202, 204, 303, 400, 401, 404, 405, 413, 415, 422]),
    )
  })

  it('takes no answer link but the one that was sent', async () => {
    const db = await openTestDatabase(engine)
    expect(await tryAnswerLinks(db, 500, seed)).toBeUndefined()
  })
})

it('the server answers whatever comes over a connection, and serves the next', async () => {
  const { dataDir } = await createLocation('sqlite')
  const env = { DATA_DIR: dataDir, SUPABASE_ANON_KEY: anonKey, RATE_LIMIT_PER_MINUTE: '0' }
  const server = spawnServer(env)
  const url = await server.findUrl()
  const faults = await trySockets(url, 200, createRandom(seed))
  expect({ seed, faults }).toEqual({ seed, faults: [] })
  expect((await fetch(url)).status).toBe(200)
  expect(await server.kill('SIGTERM')).toBe(0)
  expect(server.output.stderr).not.toMatch(/failed unexpectedly|can be stored/)
})
