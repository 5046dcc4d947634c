import { expect, test } from 'vitest'
import { computeReport } from '#leads/reports/promise-report.ts'
import { minuteMs } from '#leads/time-units.ts'
import { promiseFrom } from '#testing/saved-leads.ts'
import { describeReport, listFigures } from './report.tsx'

const now = Date.parse('2026-11-15T12:00:00Z')

const receive = (agoMs: number) => ({
  receivedAt: now - agoMs,
  ...promiseFrom(now - agoMs),
  calledAt: null,
  calledVia: null,
  source: null,
  id: '1',
  status: 'open' as const,
  saleDetails: null,
})

test('a late lead counts as missed and as not called yet', () => {
  const records = [receive(10 * minuteMs + 25_000), receive(minuteMs)]
  const report = computeReport(records, [], { from: 0, to: now, now, timeZone: 'UTC' })
  expect(listFigures(report)).toEqual([
    ['On time', '0 of 1'],
    ['Called late', 0],
  ])
  expect(report.uncalled).toBe(1)
  expect(describeReport(report)).toEqual(['1 request is not due yet.'])
})

test('a lead that is due after we open is on time until its deadline', () => {
  const night = { ...receive(60 * minuteMs), ...promiseFrom(now - 9 * minuteMs) }
  const records = [night, { ...night, calledAt: now - 2 * minuteMs }]
  const report = computeReport(records, [], { from: 0, to: now, now, timeZone: 'UTC' })
  expect(listFigures(report)).toEqual([
    ['On time', '1 of 1'],
    ['Half within', '7 min'],
    ['Called late', 0],
  ])
  expect(describeReport(report)).toEqual(['1 request is not due yet.'])
})
