import { expect, it } from 'vitest'
import { promiseFrom } from '#testing/saved-leads.ts'
import { noPromise } from '../deadline.ts'
import type { StoredEvent } from '../store/append-event.ts'
import type { DeliveryTime, PromiseRecord } from '../store/reading.ts'
import { computePercentile, computeReport } from './promise-report.ts'

const minuteMs = 60_000
const now = Date.parse('2026-11-15T18:00:00Z')
const period = { from: now - 30 * 86_400_000, to: now, now, timeZone: 'America/Chicago' }
const compute = (
  records: PromiseRecord[],
  deliveryTimes: DeliveryTime[] = [],
  events: StoredEvent[] = [],
) => computeReport(records, deliveryTimes, events, period)

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
    leads: 7,
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
  expect(before).toMatchObject({ promiseMinutes: 15, kept: 1, missed: 0 })
  const both = compute([makeRecord(600, 11, longer), makeRecord(500, 11)])
  expect(both).toMatchObject({ promiseMinutes: null, kept: 1, missed: 1 })
  expect(both.byMinute).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0])
})

it('groups by hour and day in the owner’s time zone', () => {
  // 03:30 in London is 21:30 of the day before in Chicago.
  const at = Date.parse('2026-11-10T03:30:00Z')
  const report = compute([makeRecord((now - at) / minuteMs, 0)])
  expect(report.byHour[21]).toEqual({ kept: 1, missed: 0 })
  expect(report.byDay).toEqual([{ day: '2026-11-09', kept: 1, missed: 0 }])
})

it('lists the results by source, starting with the most leads', () => {
  const google = { source: 'utm_source=google&utm_medium=cpc' }
  const { bySource } = compute([
    makeRecord(600, 1, google),
    makeRecord(590, 20, google),
    makeRecord(5, null, google),
    makeRecord(580, 1, { source: '' }),
    makeRecord(570, null),
    makeRecord(500, 1, { ...google, ...noPromise }),
  ])
  expect(bySource).toEqual([
    { source: 'Google Ads', leads: 3, kept: 1, missed: 1, share: 0.5 },
    { source: 'Direct', leads: 1, kept: 1, missed: 0, share: 1 },
    { source: 'Unknown', leads: 1, kept: 0, missed: 1, share: 0 },
  ])
})

it('groups all but the top sources, so that made-up campaigns cannot fill the report', () => {
  const records = repeat(40, (at) => makeRecord(600 + at, 1, { source: `utm_source=s${at}` }))
  const { bySource } = compute([...records, makeRecord(700, 1, { source: '' })])
  expect(bySource).toHaveLength(12)
  expect(bySource.at(-1)).toMatchObject({ source: '30 others', leads: 30 })
  expect(bySource.reduce((sum, { leads }) => sum + leads, 0)).toBe(41)
})

it('reports how long each channel took until messages were sent and until they arrived', () => {
  const make = (channel: string, sentMs: number, changes: Partial<DeliveryTime> = {}) => ({
    ...{ channel, state: 'sent' as const, dueAt: now, settledAt: now + sentMs, arrivedAt: null },
    ...changes,
  })
  const text = (changes: Partial<DeliveryTime>) => make('sms-0a1b2c3d', 100, changes)
  const { channels } = compute(
    [],
    [
      ...[100, 200, 300, 5_000].map((ms) => make('email', ms)),
      ...[{ arrivedAt: now + 2_000 }, { arrivedAt: now + 9_000 }, {}].map(text),
      ...(['waiting', 'failed', 'expired'] as const).map((state) => text({ state })),
      make('push-0a1b2c3d', 0),
    ],
  )
  const none = { waiting: 0, failed: 0 }
  expect(channels).toEqual([
    { channel: 'Email', ...none, sent: { count: 4, medianMs: 200, p95Ms: 5_000 }, arrived: null },
    {
      ...{ channel: 'Push notification', ...none, sent: { count: 1, medianMs: 0, p95Ms: 0 } },
      arrived: { count: 0, medianMs: null, p95Ms: null },
    },
    {
      ...{ channel: 'Text message', waiting: 1, failed: 2 },
      sent: { count: 3, medianMs: 100, p95Ms: 100 },
      arrived: { count: 2, medianMs: 2_000, p95Ms: 9_000 },
    },
  ])
})

it('counts the calls of each person, and leaves out what was undone', () => {
  const call = (leadId: string, number: number, kind: StoredEvent['kind'], person: string) => ({
    ...{ leadId, number, kind, person, at: now, text: null, callAgainAt: null },
    ...{ id: `${leadId}-${number}`, email: `${person}@example.com`, via: 'desk' as const },
  })
  const events = [
    call('a', 1, 'called', 'Sam'),
    call('a', 2, 'no-answer', 'Sam'),
    call('a', 3, 'note', 'Dana'),
    call('a', 4, 'no-answer', 'Sam'),
    call('a', 5, 'done', 'Dana'),
    call('b', 1, 'called', 'Dana'),
    call('b', 2, 'undone', 'Dana'),
    call('c', 1, 'not-a-lead', 'Dana'),
    // The same call about another request from the homeowner.
    { ...call('d', 1, 'called', 'Sam'), id: 'a-1' },
    { ...call('d', 2, 'no-answer', 'Sam'), id: 'a-2' },
  ]
  expect(compute([], [], events).byPerson).toEqual([
    { person: 'Sam', calls: 2, noAnswer: 2 },
    { person: 'Dana', calls: 1, noAnswer: 0 },
  ])
})

it('counts 150,000 leads', () => {
  expect(compute(Array(150_000).fill(makeRecord(600, 1)))).toMatchObject({ kept: 150_000 })
})

it('has no percentages or times without leads', () => {
  const report = compute([])
  expect(report).toMatchObject({ leads: 0, share: null, medianMs: null })
  expect(computePercentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9)).toBe(9)
})
