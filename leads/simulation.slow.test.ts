import { expect, it } from 'vitest'
import { createLocation } from '#testing/database.ts'
import { findFailure } from '#testing/simulation/simulation.ts'

const count = 20
const seeds = Number(process.env.SEEDS ?? 1_000)
const starts = Array.from({ length: Math.ceil(seeds / count / 2) }, (_, at) => at * count + 1)

// simulation-second-half.slow.test.ts has the other seeds, so that Vitest can run the two files in parallel.
it.each(starts)('keeps every promise on SQLite from seed %i', async (from) => {
  const failure = await findFailure({ from, count }, await createLocation('sqlite'))
  expect(failure, failure).toBeUndefined()
})
