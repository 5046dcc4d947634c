import { expect, it } from 'vitest'
import { promiseFrom } from '#testing/saved-leads.ts'
import { noPromise } from '../deadline.ts'
import type { StoredEvent } from '../store/find-events.ts'
import type { PromiseRecord } from '../store/find-leads.ts'
import { dayMs, minuteMs } from '../time-units.ts'
import { computePercentile, computeReport } from './promise-report.ts'

const now = Date.parse('2026-11-15T18:00:00Z')
const period = { from: now - 30 * dayMs, to: now, now, timeZone: 'America/Chicago' }
const compute = (records: PromiseRecord[], events: StoredEvent[] = []) =>
  computeReport(records, events, period)

/** `calledAfter` is in minutes; null if nobody called. */
const makeRecord = (
  minutesAgo: number,
  calledAfter: number | null,
  changed: Partial<PromiseRecord> = {},
): PromiseRecord => ({
  receivedAt: now - minutesAgo * minuteMs,
  ...promiseFrom(now - minutesAgo * minuteMs),
  calledAt: calledAfter === null ? null : now - (minutesAgo - calledAfter) * minuteMs,
  calledVia: calledAfter === null ? null : 'link',
  source: null,
  id: '1',
  status: 'open',
  saleDetails: null,
  ...changed,
})
const repeat = (count: number, make: (at: number) => PromiseRecord) =>
  Array.from({ length: count }, (_, at) => make(at))

it('counts kept, missed, and open promises, without suspected spam', () => {
  const report = compute([
    makeRecord(600, 1),
    makeRecord(590, 3, { calledVia: 'airtable' }),
    makeRecord(580, 10),
    makeRecord(570, 10.01),
    makeRecord(560, null),
    makeRecord(5, null),
    makeRecord(4, 2),
    makeRecord(500, null, noPromise),
    makeRecord(500, 1, noPromise),
  ])
  expect(report).toMatchObject({
    suspect: 2,
    kept: 4,
    missed: 2,
    open: 1,
    uncalled: 1,
    calledInAirtable: 1,
    share: 4 / 6,
    medianMs: 3 * minuteMs,
    byMinute: [0, 1, 1, 1, 0, 0, 0, 0, 0, 1],
  })
  expect(report.byHour.reduce((sum, { kept, missed }) => sum + kept + missed, 0)).toBe(6)
})

it('judges each lead by the promise it was received with', () => {
  const receivedAt = now - 600 * minuteMs
  const longer = { promiseStartAt: receivedAt, deadlineAt: receivedAt + 15 * minuteMs }
  const before = compute([makeRecord(600, 11, longer)])
  expect(before).toMatchObject({ kept: 1, missed: 0 })
  const both = compute([makeRecord(600, 11, longer), makeRecord(500, 11)])
  expect(both).toMatchObject({ kept: 1, missed: 1 })
  expect(both.byMinute).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0])
})

it('shows the minutes of the promise, even if a correction started a lead’s time hours earlier', () => {
  const deadlineAt = now - 300 * minuteMs
  const started = { promiseStartAt: deadlineAt - 290 * minuteMs, deadlineAt, id: 'a' }
  const text = JSON.stringify([['serviceType', 'roof-repair', 'emergency']])
  const event = { ...makeEvent('a', 1, 'corrected', 'Sam'), text }
  const { byMinute } = compute([makeRecord(600, 3), makeRecord(595, 293, started)], [event])
  expect(byMinute).toEqual([0, 0, 0, 1, 0, 0, 0, 0, 1, 0])
})

it('groups by hour and day in the owner’s time zone', () => {
  // 3:30 AM in London is 9:30 PM on the previous day in Chicago.
  const at = Date.parse('2026-11-10T03:30:00Z')
  const report = compute([makeRecord((now - at) / minuteMs, 0)])
  expect(report.byHour[21]).toEqual({ kept: 1, missed: 0 })
  expect(report.byDay).toEqual([{ day: '2026-11-09', kept: 1, missed: 0 }])
})

const makeEvent = (leadId: string, number: number, kind: StoredEvent['kind'], person: string) => ({
  ...{ leadId, number, kind, person, at: now, text: null, callAgainAt: null },
  ...{ id: `${leadId}-${number}`, email: `${person}@example.com`, via: 'desk' as const },
})

it('lists what came of each source, starting with the most requests', () => {
  const google = { source: 'utm_source=google&utm_medium=cpc' }
  const won = { status: 'won', saleDetails: '12500' } as const
  const records = [
    makeRecord(600, 1, { ...google, ...won, id: 'a' }),
    makeRecord(590, 20, { ...google, ...won, saleDetails: null, id: 'b' }),
    makeRecord(5, null, { ...google, id: 'c' }),
    makeRecord(580, 1, { source: '', id: 'd', status: 'lost', saleDetails: 'other' }),
    makeRecord(570, null, { id: 'e', status: 'call-again' }),
    makeRecord(500, 1, { ...google, ...noPromise, ...won, id: 'f' }),
  ]
  const history = [
    makeEvent('a', 1, 'done', 'Sam'),
    makeEvent('a', 2, 'won', 'Sam'),
    makeEvent('b', 1, 'airtable-status', 'Sam'),
    makeEvent('b', 2, 'won', 'Sam'),
    makeEvent('c', 1, 'done', 'Sam'),
    makeEvent('c', 2, 'undone', 'Sam'),
    makeEvent('d', 1, 'done', 'Sam'),
    makeEvent('e', 1, 'no-answer', 'Sam'),
  ]
  expect(compute(records, history).bySource).toEqual([
    { source: 'Google Ads', leads: 3, reached: 2, won: 2, dollars: 12_500 },
    { source: 'Direct', leads: 1, reached: 1, won: 0, dollars: 0 },
    { source: 'Unknown', leads: 1, reached: 0, won: 0, dollars: 0 },
  ])
})

it('groups all but the top sources, so that made-up campaigns cannot fill the report', () => {
  const records = repeat(40, (at) => makeRecord(600 + at, 1, { source: `utm_source=s${at}` }))
  const { bySource } = compute([...records, makeRecord(700, 1, { source: '' })])
  expect(bySource).toHaveLength(12)
  expect(bySource.at(-1)).toMatchObject({ source: '30 others', leads: 30 })
  expect(bySource.reduce((sum, { leads }) => sum + leads, 0)).toBe(41)
})

it('counts the calls of each person, and leaves out what was undone', () => {
  const events = [
    makeEvent('a', 1, 'called', 'Sam'),
    makeEvent('a', 2, 'no-answer', 'Sam'),
    makeEvent('a', 3, 'note', 'Dana'),
    makeEvent('a', 4, 'no-answer', 'Sam'),
    makeEvent('a', 5, 'done', 'Dana'),
    makeEvent('b', 1, 'called', 'Dana'),
    makeEvent('b', 2, 'undone', 'Dana'),
    makeEvent('c', 1, 'not-a-lead', 'Dana'),
    // This is the same call, recorded for another request from the homeowner.
    { ...makeEvent('d', 1, 'called', 'Sam'), id: 'a-1' },
    { ...makeEvent('d', 2, 'no-answer', 'Sam'), id: 'a-2' },
  ]
  expect(compute([], events).byPerson).toEqual([
    { person: 'Sam', calls: 2, noAnswer: 2 },
    { person: 'Dana', calls: 1, noAnswer: 0 },
  ])
})

it('has no percentages or times without leads', () => {
  const report = compute([])
  expect(report).toMatchObject({ open: 0, share: null, medianMs: null })
  expect(computePercentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9)).toBe(9)
})
