import { type RawBuilder, sql } from 'kysely'
import type { StoredLead } from '../lead.ts'
import { listStatuses, type Need, statuses, statusKinds } from '../statuses.ts'
import { dayMs, hourMs } from '../time-units.ts'
import { type Database, storedColumns } from './tables.ts'

const olderMs = 7 * dayMs
const maxCards = 50
/** More requests from one number are counted, but not shown. */
export const maxRequests = 20

/**
 * The groups on the Today screen, most urgent first. `mine` are this person's calls without a result, and `calling` are
 * other people's. A lead with a planned call is `due` or for `later`. The first call to `waiting` leads is due after we
 * open. Separate groups hold many requests from one network (`burst`, `burstLater`), suspected spam, and leads that are
 * over a week late (`older`), so that these cannot push other leads off the list.
 */
const groups = [
  'mine',
  'toCall',
  'due',
  'waiting',
  'burst',
  'burstLater',
  'calling',
  'older',
  'later',
  'called',
  'suspect',
] as const
type TodayGroup = (typeof groups)[number]

type Row = StoredLead & {
  /** The same for all requests with one phone number. */
  card: string
  /** The index of the card's group. */
  position: number
  /** The number of requests on the card, including those that are not listed. */
  requests: number
  /** The number of cards in the group, including those that are not listed. */
  cards: number
  dueToday: number
  onTimeToday: number
}

/**
 * A group's sort numbers start at its position times this number, which is larger than any time, so groups never
 * overlap.
 */
const step = sql.lit(100_000_000_000_000)
const is = (group: TodayGroup) => sql.lit(groups.indexOf(group))

const isLead = sql`status in (${sql.join(statusKinds.filter((status) => statuses[status].isLead))})`
const needs = (need: Need) => sql`status in (${sql.join(listStatuses(need))})`

/** The same for all requests with one phone number. Suspected spam shares no calls. */
const card = sql`case when suspect is null then coalesce(phone_key, id) else id end`

/**
 * Lists the requests on the first cards of each group, in the order of the cards. Also counts the cards of each group,
 * the requests that were due today, and those of them that were called on time. This is one query, so that no
 * lead is on two cards.
 */
