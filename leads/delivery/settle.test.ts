import { describe, expect, it } from 'vitest'
import { testTime as start, storedJane } from '#testing/saved-leads.ts'
import type { ClaimedLead, Outcome } from '../channel.ts'
import { computeRetryMs, decideReport, decideSettlements, type Settled } from './settle.ts'

const claim = (id: string, attempts = 1): ClaimedLead => ({
  lead: { ...storedJane, id },
  occasion: 'received',
  attempts,
})
const delivery = (leadId: string) => ({ leadId, occasion: 'received' as const })
const decide = (claimed: ClaimedLead[], outcomes: Outcome[]) =>
  decideSettlements(claimed, outcomes, { now: start, random: () => 1 })

it.each([
  [{ ageMs: 0 }, [5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900]],
  [{ ageMs: 0, urgent: true }, [5, 10, 20, 30, 30, 30]],
  [{ ageMs: 20 * 60_000, urgent: true }, [5, 10, 20, 40]],
])('retries forever, ever less often: %j', (given, seconds) => {
  const delays = seconds.map((_, at) => computeRetryMs({ ...given, attempts: at + 1 }, () => 1))
  expect(delays.map((ms) => ms / 1000)).toEqual(seconds)
  expect(computeRetryMs({ ageMs: 0, attempts: 5_000 }, () => 1)).toBe(900_000)
})

it('spreads retries over the second half of the delay', () => {
  expect(computeRetryMs({ ageMs: 0, attempts: 1 }, () => 0)).toBe(2_500)
})

it('puts off what the channel says nothing about, and takes its word for no other occasion', () => {
  const settled = decide(
    [claim('a'), claim('c', 2)],
    [
      { ...delivery('a'), occasion: 'answered', ok: false, error: 'x' },
      { ...delivery('a'), ok: true },
    ],
  )
  const error = 'the channel reported nothing about this lead'
  expect(settled).toEqual([
    { ...delivery('a'), attempts: 1, ok: true },
    { ...delivery('c'), attempts: 2, ok: false, error, nextAttemptAt: start + 10_000 },
  ])
})

describe('the log hears', () => {
  const sent: Settled = { ...delivery('sent'), attempts: 1, ok: true }
  const failed = { ...delivery('failed'), attempts: 1, ok: false, error: 'x', nextAttemptAt: 0 }
  const refused = { ...failed, leadId: 'refused', refused: true }
  it.each<[string, object[], object]>([
    ['of an outage when nobody got through', [failed, failed], { outages: [failed, failed] }],
    ['of one lead when others got through', [sent, failed], { putOff: [failed] }],
    ['of one lead when it is refused', [refused], { putOff: [refused] }],
    ['of both', [failed, refused], { outages: [failed], putOff: [refused] }],
    ['of a lead once', [sent, { ...refused, attempts: 2 }], {}],
  ])('%s', (_, settled, report) => {
    const delivered = settled.includes(sent) ? ['sent'] : []
    const expected = { delivered, outages: [], putOff: [], ...report }
    expect(decideReport(settled as Settled[])).toEqual(expected)
  })
})
