import { expect, it } from 'vitest'
import { testTime as now, storedJane } from '#testing/saved-leads.ts'
import type { StoredLead } from '../lead.ts'
import { type DueDelivery, decideSend } from './decide-send.ts'

const make = (
  id: string,
  lead: Partial<StoredLead> = {},
  changes: Partial<DueDelivery> = {},
): DueDelivery => ({
  lead: { ...storedJane, ...lead, id },
  reason: 'received',
  attempts: 0,
  revision: 0,
  nextAttemptAt: now,
  dueAt: now,
  ...changes,
})
const [a, b, c] = [make('a'), make('b'), make('c')]
const emergency = make('e', { serviceType: 'emergency' })
const called = make('d', { status: 'calling' })
const update = make('u', {}, { reason: 'called' })
const later = make('l', {}, { nextAttemptAt: now + 1 })
const [fake, other] = [make('f', { inBurst: 1 }), make('g', { inBurst: 1 })]
const calledFake = make('h', { inBurst: 1, status: 'calling' })

it.each<[string, DueDelivery[], ReturnType<typeof decideSend>]>([
  ['one of two ordinary leads', [a, b], { send: [a] }],
  ['one message about three', [a, b, c], { send: [a, b, c], combined: 'waiting' }],
  ['with those that failed before', [a, b, later], { send: [a, b, later], combined: 'waiting' }],
  ['an emergency first', [a, b, c, emergency], { send: [emergency] }],
  ['a silent update alone', [a, b, c, update], { send: [update] }],
  ['a lead that someone is calling alone', [a, b, c, called], { send: [called] }],
  ['nothing before its time', [later], { send: [] }],
  ['a burst in one message', [fake, other], { send: [fake, other], cancel: [], combined: 'burst' }],
  ['others before a burst', [fake, other, a], { send: [a] }],
  ['nothing about a called burst', [calledFake], { send: [], cancel: [calledFake] }],
])('sends %s', (_, pending, decision) => {
  expect(decideSend(pending, { now, burstAt: 0 })).toEqual(decision)
})

it('postpones a burst until the next message about one may be sent, but no other lead', () => {
  const options = { now, burstAt: now + 1 }
  expect(decideSend([fake, other], options)).toEqual({
    send: [],
    cancel: [],
    postpone: [fake, other],
  })
  expect(decideSend([fake, a], options)).toEqual({ send: [a] })
})
