import { expect, it } from 'vitest'
import { createLocation } from '#testing/database.ts'
import { findFailure } from '#testing/simulation/simulation.ts'

const count = 20
const starts = Array.from({ length: 50 }, (_, at) => at * count + 1)

// simulation-second-half.slow.test.ts has 1,000 more, so that both cores are used.
it.each(starts)('keeps every promise on SQLite from seed %i', async (from) => {
  const failure = await findFailure({ from, count }, await createLocation('sqlite'))
  expect(failure, failure).toBeUndefined()
})
