import { expect, it } from 'vitest'
import { createLocation } from '#testing/database.ts'
import { findFailure } from '#testing/simulation/simulation.ts'

it('keeps every promise of the back end in 30 more seeds', async () => {
  const failure = await findFailure({ from: 31, count: 30 }, await createLocation('sqlite'))
  expect(failure, failure).toBeUndefined()
})
