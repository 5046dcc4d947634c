import { expect, test } from 'vitest'
import type { TodayLead } from '#leads/desk/today.ts'
import { describeCard, type LeadCard, type LeadInFull } from '#leads/reports/describe.ts'
import { minuteMs } from '#leads/time-units.ts'
import { promiseFrom, storedJane, testTime } from '#testing/saved-leads.ts'
import {
  areDifferent,
  canCall,
  computeCardCountdown,
  countAttempts,
  countToCall,
  describeRequests,
  describeTotals,
  findCall,
  findCard,
  findOwnCall,
  groupCards,
  passTime,
  readCard,
} from './cards.ts'

const jane = describeCard(storedJane)
const make = (changes: Partial<TodayLead>): TodayLead => ({
  ...jane,
  ...{ card: 'a', group: 'toCall', requests: 1 },
  ...changes,
})
const makeCard = (...changes: Partial<LeadCard>[]) => {
  const [lead = jane, ...others] = changes.map((change) => ({ ...jane, ...change }))
  return { lead, others, requests: changes.length }
}

test('requests with one number are one card, in the server’s order', () => {
  const requests = 3
  const first = make({ id: '1', requests })
  const alone = make({ id: '2', card: 'b', group: 'called' })
  const [second, third] = [make({ id: '3', requests }), make({ id: '4', requests })]
  const groups = groupCards([first, second, alone, third])
  expect(groups).toEqual({
    toCall: [{ lead: first, others: [second, third], requests }],
    called: [{ lead: alone, others: [], requests: 1 }],
  })
  expect(groupCards([])).toEqual({})
})

test('moves a card when its time comes, even without a connection', () => {
  const at = testTime + 10 * minuteMs
  const waiting = make({ group: 'waiting', promiseStartAt: at })
  const later = { group: 'later', status: 'call-again', callAgainAt: at } as const
  const leads = [
    make({ id: '1', card: '1' }),
    { ...waiting, id: '2', card: '2' },
    // A second request from the same homeowner.
    { ...waiting, id: '3', card: '2', promiseStartAt: at + minuteMs },
    { ...waiting, id: '4', card: '4', promiseStartAt: at + minuteMs },
    { ...waiting, id: '5', card: '5', group: 'burstLater' } as const,
    make({ id: '6', card: '6', ...later }),
    make({ id: '7', card: '7', ...later, callAgainAt: at + minuteMs }),
  ]
  const none = { mine: 0, calling: 0, older: 0, called: 0, suspect: 0 }
  const start = { toCall: 1, due: 0, waiting: 60, burst: 0, burstLater: 1, later: 2 }
  const today = { leads, totals: { ...none, ...start } }
  expect(passTime(today, at - 1)).toBe(today)
  const { leads: after, totals } = passTime(today, at)
  expect(after.map(({ group }) => group)).toEqual([
    ...['toCall', 'toCall', 'toCall', 'waiting', 'burst', 'due', 'later'],
  ])
  expect(totals).toEqual({
    ...none,
    ...{ toCall: 2, due: 1, waiting: 59, burst: 1, burstLater: 0, later: 1 },
  })
})

test('counts those to call now, also in a burst and after a week', () => {
  const none = { mine: 1, later: 1, waiting: 1, burstLater: 1, calling: 1, called: 1, suspect: 1 }
  expect(countToCall({ ...none, toCall: 10, due: 20, burst: 30, older: 40 })).toBe(100)
})

test('is not all caught up while a call has no result', () => {
  const none = { toCall: 0, due: 0, waiting: 0, burst: 0, burstLater: 0, older: 0, later: 0 }
  const read = (mine: number, calling: number, due = 0) =>
    describeTotals({ ...none, called: 3, suspect: 0, mine, calling, due })
  expect(read(0, 0)).toBe('All caught up')
  expect(read(1, 0)).toBe('1 call without a result')
  expect(read(1, 2)).toBe('3 calls without a result')
  expect(read(1, 2, 1)).toBe('1 to call')
})

