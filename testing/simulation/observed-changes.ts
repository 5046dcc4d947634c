import { sql } from 'kysely'
import { type EventKind, events } from '#leads/history.ts'
import { type BusinessHours, computeNextStart, computeOpening } from '#leads/hours.ts'
import { isClosed, needsCall, plansCall, readNeed } from '#leads/lead-state.ts'
import { describeSale } from '#leads/sale.ts'
import { listStatuses, statuses } from '#leads/statuses.ts'
import type { Database } from '#leads/store/tables.ts'
import { hourMs, minuteMs } from '#leads/time-units.ts'
import type { Shown } from './crew.ts'
import { readNumber } from './people.ts'
import type { World } from './world.ts'

export type SeenLead = Shown & {
  id: string
  name: string
  phone: string
  address: string
  suspect: string | null
  calledVia: string | null
  /** How many planned steps the lead has. */
  steps: number
  searchText: string
  phoneKey: string | null
  emailKey: string | null
}

/** The processes' clock may jump, so compare `trueAt` to find what came first. */
type Change = {
  before: SeenLead
  after: SeenLead
  /** The events recorded in between. */
  kinds: readonly EventKind[]
  at: number
  trueAt: number
}

// Omits digests to phones that were removed.
const isDigest = sql`digest_from is not null and (
  name like 'digest-email-%' or substr(name, 13) in (select substr(id, 1, 8) from push_devices))`

export type History = ReturnType<typeof createHistory>

/** Records how each lead changes. */
export function createHistory(world: World, { kysely }: Database, hours: BusinessHours) {
  const leads = new Map<string, SeenLead>()
  const changes: Change[] = []
  /** When each event was first seen, keyed by the lead's ID and the event's ID. */
  const storedAt = new Map<string, number>()
  const erased: { lead: SeenLead }[] = []
  const leftOpen: { called: SeenLead; open: SeenLead }[] = []
  const misplanned: SeenLead[] = []
  /** All phone numbers that each lead has had, because the crew may correct them. */
  const numbers = new Map<string, Set<string>>()
  let version = 1
  let leadsVersion = 1
  let seenVersion = 0
  let next = { version: 0, readAt: 0, at: 0 }
  // Compile this query once, because it runs after each change.
  const selectLeads = kysely
    .selectFrom('leads')
    .select(['id', 'name', 'phone', 'address', 'suspect', 'status', 'calledAt', 'version'])
    .select('calledVia')
    .select(['attempts', 'callAgainAt', 'saleDetails', 'searchText', 'phoneKey', 'emailKey'])
    .select(({ selectFrom }) =>
      selectFrom('deliveries')
        .select(({ fn }) => fn.countAll().as('count'))
        .whereRef('leadId', '=', 'leads.id')
        .where('isMessage', '=', 0)
        .as('steps'),
    )
    .compile()
  const selectEvents = kysely.selectFrom('leadEvents').select(['leadId', 'id', 'kind']).compile()

  async function readNextDueAt(): Promise<number> {
    const { rows } = await sql<{ at: number | null }>`
      select min(at) as at from (
        select next_attempt_at as at from deliveries where state in ('waiting', 'asking')
        union all select until from recipients where until > ${world.now()}
        union all select not_before from recipients where not_before > ${world.now()}
      ) as times`.execute(kysely)
    return Math.min(
      rows[0]?.at ?? Number.POSITIVE_INFINITY,
      ...(await listDigests()).map(({ at }) => at),
    )
  }

  /** Returns when each recipient's next digest starts, and when it may be sent or retried. */
  async function listDigests(): Promise<{ startsAt: number; at: number }[]> {
    const { rows } = await sql<{ digestFrom: number; notBefore: number }>`
      select digest_from, not_before from recipients where ${isDigest}`.execute(kysely)
    return rows.map(({ digestFrom, notBefore }) => {
      const after = Math.max(digestFrom - 1, world.now() - 4 * hourMs)
      const startsAt = computeNextStart(after, hours)
      return { startsAt, at: Math.max(notBefore, startsAt) }
    })
  }

  return {
    leads,
    readLeads: async () => (await kysely.executeQuery<SeenLead>(selectLeads)).rows,
    changes,
    /** Returns true if the lead has been open the whole time. */
    isUntouched: (leadId: string): boolean =>
      leads.get(leadId)?.status === 'open' && !changes.some(({ after }) => after.id === leadId),
    listReversals: () => changes.filter(isReversal),
    /** Counts how often reminders started over: after an Undo, or because the next call was planned or moved. */
    countRestarts: (leadId: string) =>
      changes
        .filter(({ after }) => after.id === leadId)
        .filter(
          (change) =>
            isReversal(change) ||
            isMoved(change.before, change.after) ||
            change.kinds.some(endsCall),
        ).length,
    storedAt,
    erased,
    /** Requests that a call to the same number left open. */
    leftOpen,
    /** Leads with a different number of steps than their status needs. */
    misplanned,
    sharesNumber: (leadId: string, otherId: string): boolean =>
      [...(numbers.get(leadId) ?? [])].some((one) => numbers.get(otherId)?.has(one)),
    /** Changes with each write to the database. */
    findVersion: () => version,
    noteWrite(isLead: boolean) {
      version += 1
      if (isLead) leadsVersion += 1
    },
    /** Returns when the next delivery, check, reminder, or digest is due, or the next lease ends. */
    async findNextDueAt(): Promise<number> {
      const readAt = world.now()
      // After this time, read again: it may have been the end of a lease, which changes nothing in the database.
      const isOver = next.readAt < next.at && next.at <= readAt
      if (isOver || next.version !== version) next = { version, readAt, at: await readNextDueAt() }
      return next.at
    },
    /**
     * Returns true if anything is due. Ignores the month after the last reminder about a first call, when the site only
     * reads Airtable.
     */
    async hasDue(): Promise<boolean> {
      const { rows } = await sql`
        select 1 from deliveries left join leads on leads.id = lead_id
        where state in ('waiting', 'asking') and (is_message = 1 or status in (${sql.join(listStatuses('next-call', 'result'))}))`.execute(
        kysely,
      )
      if (rows.length > 0) return true
      if ((await listDigests()).some(({ startsAt }) => startsAt <= world.now())) return true
      const open = await kysely
        .selectFrom('deliveries')
        .innerJoin('leads', 'leads.id', 'leadId')
        .select(['dueAt as at', 'deadlineAt', 'changedAt as reopenedAt'])
        .where('isMessage', '=', 0)
        .execute()
      return open.some(({ at, deadlineAt, reopenedAt }) => {
        const restartedAt = reopenedAt === null ? 0 : computeOpening(reopenedAt, hours)
        return at <= Math.max(deadlineAt ?? 0, restartedAt + 10 * minuteMs)
      })
    },
    async observe(): Promise<void> {
      if (seenVersion === leadsVersion) return
      seenVersion = leadsVersion
      const { rows: found } = await kysely.executeQuery<SeenLead>(selectLeads)
      const seen = new Map(leads)
      const { rows: stored } = await kysely.executeQuery(selectEvents)
      const added = stored.filter(({ leadId, id }) => !storedAt.has(`${leadId} ${id}`))
      for (const { leadId, id } of added) storedAt.set(`${leadId} ${id}`, world.trueNow())
      const listKinds = (lead: SeenLead) =>
        added.flatMap(({ leadId, kind }) => (leadId === lead.id ? [kind] : []))
      for (const after of found) {
        const before = leads.get(after.id)
        const changed = before ? describeChange(before, after) : 'stored'
        leads.set(after.id, after)
        // After the last reminder about its next call, a lead has no step.
        const isExact = changed || readNeed(after) !== 'next-call'
        if (isExact && after.steps !== countSteps(after)) misplanned.push(after)
        const own = numbers.get(after.id) ?? new Set()
        numbers.set(after.id, after.phone ? own.add(readNumber(after.phone)) : own)
        if (changed) world.say(`The lead of ${after.name}: ${changed}.`)
        if (before && changed)
          changes.push({
            before,
            after,
            kinds: listKinds(after),
            at: world.now(),
            trueAt: world.trueNow(),
          })
      }
      for (const called of found)
        if (isCall(seen.get(called.id), called, listKinds(called)))
          for (const open of found)
            if (isLeftOpen(seen.get(open.id), open, called) && !keepsTime(open, world.now()))
              leftOpen.push({ called, open })
      for (const lead of leads.values())
        if (!found.some(({ id }) => id === lead.id)) {
          leads.delete(lead.id)
          erased.push({ lead })
          world.say(`The lead of ${lead.name}: erased.`)
        }
    },
  }
}

