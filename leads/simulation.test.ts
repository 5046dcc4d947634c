import { expect, it } from 'vitest'
import { createLocation } from '#testing/database.ts'
import { findFailure, simulate } from '#testing/simulation/simulation.ts'

// testing/simulation/sentences.ts lists the promises, and simulation.ts the events and faults.
//
// To test the simulation, we broke the code on purpose. It found each fault after this many seeds:
//
//   1   ignore the idempotency key
//   1   send a confirmation to suspected spam
//   1   plan no reminder after an Undo
//   2   send two confirmations to an address
//   2   record a call on one of a homeowner's requests only
//   3   plan a reminder without checking that another process did
//   3   email a caller
//   4   claim a delivery that another process has leased
//   4   plan the first reminder before we open
//   4   send alerts about a lead that someone added while calling
//   7   overwrite a Status that only a person uses
//  23   accept an Undo from an old page
//  27   keep the reminders after a call
//  47   take back a call on one of a homeowner's requests only
//  79   write the deliveries after the lead's transaction

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
