import { describe, expect, it } from 'vitest'
import type { PromiseRecord } from '#leads/store/reading.ts'
import { computeReport, findMidnight, findPercentile } from './promise-report.ts'
import { formatReportHtml } from './promise-report-html.ts'
import { formatReport, formatTook } from './promise-report-text.ts'
import { measureText } from './terminal.ts'

const minuteMs = 60_000
const now = Date.parse('2026-11-15T18:00:00Z')
const from = now - 30 * 86_400_000
const period = { from, to: now, now, timeZone: 'America/Chicago' }

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

describe('the figures', () => {
  it('count what was kept, missed, is open, and leave suspect leads out', () => {
    const report = computeReport(
      [
        came(600, 1),
        came(590, 3, { answeredBy: 'airtable' }),
        came(580, 10),
        came(570, 10.01),
        came(560, null),
        came(5, null),
        came(4, 2),
        came(500, null, { suspect: 'trap' }),
        came(500, 1, { suspect: 'haste' }),
      ],
      [],
      period,
    )
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
    })
    expect(report.byMinute).toEqual([0, 1, 1, 1, 0, 0, 0, 0, 0, 1, 1, 1])
    const all = report.byHour.reduce((sum, { kept, missed }) => sum + kept + missed, 0)
    expect(all).toBe(6)
  })

  it('put hours and days into the owner’s time zone', () => {
    // 03:30 in London is 21:30 of the day before in Chicago.
    const at = Date.parse('2026-11-10T03:30:00Z')
    const record = {
      receivedAt: at,
      answeredAt: at,
      answeredBy: 'link' as const,
      suspect: null,
      source: null,
    }
    const report = computeReport([record], [], period)
    expect(report.byHour[21]).toEqual({ kept: 1, missed: 0 })
    expect(report.byDay).toEqual([{ day: '2026-11-09', kept: 1, missed: 0 }])
  })

  it('tell where leads came from and how each fared, the most fruitful first', () => {
    const google = { source: 'utm_source=google&utm_medium=cpc' }
    const records = [
      came(600, 1, google),
      came(590, 20, google),
      came(5, null, google),
      came(580, 1, { source: '' }),
      came(570, null),
      came(500, 1, { ...google, suspect: 'trap' }),
    ]
    expect(computeReport(records, [], period).bySource).toEqual([
      { source: 'Google Ads', leads: 3, kept: 1, missed: 1, share: 0.5 },
      { source: 'Direct', leads: 1, kept: 1, missed: 0, share: 1 },
      { source: 'Not known', leads: 1, kept: 0, missed: 1, share: 0 },
    ])
  })

  it('gather what is beyond a dozen sources, so that nobody can fill the report', () => {
    const records = Array.from({ length: 40 }, (_, at) =>
      came(600 + at, 1, { source: `utm_source=s${at}` }),
    )
    const { bySource } = computeReport([...records, came(700, 1, { source: '' })], [], period)
    expect(bySource).toHaveLength(12)
    expect(bySource.at(-1)).toMatchObject({ source: '30 others', leads: 30 })
    expect(bySource.reduce((sum, { leads }) => sum + leads, 0)).toBe(41)
  })

  it('tell how long each channel took', () => {
    const handOvers = [100, 200, 300, 5_000].map((ms) => ({
      channel: 'email',
      createdAt: now,
      settledAt: now + ms,
    }))
    const waiting = { channel: 'sms', createdAt: now, settledAt: null }
    expect(computeReport([], [...handOvers, waiting], period).channels).toEqual([
      { channel: 'email', sent: 4, waiting: 0, within2s: 0.75, medianMs: 200, p95Ms: 5_000 },
      { channel: 'sms', sent: 0, waiting: 1, within2s: null, medianMs: null, p95Ms: null },
    ])
  })

  it('are none where there is nothing', () => {
    expect(computeReport([], [], period)).toMatchObject({ leads: 0, share: null, medianMs: null })
    expect(findPercentile([], 0.9)).toBeNull()
    expect(findPercentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9)).toBe(9)
  })
})

describe('in the terminal', () => {
  it('the whole keeps to 80 columns', () => {
    const source = `utm_source=${'x'.repeat(100)}&utm_campaign=${'y'.repeat(100)}`
    const records = Array.from({ length: 300 }, (_, at) => came(20 + at * 97, at % 14, { source }))
    const text = formatReport(computeReport(records, [], period), 80)
    expect(Math.max(...text.split('\n').map(measureText))).toBeLessThanOrEqual(80)
    expect(text).toContain('Leads                        300')
    expect(text).toMatch(/Answered within 10 minutes {3}\d+ \(\d\d\.\d %\)/)
  })

  it('one missed lead among many is seen in the plot', () => {
    const noon = Date.parse('2026-11-14T18:10:00Z')
    const at = (answeredAt: number | null): PromiseRecord => ({
      receivedAt: noon,
      answeredAt,
      answeredBy: 'link',
      suspect: null,
      source: null,
    })
    const text = formatReport(
      computeReport([...Array.from({ length: 200 }, () => at(noon)), at(null)], [], period),
    )
    expect(text.split('By hour')[1]?.split('missed\n')[1]).toContain('░░')
  })

  it('an empty time says so', () => {
    expect(formatReport(computeReport([], [], period))).toContain('No leads in this time.')
  })
})

describe('as a page', () => {
  it('needs nothing else and runs nothing', () => {
    const source = 'utm_source=%3Cscript%3E'
    const records = Array.from({ length: 90 }, (_, at) => came(20 + at * 470, at % 13, { source }))
    const page = formatReportHtml(
      computeReport(
        records,
        [{ channel: '<b>email', createdAt: now, settledAt: now + 100 }],
        period,
      ),
    )
    expect(page).toMatch(/<svg/)
    expect(page).toContain('&lt;b&gt;email')
    expect(page).toContain('&lt;script&gt;')
    expect(page).not.toMatch(/<script|src=|<link|url\(|NaN|undefined|Infinity/)
  })

  it('stands with nothing to show, and with years', () => {
    expect(formatReportHtml(computeReport([], [], period))).toContain('No lead of this time')
    const years = Array.from({ length: 50 }, (_, at) => came(20 + at * 40_000, 1))
    const page = formatReportHtml(computeReport(years, [], { ...period, from: 0 }))
    expect(/By \d+ days/.test(page)).toBe(true)
    expect(/NaN|undefined/.test(page)).toBe(false)
  })
})

it('finds midnight in every time zone, also when the clocks change', () => {
  expect(findMidnight('2026-11-01', 'America/Chicago')).toBe(Date.parse('2026-11-01T05:00:00Z'))
  expect(findMidnight('2026-11-02', 'America/Chicago')).toBe(Date.parse('2026-11-02T06:00:00Z'))
  expect(findMidnight('2026-06-01', 'Asia/Kolkata')).toBe(Date.parse('2026-05-31T18:30:00Z'))
  expect(findMidnight('2026-02-30', 'UTC')).toBeUndefined()
  expect(findMidnight('yesterday', 'UTC')).toBeUndefined()
})

it('says times shortly', () => {
  expect([850, 42_000, 139_000, 7_500_000, null].map(formatTook)).toEqual([
    '0.8 s',
    '42 s',
    '2 min 19 s',
    '2 h 5 min',
    '–',
  ])
})
