import { confirmsArrival, findChannel } from '../channels/channels.ts'
import { formatDay } from '../clock.ts'
import type { CallPromise } from '../deadline.ts'
import { type HistoryEvent, mapUndone } from '../history.ts'
import { describeSource } from '../source.ts'
import type { StoredEvent } from '../store/append-event.ts'
import type { DeliveryTime, PromiseRecord } from '../store/reading.ts'
import type { DeliveryState } from '../store/tables.ts'

const minuteMs = 60_000

export type PromiseReport = ReturnType<typeof computeReport> & {
  /** Requests whose homeowner had asked within the week before. */
  repeats?: number
}

export function computeReport(
  records: readonly PromiseRecord[],
  deliveryTimes: readonly DeliveryTime[],
  events: readonly StoredEvent[],
  { from, to, now, timeZone }: { from: number; to: number; now: number; timeZone: string },
) {
  const promised = records.flatMap((record) => {
    const { promiseStartAt, deadlineAt } = record
    if (promiseStartAt === null || deadlineAt === null) return []
    return [{ ...record, promiseStartAt, deadlineAt }]
  })
  const promises = promised.map((lead) => (lead.deadlineAt - lead.promiseStartAt) / minuteMs)
  // Spreading 130,000 arguments would exceed the stack.
  const longest = promises.reduce((a, b) => Math.max(a, b), 0)
  const decided = promised.filter((record) => judge(record, now) !== 'open')
  const tookMs = sortSpans(
    decided.map(({ promiseStartAt, calledAt }) => [promiseStartAt, calledAt]),
  )
  const countOutcomes = (some: readonly PromisedLead[] | undefined) => {
    const { kept, missed } = tally(some, now)
    return { kept, missed }
  }
  const hour = new Intl.DateTimeFormat('en-US', { hour: 'numeric', hourCycle: 'h23', timeZone })
  const hours = Map.groupBy(decided, ({ receivedAt }) => Number(hour.format(receivedAt)))
  const days = Map.groupBy(decided, ({ receivedAt }) => formatDay(receivedAt, timeZone))
  const kept = decided.filter((record) => judge(record, now) === 'kept')
  const minutes = Map.groupBy(kept, computeMinute)
  return {
    from,
    to,
    timeZone,
    /** Null if the promise changed during the period. */
    promiseMinutes: promises.every((one) => one === longest) ? longest : null,
    ...tally(promised, now),
    suspect: records.length - promised.length,
    /** Not called, but the deadline has not passed. */
    open: promised.length - decided.length,
    /** Missed and still not called. */
    uncalled: decided.filter(({ calledAt }) => calledAt === null).length,
    /** We read Airtable from time to time, so these may have been called earlier than recorded. */
    calledInAirtable: decided.filter(({ calledVia }) => calledVia === 'airtable').length,
    medianMs: computePercentile(tookMs, 0.5),
    p90Ms: computePercentile(tookMs, 0.9),
    byHour: Array.from({ length: 24 }, (_, at) => countOutcomes(hours.get(at))),
    byDay: [...days]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, some]) => ({ day: name, ...countOutcomes(some) })),
    /** Counts of leads called on time, for each minute of the promise. */
    byMinute: Array.from({ length: longest }, (_, at) => minutes.get(at)?.length ?? 0),
    bySource: tallySources(promised, now),
    byShift: tallyShifts(promised, now),
    byPerson: countCalls(events),
    channels: computeLags(deliveryTimes),
  }
}

/** Suspected spam has no deadline. */
type PromisedLead = PromiseRecord & CallPromise

function judge({ deadlineAt, calledAt }: PromisedLead, now: number) {
  if (calledAt === null) return now < deadlineAt ? 'open' : 'missed'
  return calledAt <= deadlineAt ? 'kept' : 'missed'
}

/** `leads` includes open ones. */
function tally(records: readonly PromisedLead[] = [], now: number) {
  const kept = records.filter((record) => judge(record, now) === 'kept').length
  const missed = records.filter((record) => judge(record, now) === 'missed').length
  const share = kept + missed > 0 ? kept / (kept + missed) : null
  return { leads: records.length, kept, missed, share }
}

// Anyone can make up campaigns in a link, so limit the list.
const maxSources = 12

