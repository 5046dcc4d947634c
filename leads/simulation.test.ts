import { expect, it } from 'vitest'
import { createLocation } from '#testing/database.ts'
import { findFailure, simulate } from '#testing/simulation/simulation.ts'

// testing/simulation/sentences.ts lists the promises, and simulation.ts the events and faults.
//
// To test the simulation, we broke the code on purpose. It found each fault after about this many seeds. Other
// changes to the code shift these numbers:
//
//   1   send two confirmations to an address
//   1   email a caller
//   1   send alerts about a lead that someone added while calling
//   1   store an event without its effects
//   1   store the state from before an event
//   1   plan the first reminder before we open
//   2   ignore the idempotency key
//   2   record a call on only one of a homeowner's requests
//   2   send a confirmation to suspected spam
//   2   plan a reminder without checking that another process did
//   2   undo the oldest event instead of the newest
//   2   claim a delivery that another process has leased
//   3   ignore the ID of a press
//   3   send no Status for an outcome
//   7   plan no reminder after an Undo
//   7   record “No answer” on only one of a homeowner's requests
//  10   keep the reminder's time when the next call is moved
//  12   keep the reminders after a call
//  20   take back a call on only one of a homeowner's requests
//  23   write an event's deliveries after its transaction
//  43   accept an Undo from an old page
//  68   overwrite a Status that only a person uses
//  81   write a new lead's deliveries after its transaction
// 100   email the homeowner about a call that was undone
//
// 120 seeds did not find these, but other tests do: email the homeowner about a second call
// (desk/event-routes.test.ts), retry after a lost lease, record a result for a delivery that was reset (both in
// store/store.test.ts), record a Status although the lead changed while it was read (delivery/remind.test.ts).

// simulation-second-half.test.ts has 30 more, so that both cores are used.
it('keeps every promise of the back end, whatever fails', async () => {
  const failure = await findFailure({ from: 1, count: 30 }, await createLocation('sqlite'))
  expect(failure, failure).toBeUndefined()
})

it('repeats a seed exactly', async () => {
  const location = await createLocation('sqlite')
  const { events } = await simulate(7, location)
  expect(events.length).toBeGreaterThan(50)
  expect((await simulate(7, location)).events).toEqual(events)
})
