import { expect, it } from 'vitest'
import { engines, openTestDatabase } from '#testing/database.ts'
import { createHostileTarget } from './hostile.ts'

// A short version of `npm run bench -- hostile`. A failure prints its seed.
const seed = Date.now() % 1_000_000

it.each(engines)('handles any request on %s and stores only valid leads', async (engine) => {
  const { tryRequests, statuses } = createHostileTarget(await openTestDatabase(engine))
  expect(await tryRequests(1_500, seed)).toBeUndefined()
  // Make sure that the generated requests cause each of these responses.
  expect([...statuses.keys()]).toEqual(
    expect.arrayContaining([200, 202, 204, 303, 400, 401, 404, 405, 413, 415, 422]),
  )
})
