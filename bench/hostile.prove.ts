import { describe, expect, it } from 'vitest'
import { createLocation, engines, openTestDatabase } from '#testing/database.ts'
import { spawnServer } from '#testing/server-process.ts'
import { anonKey, createHostileTarget, tryAnswerLinks, tryRequests } from './hostile-requests.ts'
import { attack, attacks, drip, findSocketFault, mangle, pipeline } from './hostile-sockets.ts'
import { createRandom } from './random.ts'

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
  })

  it('takes no answer link but the one that was sent', async () => {
    const db = await openTestDatabase(engine)
    expect(await tryAnswerLinks(db, 500, seed)).toBeUndefined()
  })
})

describe('the server', () => {
  it('answers whatever comes over a connection, and serves the next', async () => {
    const { dataDir } = await createLocation('sqlite')
    const server = spawnServer({
      DATA_DIR: dataDir,
      SUPABASE_ANON_KEY: anonKey,
      RATE_LIMIT_PER_MINUTE: '0',
    })
    const url = await server.findUrl()
    const named = Object.entries(attacks).map(([name, one]) => findSocketFault(url, name, one))
    expect((await Promise.all(named)).filter(Boolean)).toEqual([])
    expect(await pipeline(url, 10)).toEqual(Array.from({ length: 10 }, () => 200))
    expect(await drip(url)).toEqual([200])
    const random = createRandom(seed)
    for (let at = 0; at < 200; at++) {
      const request = mangle(random)
      const statuses = await attack(url, request)
      const text = Buffer.from(request.text).toString('latin1')
      expect([statuses.filter((status) => status >= 500), text]).toEqual([[], text])
    }
    expect((await fetch(url)).status).toBe(200)
    expect(await server.kill('SIGTERM')).toBe(0)
    expect(server.output.stderr).not.toMatch(/failed unexpectedly|can be stored/)
  })
})
