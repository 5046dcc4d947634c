import { expect, it } from 'vitest'
import { createLocation } from '#testing/database.ts'
import { findFailure } from '#testing/simulation/simulation.ts'

const listStarts = (seeds: number, count: number) =>
  Array.from({ length: seeds / count }, (_, at) => ({ from: at * count + 1, count }))

it.each(listStarts(2_000, 50))('holds on SQLite from seed $from', async (seeds) => {
  const failure = await findFailure(seeds, await createLocation('sqlite'))
  expect(failure, failure).toBeUndefined()
})

it.each(listStarts(200, 5))('holds on PostgreSQL from seed $from', async (seeds) => {
  const failure = await findFailure(seeds, await createLocation('postgres'))
  expect(failure, failure).toBeUndefined()
})
