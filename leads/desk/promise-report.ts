import { kindOf } from '../delivery/receivers.ts'
import { promiseMs } from '../lead.ts'
import { describeSource } from '../source.ts'
import type { HandOver, PromiseRecord } from '../store/reading.ts'

export type PromiseReport = ReturnType<typeof computeReport>

export function computeReport(
  records: readonly PromiseRecord[],
  handOvers: readonly HandOver[],
  { from, to, now, timeZone }: { from: number; to: number; now: number; timeZone: string },
) {
  // Suspect leads are promised nothing.
  const promised = records.filter(({ suspect }) => suspect === null)
  const decided = promised.filter((record) => judge(record, now) !== 'open')
  const tookMs = sortSpans(decided.map(({ receivedAt, answeredAt }) => [receivedAt, answeredAt]))
  const countOutcomes = (some: readonly PromiseRecord[] = []) => {
    const { kept, missed } = tally(some, now)
    return { kept, missed }
  }
  const hour = new Intl.DateTimeFormat('en-US', { hour: 'numeric', hourCycle: 'h23', timeZone })
  const hours = Map.groupBy(decided, ({ receivedAt }) => Number(hour.format(receivedAt)))
  const day = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeZone })
  const days = Map.groupBy(decided, ({ receivedAt }) => day.format(receivedAt))
  const minutes = Map.groupBy(decided, findMinute)
  return {
    from,
    to,
    timeZone,
    ...tally(promised, now),
    suspect: records.length - promised.length,
    /** Not answered, and their ten minutes are not over. */
    open: promised.length - decided.length,
    /** Missed, and no answer is known to this day. */
    neverAnswered: decided.filter(({ answeredAt }) => answeredAt === null).length,
    /** Seen in Airtable: answered at that time or somewhat earlier. */
    answeredInAirtable: decided.filter(({ answeredBy }) => answeredBy === 'airtable').length,
    medianMs: findPercentile(tookMs, 0.5),
    p90Ms: findPercentile(tookMs, 0.9),
    byHour: Array.from({ length: 24 }, (_, at) => countOutcomes(hours.get(at))),
    byDay: [...days]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([name, some]) => ({ day: name, ...countOutcomes(some) })),
    /** How many were answered within the first minute, the second, … the tenth, later, never. */
    byMinute: Array.from({ length: 12 }, (_, at) => minutes.get(at)?.length ?? 0),
    bySource: tallySources(promised, now),
    channels: computeLags(handOvers),
  }
}

function judge({ receivedAt, answeredAt }: PromiseRecord, now: number) {
  if (answeredAt === null) return now < receivedAt + promiseMs ? 'open' : 'missed'
  return answeredAt - receivedAt <= promiseMs ? 'kept' : 'missed'
}

/** `leads` are kept, missed and still open ones. */
function tally(records: readonly PromiseRecord[], now: number) {
  const kept = records.filter((record) => judge(record, now) === 'kept').length
  const missed = records.filter((record) => judge(record, now) === 'missed').length
  return { leads: records.length, kept, missed, share: findShare(kept, kept + missed) }
}

const findShare = (some: number, all: number) => (all > 0 ? some / all : null)

// A stranger can write any campaign into a link: they must not fill the report.
const mostSources = 12

/** Where the leads came from, the most fruitful first. */
function tallySources(records: readonly PromiseRecord[], now: number) {
  const groups = [...Map.groupBy(records, ({ source }) => describeSource(source))].sort(
    ([a, as], [b, bs]) => bs.length - as.length || a.localeCompare(b),
  )
  const shown = groups.length > mostSources ? mostSources - 1 : mostSources
  const others = groups.slice(shown).flatMap(([, some]) => some)
  if (others.length > 0)
    groups.splice(shown, groups.length, [`${groups.length - shown} others`, others])
  return groups.map(([source, some]) => ({ source, ...tally(some, now) }))
}

const later = 10
const never = 11
function findMinute({ receivedAt, answeredAt }: PromiseRecord): number {
  if (answeredAt === null) return never
  const ms = answeredAt - receivedAt
  return ms > promiseMs ? later : Math.min(9, Math.max(0, Math.floor(ms / 60_000)))
}

/** How long each span took that is over, the shortest first. */
const sortSpans = (spans: readonly [from: number, to: number | null][]): number[] =>
  spans.flatMap(([from, to]) => (to === null ? [] : [to - from])).sort((a, b) => a - b)

/** The nearest rank: a time that was really taken, not one between two. */
export function findPercentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null
}

function computeLags(handOvers: readonly HandOver[]) {
  return [...Map.groupBy(handOvers, ({ channel }) => kindOf(channel))]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([channel, all]) => {
      const lags = sortSpans(all.map(({ createdAt, settledAt }) => [createdAt, settledAt]))
      return {
        channel,
        sent: lags.length,
        waiting: all.length - lags.length,
        within2s: findShare(lags.filter((ms) => ms <= 2_000).length, lags.length),
        medianMs: findPercentile(lags, 0.5),
        p95Ms: findPercentile(lags, 0.95),
      }
    })
}

const dayMs = 86_400_000

/** When a day, or the one some days later, begins in a time zone; undefined when there is no such day. */
export function findMidnight(day: string, timeZone: string, daysLater = 0): number | undefined {
  const given = Date.parse(`${day}T00:00:00Z`)
  if (Number.isNaN(given) || !new Date(given).toISOString().startsWith(`${day}T`)) return undefined
  const utc = given + daysLater * dayMs
  const style = { dateStyle: 'short', timeStyle: 'medium', timeZone } as const
  const clock = new Intl.DateTimeFormat('sv-SE', style)
  const findOffsetMs = (at: number) => Date.parse(`${clock.format(at).replace(' ', 'T')}Z`) - at
  // Twice, because the first look may be on the other side of a change of the clocks.
  return utc - findOffsetMs(utc - findOffsetMs(utc))
}
