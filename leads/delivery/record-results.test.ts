import { expect, it } from 'vitest'
import { promiseFrom, testTime as start, storedJane } from '#testing/saved-leads.ts'
import type { ClaimedLead } from '../store/claims.ts'
import { hourMs, minuteMs } from '../time-units.ts'
import { computeRetryMs, decideReport, decideResults } from './record-results.ts'

const claim = (id: string, attempts = 1): ClaimedLead => ({
  lead: { ...storedJane, id },
  reason: 'received',
  attempts,
  revision: 3,
  dueAt: start,
  messageId: 'message',
})
const delivery = (leadId: string) => ({ leadId, reason: 'received' as const, revision: 3 })

it.each([
  [{ lateMs: 0, isAlert: false }, [5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900]],
  [{ lateMs: 0, isAlert: true }, [5, 10, 20, 30, 30, 30]],
  [{ lateMs: 20 * minuteMs, isAlert: true }, [5, 10, 20, 40]],
])('doubles the delay up to a maximum: %j', (given, seconds) => {
  const delays = seconds.map((_, at) => computeRetryMs({ ...given, attempts: at + 1 }, () => 1))
  expect(delays.map((ms) => ms / 1000)).toEqual(seconds)
  const attempts = 5_000
  expect(computeRetryMs({ lateMs: 0, isAlert: false, attempts }, () => 1)).toBe(900_000)
})

it('adds jitter to the second half of the delay', () => {
  expect(computeRetryMs({ lateMs: 0, isAlert: false, attempts: 1 }, () => 0)).toBe(2_500)
})

it('retries alerts often for 20 minutes after the request and after we open, then rarely', () => {
  const promise = promiseFrom(start + 8 * hourMs)
  const { deadlineAt } = promise
  const findRetryMs = (now: number) => {
    const claimed = { ...claim('a', 9), lead: { ...storedJane, ...promise } }
    const options = { now, random: () => 1, isAlert: true }
    const [result] = decideResults([claimed], [{ ok: false, error: '' }], options)
    return result && !result.ok && (result.nextAttemptAt ?? 0) - now
  }
  expect(findRetryMs(deadlineAt - 60_000)).toBe(30_000)
  expect(findRetryMs(deadlineAt + 10 * minuteMs)).toBe(900_000)
  expect(findRetryMs(start + 60_000)).toBe(30_000)
  expect(findRetryMs(start + 20 * minuteMs)).toBe(900_000)
})

it('retries a reminder of a planned call as often as the alert about a new lead', () => {
  const dueAt = start + 24 * hourMs
  const options = { now: dueAt + 10 * minuteMs, random: () => 1, isAlert: true }
  const [result] = decideResults([{ ...claim('a', 9), dueAt }], [{ ok: false, error: '' }], options)
  expect(result).toMatchObject({ nextAttemptAt: options.now + 30_000 })
})

it('retries a refused delivery, and one for which the channel returns no result', () => {
  const claimed = [claim('a'), claim('b'), claim('c', 2)]
  const refused = { ok: false as const, error: 'x', refused: true }
  const options = { now: start, random: () => 1, isAlert: false }
  const error = 'The channel returned no result.'
  expect(decideResults(claimed, [{ ok: true }, refused], options)).toEqual([
    { ...delivery('a'), attempts: 1, ok: true },
    { ...delivery('b'), attempts: 1, ...refused, nextAttemptAt: start + 5_000 },
    { ...delivery('c'), attempts: 2, ok: false, error, nextAttemptAt: start + 10_000 },
  ])
})

it('does not count an undeliverable message as sent, as an outage, or as the end of one', () => {
  const options = { now: start, random: () => 1, isAlert: true }
  const gone = { ok: false as const, error: 'gone', isUndeliverable: true }
  const decided = decideResults([claim('a')], [gone], options)
  expect(decided).toEqual([
    { ...delivery('a'), attempts: 1, ok: false, error: 'gone', nextAttemptAt: null },
  ])
  expect(decideReport(decided)).toEqual({
    sent: [],
    undeliverable: decided,
    outages: [],
    delayed: [],
  })
})
