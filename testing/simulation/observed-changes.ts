import { sql } from 'kysely'
import { type BusinessHours, computeOpening } from '#leads/hours.ts'
import type { Database } from '#leads/store/tables.ts'
import type { Shown } from './people.ts'
import { minuteMs, type World } from './world.ts'

type SeenLead = Shown & {
  id: string
  name: string
  address: string
  suspect: string | null
  calledVia: string | null
}

/** The clock of the processes may jump, so only `trueAt` tells what came first. */
type Change = { before: SeenLead; after: SeenLead; at: number; trueAt: number }

export type History = ReturnType<typeof createHistory>

/** Records how each lead changes. */
export function createHistory(world: World, { kysely }: Database, hours: BusinessHours) {
  const leads = new Map<string, SeenLead>()
  const changes: Change[] = []
  /** When each event was first seen, by the IDs of its lead and its own. */
  const storedAt = new Map<string, number>()
  const erased: { lead: SeenLead }[] = []
  const leftOpen: { called: SeenLead; open: SeenLead }[] = []
  let version = 1
  let leadsVersion = 1
  let seenVersion = 0
  let next = { version: 0, readAt: 0, at: 0 }
  // Compile this query once, because it runs after each change.
  const selectLeads = kysely
    .selectFrom('leads')
    .select(['id', 'name', 'address', 'suspect', 'status', 'called_at as calledAt', 'version'])
    .select('called_via as calledVia')
    .select(['call_attempts as attempts', 'call_again_at as callAgainAt'])
    .compile()
  const selectEvents = kysely.selectFrom('lead_events').select(['lead_id', 'id']).compile()

  async function readNextDueAt(): Promise<number> {
    const { rows } = await sql<{ at: number | null }>`
      select min(at) as at from (
        select case when leased_until > next_attempt_at then leased_until else next_attempt_at end as at
          from deliveries where state = 'waiting'
        union all select check_at from deliveries where check_at is not null
        union all select escalate_at from leads where escalate_at is not null
        union all select leased_until from channels where leased_until > ${world.now()}
        union all select not_before from channels where not_before > ${world.now()}
      ) as times`.execute(kysely)
    return rows[0]?.at ?? Number.POSITIVE_INFINITY
  }

  return {
    leads,
    changes,
    listReversals: () => changes.filter(({ before, after }) => isReversal(before, after)),
    /** Reminders start over after an Undo, and move with the time of the next call. */
    countRestarts: (leadId: string) =>
      changes
        .filter(({ after }) => after.id === leadId)
        .filter(({ before, after }) => isReversal(before, after) || isMoved(before, after)).length,
    storedAt,
    erased,
    /** Requests that a call to the same homeowner left open. */
    leftOpen,
    /** Changes with each write to the database. */
    findVersion: () => version,
    noteWrite(isLead: boolean) {
      version += 1
      if (isLead) leadsVersion += 1
    },
    /** Returns when a delivery, a check, a reminder, or the end of a lease is due. */
    async findNextDueAt(): Promise<number> {
      const readAt = world.now()
      // After this time, read again: it may have been the end of a lease, which changes nothing in the database.
      const isOver = next.readAt < next.at && next.at <= readAt
      if (isOver || next.version !== version) next = { version, readAt, at: await readNextDueAt() }
      return next.at
    },
    /** After the last reminder, only the Status in Airtable is read again, for a month. */
    async hasDue(): Promise<boolean> {
      const { rows } = await sql`
        select 1 from deliveries where state = 'waiting' or check_at is not null
        union all
        select 1 from leads where escalate_at is not null and status = 'call-again'`.execute(kysely)
      if (rows.length > 0) return true
      const open = await kysely
        .selectFrom('leads')
        .select(['escalate_at as at', 'deadline_at as deadlineAt', 'changed_at as reopenedAt'])
        .where('escalate_at', 'is not', null)
        .execute()
      return open.some(({ at, deadlineAt, reopenedAt }) => {
        const restartedAt = reopenedAt === null ? 0 : computeOpening(reopenedAt, hours)
        return (at ?? 0) <= Math.max(deadlineAt ?? 0, restartedAt + 10 * minuteMs)
      })
    },
    async observe(): Promise<void> {
      if (seenVersion === leadsVersion) return
      seenVersion = leadsVersion
      const { rows: found } = await kysely.executeQuery<SeenLead>(selectLeads)
      const seen = new Map(leads)
      for (const after of found) {
        const before = leads.get(after.id)
        const changed = before ? describeChange(before, after) : 'stored'
        leads.set(after.id, after)
        if (changed) world.say(`The lead of ${after.name}: ${changed}.`)
        if (before && changed)
          changes.push({ before, after, at: world.now(), trueAt: world.trueNow() })
      }
      const { rows: events } = await kysely.executeQuery(selectEvents)
      for (const { lead_id, id } of events) {
        const key = `${lead_id} ${id}`
        if (!storedAt.has(key)) storedAt.set(key, world.trueNow())
      }
      for (const called of found)
        for (const open of found)
          if (isCall(seen.get(called.id), called) && isLeftOpen(seen.get(open.id), open, called))
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

const needsCall = ({ status }: Shown) => status === 'open' || status === 'call-again'

/** Someone pressed “I’m calling” or “No answer”, not Undo. A Status in Airtable is about one row only. */
const isCall = (before: SeenLead | undefined, after: SeenLead) =>
  before !== undefined &&
  needsCall(before) &&
  (after.status === 'calling'
    ? after.attempts === before.attempts
    : after.status === 'call-again' && after.attempts > before.attempts) &&
  !(before.status === 'open' && after.calledVia === 'airtable')

const isLeftOpen = (before: SeenLead | undefined, after: SeenLead, called: SeenLead) =>
  before !== undefined &&
  before.version === after.version &&
  (after.status === 'open' || (after.status === 'call-again' && called.status === 'calling')) &&
  after.name === called.name &&
  after.suspect === null &&
  called.suspect === null

const shownNames = ['status', 'calledAt', 'attempts', 'callAgainAt', 'version'] as const

export const describeChange = (before: Shown, after: Shown): string =>
  shownNames
    .filter((name) => before[name] !== after[name])
    .map((name) => `${name} ${before[name]} → ${after[name]}`)
    .join(', ')

const isClosed = ({ status }: Shown) => status === 'done' || status === 'not-a-lead'

/** Returns true if an outcome, a call, or an attempt was taken back. */
const isReversal = (before: Shown, after: Shown): boolean =>
  (before.calledAt !== null && after.calledAt === null) ||
  (isClosed(before) && !isClosed(after)) ||
  after.attempts < before.attempts ||
  (before.status === 'calling' &&
    after.status === 'call-again' &&
    after.attempts === before.attempts)

/** Returns true if someone moved the next call to another time. */
const isMoved = (before: Shown, after: Shown): boolean =>
  before.status === 'call-again' &&
  after.status === 'call-again' &&
  before.attempts === after.attempts

export const describeState = ({
  status,
  calledAt,
  attempts,
}: Omit<Shown, 'callAgainAt' | 'version'>) =>
  `${status}, ${calledAt === null ? 'not called' : 'called'}, ${attempts} tries`