function tallySources(records: readonly PromisedLead[], now: number) {
  const groups = [...Map.groupBy(records, ({ source }) => describeSource(source))].sort(
    ([a, as], [b, bs]) => bs.length - as.length || a.localeCompare(b),
  )
  const shown = groups.length > maxSources ? maxSources - 1 : maxSources
  const others = groups.slice(shown).flatMap(([, some]) => some)
  if (others.length > 0)
    groups.splice(shown, groups.length, [`${groups.length - shown} others`, others])
  return groups.map(([source, some]) => ({ source, ...tally(some, now) }))
}

/** If a lead comes in while the company is closed, its promise starts later than its receipt. */
function tallyShifts(records: readonly PromisedLead[], now: number) {
  const byLateStart = Map.groupBy(
    records,
    ({ receivedAt, promiseStartAt }) => promiseStartAt > receivedAt,
  )
  return {
    businessHours: tally(byLateStart.get(false), now),
    afterHours: tally(byLateStart.get(true), now),
  }
}

/** Counts each person's calls, and those without an answer. Leaves out what was undone. */
function countCalls(events: readonly StoredEvent[]) {
  const listed = [...Map.groupBy(events, ({ leadId }) => leadId).values()].flatMap(listCalls)
  // One call about several requests from a homeowner has the same ID on each of them.
  const calls = new Map(listed.map((call) => [call.id, call])).values()
  const nameCaller = ({ email, person }: HistoryEvent) => JSON.stringify([person, email])
  return [...Map.groupBy(calls, nameCaller).values()]
    .map((own) => ({
      person: own[0]?.person ?? null,
      calls: own.length,
      noAnswer: own.filter(({ kind }) => kind === 'no-answer').length,
    }))
    .sort((a, b) => b.calls - a.calls)
}

/** “I’m calling” and the result that follows are one call. */
function listCalls(events: readonly HistoryEvent[]): HistoryEvent[] {
  const undone = mapUndone(events)
  const steps = events.filter(
    ({ number, kind }) => !undone.has(number) && ['called', 'no-answer', 'done'].includes(kind),
  )
  return steps.flatMap((step, at) => {
    const isResult = step.kind !== 'called' && steps[at - 1]?.kind === 'called'
    const { kind } = step.kind === 'called' ? (steps[at + 1] ?? step) : step
    return isResult ? [] : [{ ...step, kind }]
  })
}

/** A call before the promise starts counts as its first minute, one at the deadline as its last. */
function computeMinute({ promiseStartAt, deadlineAt, calledAt }: PromisedLead): number {
  const at = Math.min(calledAt ?? deadlineAt, deadlineAt - 1)
  return Math.max(0, Math.floor((at - promiseStartAt) / minuteMs))
}

/** Returns the durations of the finished spans, shortest first. A call before we open took no time. */
const sortSpans = (spans: readonly [from: number, to: number | null][]): number[] =>
  spans.flatMap(([from, to]) => (to === null ? [] : [Math.max(0, to - from)])).sort((a, b) => a - b)

/** Uses the nearest-rank method, so the result is a measured value. */
export function computePercentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
}

function computeLags(deliveryTimes: readonly DeliveryTime[]) {
  const readLabel = ({ channel }: DeliveryTime) => findChannel(channel)?.label ?? channel
  return [...Map.groupBy(deliveryTimes, readLabel)]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([channel, all]) => {
      const count = (state: DeliveryState) => all.filter((one) => one.state === state).length
      const sent = all.filter(({ state }) => state === 'sent')
      return {
        channel,
        waiting: count('waiting'),
        failed: count('failed') + count('expired'),
        sent: measureSpans(sent.map(({ dueAt, settledAt }) => [dueAt, settledAt])),
        /** Null if the channel cannot confirm arrival. */
        arrived: all.some((one) => confirmsArrival(one.channel))
          ? measureSpans(sent.map(({ dueAt, arrivedAt }) => [dueAt, arrivedAt]))
          : null,
      }
    })
}

function measureSpans(spans: readonly [from: number, to: number | null][]) {
  const sorted = sortSpans(spans)
  return {
    count: sorted.length,
    medianMs: computePercentile(sorted, 0.5),
    p95Ms: computePercentile(sorted, 0.95),
  }
}
