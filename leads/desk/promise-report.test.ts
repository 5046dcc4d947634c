import { expect, it } from 'vitest'
import type { HandOver, PromiseRecord } from '../store/reading.ts'
import { formatTook } from './format-report.ts'
import { computeReport, findMidnight, findPercentile } from './promise-report.ts'

const minuteMs = 60_000
const now = Date.parse('2026-11-15T18:00:00Z')
const period = { from: now - 30 * 86_400_000, to: now, now, timeZone: 'America/Chicago' }
const compute = (records: PromiseRecord[], handOvers: HandOver[] = []) =>
  computeReport(records, handOvers, period)

/** A lead that came so many minutes ago and was answered after so many, or not. */
const came = (
  minutesAgo: number,
  answeredAfter: number | null,
  changed: Partial<PromiseRecord> = {},
): PromiseRecord => ({
  receivedAt: now - minutesAgo * minuteMs,
  answeredAt: answeredAfter === null ? null : now - (minutesAgo - answeredAfter) * minuteMs,
  answeredBy: answeredAfter === null ? null : 'link',
  suspect: null,
  source: null,
  ...changed,
})
const repeat = (count: number, make: (at: number) => PromiseRecord) =>
  Array.from({ length: count }, (_, at) => make(at))

it('counts what was kept, missed, is open, and leaves suspect leads out', () => {
  const report = compute([
    came(600, 1),
    came(590, 3, { answeredBy: 'airtable' }),
    came(580, 10),
    came(570, 10.01),
    came(560, null),
    came(5, null),
    came(4, 2),
    came(500, null, { suspect: 'trap' }),
    came(500, 1, { suspect: 'haste' }),
  ])
  expect(report).toMatchObject({
    leads: 7,
    suspect: 2,
    kept: 4,
    missed: 2,
    open: 1,
    neverAnswered: 1,
    answeredInAirtable: 1,
    share: 4 / 6,
    medianMs: 3 * minuteMs,
    byMinute: [0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1],
  })
  expect(report.byHour.reduce((sum, { kept, missed }) => sum + kept + missed, 0)).toBe(6)
})

it('puts hours and days into the owner’s time zone', () => {
  // 03:30 in London is 21:30 of the day before in Chicago.
  const at = Date.parse('2026-11-10T03:30:00Z')
  const report = compute([came((now - at) / minuteMs, 0)])
  expect(report.byHour[21]).toEqual({ kept: 1, missed: 0 })
  expect(report.byDay).toEqual([{ day: '2026-11-09', kept: 1, missed: 0 }])
})

it('tells where leads came from and how each fared, the most fruitful first', () => {
  const google = { source: 'utm_source=google&utm_medium=cpc' }
  const { bySource } = compute([
    came(600, 1, google),
    came(590, 20, google),
    came(5, null, google),
    came(580, 1, { source: '' }),
    came(570, null),
    came(500, 1, { ...google, suspect: 'trap' }),
  ])
  expect(bySource).toEqual([
    { source: 'Google Ads', leads: 3, kept: 1, missed: 1, share: 0.5 },
    { source: 'Direct', leads: 1, kept: 1, missed: 0, share: 1 },
    { source: 'Not known', leads: 1, kept: 0, missed: 1, share: 0 },
  ])
})

it('gathers what is beyond a dozen sources, so that nobody can fill the report', () => {
  const records = repeat(40, (at) => came(600 + at, 1, { source: `utm_source=s${at}` }))
  const { bySource } = compute([...records, came(700, 1, { source: '' })])
  expect(bySource).toHaveLength(12)
  expect(bySource.at(-1)).toMatchObject({ source: '30 others', leads: 30 })
  expect(bySource.reduce((sum, { leads }) => sum + leads, 0)).toBe(41)
})

it('tells how long each channel took', () => {
  const email = { channel: 'email', createdAt: now }
  const sent = [100, 200, 300, 5_000].map((ms) => ({ ...email, settledAt: now + ms }))
  const waiting = { channel: 'sms', createdAt: now, settledAt: null }
  expect(compute([], [...sent, waiting]).channels).toEqual([
    { channel: 'email', sent: 4, waiting: 0, within2s: 0.75, medianMs: 200, p95Ms: 5_000 },
    { channel: 'sms', sent: 0, waiting: 1, within2s: null, medianMs: null, p95Ms: null },
  ])
})

it('has no figures where there is nothing', () => {
  const report = compute([])
  expect(report).toMatchObject({ leads: 0, share: null, medianMs: null })
  expect(findPercentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9)).toBe(9)
})

it.each([
  ['2026-11-01', 'America/Chicago', '2026-11-01T05:00:00Z'],
  ['2026-11-02', 'America/Chicago', '2026-11-02T06:00:00Z'],
  ['2026-06-01', 'Asia/Kolkata', '2026-05-31T18:30:00Z'],
  ['2026-02-30', 'UTC', undefined],
  ['yesterday', 'UTC', undefined],
])('finds midnight of %s in %s, also when the clocks change', (day, timeZone, utc) => {
  expect(findMidnight(day, timeZone)).toBe(utc && Date.parse(utc))
})

it('says times shortly', () => {
  const said = [850, 42_000, 139_000, 7_500_000, null].map(formatTook)
  expect(said).toEqual(['0.8 s', '42 s', '2 min 19 s', '2 h 5 min', '–'])
})
