import { expect, it } from 'vitest'
import { createLocation } from '#testing/database.ts'
import { findFailure } from '#testing/simulation/simulation.ts'

const count = 10
const seeds = Number(process.env.SEEDS ?? 1_000) / 10
const starts = Array.from({ length: Math.ceil(seeds / count) }, (_, at) => at * count + 1)

it.each(starts)('keeps every promise on PostgreSQL from seed %i', async (from) => {
  const failure = await findFailure({ from, count }, await createLocation('postgres'))
  expect(failure, failure).toBeUndefined()
})
