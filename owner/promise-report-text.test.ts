import { expect, it } from 'vitest'
import { computeReport } from '#leads/desk/promise-report.ts'
import { formatReport } from './promise-report-text.ts'
import { measureText } from './terminal.ts'

const now = Date.parse('2026-11-15T18:00:00Z')
const period = { from: now - 30 * 86_400_000, to: now, now, timeZone: 'America/Chicago' }

const repeat = (count: number, minutes: (at: number) => [ago: number, took: number | null]) =>
  Array.from({ length: count }, (_, at) => {
    const [ago, took] = minutes(at)
    const receivedAt = now - ago * 60_000
    const answeredAt = took === null ? null : receivedAt + took * 60_000
    const source = `utm_source=${'x'.repeat(100)}&utm_campaign=${'y'.repeat(100)}`
    return { receivedAt, answeredAt, answeredBy: 'link' as const, suspect: null, source }
  })

it('says when there is nothing', () => {
  expect(formatReport(computeReport([], [], period))).toContain('No leads in this time.')
})

it('keeps to 80 columns in the terminal', () => {
  const records = repeat(300, (at) => [20 + at * 97, at % 14])
  const text = formatReport(computeReport(records, [], period), 80)
  expect(Math.max(...text.split('\n').map(measureText))).toBeLessThanOrEqual(80)
  expect(text).toContain('Leads                        300')
  expect(text).toMatch(/Answered within 10 minutes {3}\d+ \(\d\d\.\d %\)/)
})

it('shows one missed lead among many in the plot', () => {
  const records = [...repeat(200, () => [1_430, 0]), ...repeat(1, () => [1_430, null])]
  const text = formatReport(computeReport(records, [], period))
  expect(text.split('By hour')[1]?.split('missed\n')[1]).toContain('░░')
})
