import { expect, it } from 'vitest'
import { createLocation } from '#testing/database.ts'
import { findFailure, simulate } from '#testing/simulation/simulation.ts'

// testing/simulation/sentences.ts lists what must hold, and simulation.ts what can happen.

it('keeps every promise of the back end, whatever fails', async () => {
  const failure = await findFailure({ from: 1, count: 60 }, await createLocation('sqlite'))
  expect(failure, failure).toBeUndefined()
})

it('repeats a seed exactly', async () => {
  const location = await createLocation('sqlite')
  const { events } = await simulate(7, location)
  expect(events.length).toBeGreaterThan(50)
  expect((await simulate(7, location)).events).toEqual(events)
})