/** Nobody is reminded of suspected spam until someone has called. */
function countSteps(lead: SeenLead): number {
  const need = readNeed(lead)
  return need === 'nothing' || (need === 'first-call' && lead.suspect !== null) ? 0 : 1
}

/** Returns true if someone called or tried to. Ignores a Status in Airtable, which is about only one request. */
const isCall = (before: SeenLead | undefined, after: SeenLead, kinds: readonly EventKind[]) =>
  before !== undefined &&
  needsCall(before) &&
  (readNeed(after) === 'result'
    ? kinds.some((kind) => events[kind].call === 'started')
    : readNeed(after) === 'next-call' && kinds.some(endsCall))

/** Returns true if the call is over and another one follows. */
const endsCall = (kind: EventKind) => plansCall(kind) && events[kind].becomes !== 'same'

const isLeftOpen = (before: SeenLead | undefined, after: SeenLead, called: SeenLead) =>
  before !== undefined &&
  before.version === after.version &&
  before.phone === after.phone &&
  (readNeed(after) === 'first-call' ||
    (readNeed(after) === 'next-call' && readNeed(called) === 'result')) &&
  called.phone !== '' &&
  readNumber(after.phone) === readNumber(called.phone) &&
  after.suspect === null &&
  called.suspect === null

/** Returns true if the homeowner agreed to a later time, which a call about another request does not change. */
const keepsTime = ({ status, callAgainAt }: SeenLead, now: number) =>
  status === 'agreed' && callAgainAt !== null && callAgainAt > now

const shownNames = [
  'status',
  'calledAt',
  'attempts',
  'callAgainAt',
  'saleDetails',
  'version',
] as const

export const describeChange = (before: Shown, after: Shown): string =>
  shownNames
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${before[name]} → ${after[name]}`)
    .join(', ')

/** Returns true if an outcome, a call, or an attempt was undone. */
const isReversal = ({ before, after, kinds }: Change): boolean =>
  (before.calledAt !== null && after.calledAt === null) ||
  (isClosed(before) && !isClosed(after) && !statuses[before.status].accepts) ||
  after.attempts < before.attempts ||
  (readNeed(before) === 'result' &&
    readNeed(after) === 'next-call' &&
    after.attempts === before.attempts &&
    !kinds.some(endsCall))

/** Returns true if someone moved the next call to a different time. */
const isMoved = (before: Shown, after: Shown): boolean =>
  readNeed(before) === 'next-call' &&
  readNeed(after) === 'next-call' &&
  before.attempts === after.attempts

export const describeState = ({
  status,
  calledAt,
  attempts,
  saleDetails,
}: Omit<Shown, 'callAgainAt' | 'version'>) =>
  `${describeSale({ status, saleDetails }) ?? status}, ${calledAt === null ? 'not called' : 'called'}, ${attempts} tries`
