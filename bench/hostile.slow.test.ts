import { expect, it } from 'vitest'
import { createLocation, engines, openTestDatabase } from '#testing/database.ts'
import { spawnServer } from '#testing/server-process.ts'
import { createHostileTarget } from './hostile.ts'
import { trySockets } from './hostile-sockets.ts'

// A short version of `npm run bench -- hostile`. A failure prints its seed.
const seed = Date.now() % 1_000_000

it.each(engines)('handles any request on %s and stores only valid leads', async (engine) => {
  const { tryRequests, statuses } = createHostileTarget(await openTestDatabase(engine))
  expect(await tryRequests(1_500, seed)).toBeUndefined()
  // The generated requests must cover every status code.
  expect([...statuses.keys()]).toEqual(
    expect.arrayContaining([200, 202, 204, 303, 400, 401, 404, 405, 413, 415, 422]),
  )
})

it('keeps serving after malformed HTTP', async () => {
  const { dataDir } = await createLocation('sqlite')
  const server = spawnServer({ DATA_DIR: dataDir, RATE_LIMIT_PER_MINUTE: '0' })
  const url = await server.findUrl()
  expect(await trySockets(url)).toEqual([])
  expect((await fetch(url)).status).toBe(200)
  expect(await server.kill('SIGTERM')).toBe(0)
  expect(server.output.stderr).not.toMatch(/failed unexpectedly|can be stored/)
})