export async function listTodayLeads(
  { kysely }: Pick<Database, 'kysely'>,
  { now, day, email }: { now: number; day: { from: number; to: number }; email: string },
) {
  const dayAgo = now - dayMs
  const weekAgo = now - olderMs
  const newestFirst = (time: RawBuilder<unknown>) => sql`${step} - 1 - ${time}`
  const { rows } = await sql<Row>`
    with candidates as (
      select id, received_at, service_type, deadline_at, changed_at, call_again_at,
        ${card} as card,
        case when deadline_at >= ${day.from} and deadline_at < ${day.to} and ${isLead}
          and (called_at is not null or deadline_at <= ${now}) then 1 else 0 end as is_due_today,
        case when called_at <= deadline_at then 1 else 0 end as is_on_time,
        case
          when ${needs('nothing')} then ${is('called')}
          when ${needs('first-call')} and suspect is not null then ${is('suspect')}
          when ${needs('first-call')} and deadline_at < ${weekAgo} then ${is('older')}
          when ${needs('next-call')} and call_again_at < ${weekAgo} then ${is('older')}
          when ${needs('result')} and changed_at < ${weekAgo} then ${is('older')}
          when ${needs('result')} and caller_email = ${email} then ${is('mine')}
          when ${needs('result')} then ${is('calling')}
          when ${needs('next-call')} and call_again_at <= ${now} then ${is('due')}
          when ${needs('next-call')} then ${is('later')}
          when in_burst = 1 and promise_start_at <= ${now} then ${is('burst')}
          when in_burst = 1 then ${is('burstLater')}
          when promise_start_at <= ${now} then ${is('toCall')}
          else ${is('waiting')}
        end as group_number
      from leads
      -- Compare with 0 so that the database can use an index.
      where (${needs('first-call')} and deadline_at > 0)
        or (${needs('first-call')} and suspect is not null and received_at >= ${dayAgo})
        or (${needs('next-call')} and call_again_at > 0)
        or (${needs('result')} and changed_at > 0)
        or (${needs('nothing')} and changed_at >= ${dayAgo})
        -- Due today, even if closed more than a day ago.
        or (${needs('nothing')} and deadline_at >= ${day.from} and deadline_at < ${day.to})
    ), requests as (
      select id, card, service_type, deadline_at, received_at, group_number,
        group_number * ${step} + case
          when group_number = ${is('toCall')} then deadline_at
            -- A deadline that passed long ago must not hide one that can still be met.
            + case when deadline_at < ${dayAgo}
                or (deadline_at < ${now - hourMs} and service_type = 'emergency')
              then ${step} / 2 else 0 end
            + case when service_type = 'emergency' then 0 else ${step} / 4 end
          when group_number in (${is('due')}, ${is('later')}) then call_again_at
          when group_number in (${is('waiting')}, ${is('burst')}, ${is('burstLater')}) then deadline_at
          when group_number in (${is('older')}, ${is('suspect')}) then ${newestFirst(sql`received_at`)}
          else ${newestFirst(sql`changed_at`)}
        end as urgency,
        sum(is_due_today) over () as due_today,
        sum(is_due_today * is_on_time) over () as on_time_today
      from candidates
    ), ranked as (
      select requests.*,
        min(urgency) over (partition by card) as card_urgency,
        row_number() over (
          partition by card
          -- Requests that share a call changed at the same time, so their urgency may be equal.
          order by urgency, service_type = 'emergency' desc, deadline_at, received_at, id
        ) as rank,
        -- A closed request is on the card only if all others are closed, too.
        count(*) filter (where group_number <> ${is('called')}) over (partition by card) as unclosed,
        count(*) over (partition by card) as all_requests
      from requests
    ), cards as (
      select card, card_urgency as urgency, card_urgency / ${step} as position, received_at,
        case when unclosed > 0 then unclosed else all_requests end as requests,
        row_number() over (
          partition by card_urgency / ${step} order by card_urgency, received_at, card
        ) as place,
        count(*) over (partition by card_urgency / ${step}) as cards
      from ranked
      where rank = 1
    )
    select ${sql.join(storedColumns.map((name) => sql.ref(name)))},
      cards.card, cards.position, cards.requests, cards.cards, due_today, on_time_today
    from cards
      join ranked on ranked.card = cards.card and rank <= ${maxRequests}
        and (group_number = position or group_number <> ${is('called')})
      join leads on leads.id = ranked.id
    where place <= ${maxCards}
    order by cards.urgency, cards.received_at, cards.card, rank`.execute(kysely)
  const totals = Object.fromEntries(
    groups.map((group, at) => [group, rows.find(({ position }) => position === at)?.cards ?? 0]),
  ) as Record<TodayGroup, number>
  const { dueToday = 0, onTimeToday = 0 } = rows[0] ?? {}
  const leads = rows.map(({ position, cards: _, ...lead }) => ({
    ...lead,
    group: groups[position] as TodayGroup,
  }))
  return { leads, totals, onTime: { calls: onTimeToday, requests: dueToday } }
}

/**
 * Counts homeowners of three kinds: not called yet, to call again before the given time, and called without a result.
 * Counts each homeowner once, like a card on the Today screen. Omits suspected spam that nobody called, which has no
 * deadline.
 */
export async function countToDo({ kysely }: Pick<Database, 'kysely'>, before: number) {
  const { rows } = await sql<{ need: number; homeowners: number }>`
    select need, count(*) as homeowners from (
      select min(case when ${needs('first-call')} then 0 when ${needs('next-call')} then 1 else 2 end) as need
      from leads
      where (${needs('first-call')} and deadline_at > 0)
        or (${needs('next-call')} and call_again_at < ${before})
        or (${needs('result')} and changed_at > 0)
      group by ${card}
    ) as cards group by need`.execute(kysely)
  const find = (need: number) => rows.find((row) => row.need === need)?.homeowners ?? 0
  return { neverCalled: find(0), again: find(1), withoutResult: find(2) }
}
