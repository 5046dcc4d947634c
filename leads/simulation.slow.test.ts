import { expect, it } from 'vitest'
import { createLocation } from '#testing/database.ts'
import { findFailure } from '#testing/simulation/simulation.ts'

const starts = Array.from({ length: 4 }, (_, at) => at * 50 + 1)

it.each(starts)('keeps every promise on SQLite from seed %i', async (from) => {
  const failure = await findFailure({ from, count: 50 }, await createLocation('sqlite'))
  expect(failure, failure).toBeUndefined()
})