test('shows the nearest deadline of the open requests', () => {
  const read = (...changes: Partial<LeadCard>[]) =>
    computeCardCountdown(makeCard(...changes), { now: testTime, timeZone: 'UTC' }, '').text
  const due = (minutes: number) => promiseFrom(testTime - (10 - minutes) * minuteMs)
  expect(read({ isEmergency: true, ...due(8) }, due(3))).toBe('Call now: 3:00 left')
  expect(read(due(8), { ...due(3), status: 'calling' })).toBe('8\u00a0min left')
  expect(read({ ...due(8), status: 'calling' }, due(3))).toBe('Someone is calling')
})

test('one emergency makes the whole card an emergency, also during a call', () => {
  const read = (...changes: Partial<LeadCard>[]) =>
    computeCardCountdown(makeCard(...changes), { now: testTime, timeZone: 'UTC' }, '').mood
  const calling = { status: 'calling' } as const
  expect(read(calling, {})).toBe('calling')
  expect(read(calling, { isEmergency: true })).toBe('urgent')
})

test('finds a call about any request on the card, your own first, and records no other for 10 minutes', () => {
  const calling = { status: 'calling', callerEmail: 'sam@example.com' } as const
  const others = makeCard({}, calling)
  expect(findCall([others.lead, ...others.others], 'me@example.com')).toBe(others.others[0])
  expect(findOwnCall(others, 'me@example.com')).toBeUndefined()
  const changedAt = testTime
  const isCallable = (minutes: number) =>
    canCall(makeCard({}, { ...calling, changedAt }), testTime + minutes * minuteMs)
  expect([isCallable(0), isCallable(9), isCallable(10)]).toEqual([false, false, true])
  const both = makeCard({}, calling, { ...calling, callerEmail: 'me@example.com' })
  expect(findOwnCall(both, 'me@example.com')).toBe(both.others[1])
  expect(canCall(makeCard({}, { status: 'call-again' }), testTime)).toBe(true)
  expect(canCall(makeCard({ status: 'done' }), testTime)).toBe(false)
})

test('finds the card of a lead that is not its most urgent request', () => {
  const requests = 2
  const [first, second] = [make({ id: '1', requests }), make({ id: '2', requests })]
  const leads = [first, make({ id: '3', card: 'b' }), second]
  expect(findCard(leads, '2')).toEqual({ lead: second, others: [first], requests })
  expect(findCard(leads, '4')).toBeUndefined()
})

test('counts only the open requests on the screen of a lead', () => {
  const sameNumber = [jane, { ...jane, status: 'done' }]
  const read = (changes: Partial<LeadCard>) =>
    readCard({ ...jane, ...changes, sameNumber } as LeadInFull)
  expect(read({})).toMatchObject({ others: [jane], requests: 2 })
  expect(read({ status: 'done' })).toMatchObject({ others: undefined, requests: 1 })
})

test('counts the calls to the number, not those about the most urgent request', () => {
  expect(countAttempts(makeCard({ attempts: 1 }, { attempts: 5 }))).toBe(5)
  expect(countAttempts({ lead: jane, requests: 1 })).toBe(0)
})

test('names how many requests there are, and how many are emergencies', () => {
  expect(describeRequests(makeCard({}))).toBeUndefined()
  expect(describeRequests(makeCard({}, {}))).toBe('2 requests')
  const emergency = { isEmergency: true }
  expect(describeRequests(makeCard(emergency, {}, {}))).toBe('3 requests, 1 emergency')
  expect(describeRequests(makeCard(emergency, emergency))).toBe('2 requests, 2 emergencies')
})

test.each<[string, boolean, Partial<LeadCard>]>([
  ['the same name in capitals', false, { name: 'JANE  DOE' }],
  ['no name and no address', false, { name: '(555) 123-4567', firstName: '', address: '' }],
  ['another name', true, { name: 'Bill Ode', firstName: 'Bill' }],
  ['another address', true, { address: '9 Elm St, Edina' }],
])('a request with %s differs: %s', (_, differs, changes) => {
  expect(areDifferent(makeCard({}, changes))).toBe(differs)
})
