import { expect, it } from 'vitest'
import { createLocation } from '#testing/database.ts'
import { findFailure } from '#testing/simulation/simulation.ts'

const count = 20
const starts = Array.from({ length: 50 }, (_, at) => 1_001 + at * count)

it.each(starts)('keeps every promise on SQLite from seed %i', async (from) => {
  const failure = await findFailure({ from, count }, await createLocation('sqlite'))
  expect(failure, failure).toBeUndefined()
})
