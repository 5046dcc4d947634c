import { expect, it } from 'vitest'
import { createLocation } from '#testing/database.ts'
import { findFailure } from '#testing/simulation/simulation.ts'

const count = 50
const listStarts = (seeds: number) =>
  Array.from({ length: seeds / count }, (_, at) => at * count + 1)

it.each(listStarts(2_000))('keeps every promise on SQLite from seed %i', async (from) => {
  const failure = await findFailure({ from, count }, await createLocation('sqlite'))
  expect(failure, failure).toBeUndefined()
})

it.each(listStarts(200))('keeps every promise on PostgreSQL from seed %i', async (from) => {
  const failure = await findFailure({ from, count }, await createLocation('postgres'))
  expect(failure, failure).toBeUndefined()
})
