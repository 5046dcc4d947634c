import { type Clock, formatDay } from '../clock.ts'
import { makesUrgent, parseChanges } from '../correction.ts'
import type { CallPromise } from '../deadline.ts'
import { events, type HistoryEvent } from '../history.ts'
import { mapUndone } from '../lead-state.ts'
import { readAmount, saleKinds } from '../sale.ts'
import { describeSource } from '../source.ts'
import type { StoredEvent } from '../store/find-events.ts'
import type { PromiseRecord } from '../store/find-leads.ts'
import { minuteMs } from '../time-units.ts'

export type PromiseReport = ReturnType<typeof computeReport>

export function computeReport(
  records: readonly PromiseRecord[],
  history: readonly StoredEvent[],
  { from, to, now, timeZone }: Clock & { from: number; to: number },
) {
  const promised = records.flatMap((record) => {
    const { promiseStartAt, deadlineAt } = record
    if (promiseStartAt === null || deadlineAt === null) return []
    return [{ ...record, promiseStartAt, deadlineAt }]
  })
  // `longest` ignores leads that a correction made urgent, because their countdown may start long before we open.
  const corrected = new Set(
    history
      .filter(({ kind, text }) => kind === 'corrected' && makesUrgent(parseChanges(text)))
      .map(({ leadId }) => leadId),
  )
  const longest = promised
    .filter(({ id }) => !corrected.has(id))
    .reduce((most, lead) => Math.max(most, (lead.deadlineAt - lead.promiseStartAt) / minuteMs), 0)
  const decided = promised.filter(
    ({ deadlineAt, calledAt }) => calledAt !== null || now >= deadlineAt,
  )
  // A call before we open counts as immediate.
  const tookMs = decided
    .flatMap(({ promiseStartAt, calledAt }) =>
      calledAt === null ? [] : [Math.max(0, calledAt - promiseStartAt)],
    )
    .sort((a, b) => a - b)
  const hour = new Intl.DateTimeFormat('en-US', { hour: 'numeric', hourCycle: 'h23', timeZone })
  const hours = Map.groupBy(decided, ({ receivedAt }) => Number(hour.format(receivedAt)))
  const days = Map.groupBy(decided, ({ receivedAt }) => formatDay(receivedAt, timeZone))
  const kept = decided.filter(isKept)
  const minutes = Map.groupBy(kept, (record) => computeMinute(record, longest))
  return {
    from,
    to,
    timeZone,
    ...countOutcomes(decided),
    share: decided.length > 0 ? kept.length / decided.length : null,
    suspect: records.length - promised.length,
    /** Not called yet, with a deadline that has not passed. */
    open: promised.length - decided.length,
    /** Late and still not called. */
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
    bySource: tallySources(promised, listReached(history)),
    byPerson: countCalls(history),
  }
}

/** A lead with a deadline. Suspected spam has none. */
type PromisedLead = PromiseRecord & CallPromise

const isKept = ({ deadlineAt, calledAt }: PromisedLead) =>
  calledAt !== null && calledAt <= deadlineAt

/** Counts the leads that were called on time, and all others. */
function countOutcomes(decided: readonly PromisedLead[] = []) {
  const kept = decided.filter(isKept).length
  return { kept, missed: decided.length - kept }
}

// Anyone can make up campaigns in a link, so limit the list.
const maxSources = 12

function tallySources(records: readonly PromisedLead[], reached: ReadonlySet<string>) {
  const groups = [...Map.groupBy(records, ({ source }) => describeSource(source))].sort(
    ([a, as], [b, bs]) => bs.length - as.length || a.localeCompare(b),
  )
  const shown = groups.length > maxSources ? maxSources - 1 : maxSources
  const others = groups.slice(shown).flatMap(([, some]) => some)
  if (others.length > 0)
    groups.splice(shown, groups.length, [`${groups.length - shown} others`, others])
  return groups.map(([source, some]) => ({
    source,
    leads: some.length,
    reached: some.filter(({ id }) => reached.has(id)).length,
    won: some.filter(({ status }) => status === 'won').length,
    dollars: some.reduce((sum, lead) => sum + (readAmount(lead) ?? 0), 0),
  }))
}

/** Lists the leads whose homeowner answered. A Status in Airtable does not show whether the homeowner answered. */
function listReached(history: readonly StoredEvent[]): ReadonlySet<string> {
  const reached = [...Map.groupBy(history, ({ leadId }) => leadId)].filter(([, steps]) => {
    const undone = mapUndone(steps)
    return steps.some(
      ({ number, kind }) =>
        !undone.has(number) && (events[kind].call === 'answered' || saleKinds.includes(kind)),
    )
  })
  return new Set(reached.map(([id]) => id))
}

/** Counts each person's calls, and the unanswered ones among them. Omits what was undone. */
function countCalls(history: readonly StoredEvent[]) {
  const listed = [...Map.groupBy(history, ({ leadId }) => leadId).values()].flatMap(listCalls)
  // One call about several requests from a homeowner has the same ID on each of them.
  const calls = new Map(listed.map((call) => [call.id, call])).values()
  const nameCaller = ({ email, person }: HistoryEvent) => JSON.stringify([person, email])
  return [...Map.groupBy(calls, nameCaller).values()]
    .map((own) => ({
      person: own[0]?.person ?? null,
      calls: own.length,
      noAnswer: own.filter(({ kind }) => events[kind].call === 'unanswered').length,
    }))
    .sort((a, b) => b.calls - a.calls)
}

/** “I’m calling” and the result that follows are one call. */
function listCalls(history: readonly HistoryEvent[]): HistoryEvent[] {
  const undone = mapUndone(history)
  const steps = history.filter(
    ({ number, kind }) => !undone.has(number) && events[kind].call !== null,
  )
  const isStart = (step: HistoryEvent | undefined) =>
    step !== undefined && events[step.kind].call === 'started'
  return steps.flatMap((step, at) => {
    const isResult = !isStart(step) && isStart(steps[at - 1])
    const { kind } = isStart(step) ? (steps[at + 1] ?? step) : step
    return isResult ? [] : [{ ...step, kind }]
  })
}

/**
 * Returns the minute of the promise in which someone called. An earlier call belongs to the first minute, and a call at
 * the deadline to the last.
 */
function computeMinute(
  { promiseStartAt, deadlineAt, calledAt }: PromisedLead,
  longest: number,
): number {
  const at = Math.min(calledAt ?? deadlineAt, deadlineAt - 1)
  const startAt = Math.max(promiseStartAt, deadlineAt - longest * minuteMs)
  return Math.max(0, Math.floor((at - startAt) / minuteMs))
}

/** Uses the nearest-rank method, so the result is a measured value. */
export function computePercentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
}
