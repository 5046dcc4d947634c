import { expect, it } from 'vitest'
import { createLocation } from '#testing/database.ts'
import { findFailure } from '#testing/simulation/simulation.ts'

const listStarts = (seeds: number, count: number) =>
  Array.from({ length: seeds / count }, (_, at) => at * count + 1)

it.each(listStarts(500, 20))('keeps every promise on SQLite from seed %i', async (from) => {
  const failure = await findFailure({ from, count: 20 }, await createLocation('sqlite'))
  expect(failure, failure).toBeUndefined()
})

// Queries to PostgreSQL take real time.
it.each(listStarts(50, 5))('keeps every promise on PostgreSQL from seed %i', async (from) => {
  const failure = await findFailure({ from, count: 5 }, await createLocation('postgres'))
  expect(failure, failure).toBeUndefined()
})
