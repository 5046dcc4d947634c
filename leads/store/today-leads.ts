import { type SelectQueryBuilder, sql, type Transaction } from 'kysely'
import type { StoredLead } from '../lead.ts'
import { type Database, storedColumns, type Tables } from './tables.ts'

const dayMs = 24 * 3_600_000
const maxListed = 50

/**
 * `callAgain` has the leads after a call without an answer, including those to call later. `waiting` is due
 * after we open. Suspected spam is a separate group, so that it cannot push a real lead off the list.
 */
type TodayGroup = 'toCall' | 'calling' | 'callAgain' | 'waiting' | 'called' | 'suspect'
type Group = { leads: StoredLead[]; total: number }
type Query = SelectQueryBuilder<Tables, 'leads', object>

/** Returns the first leads of each group and the group's total, from one snapshot of the database. */
export const listTodayLeads = ({ kysely }: Database, now: number) =>
  kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) => readGroups(trx, now))

async function readGroups(
  kysely: Transaction<Tables>,
  now: number,
): Promise<Record<TodayGroup, Group>> {
  const promised = kysely
    .selectFrom('leads')
    .where('status', '=', 'open')
    // Do not use received_at, because the company may be closed for over a week. Suspected spam has no deadline.
    .where('deadline_at', '>=', now - 7 * dayMs)
  const changed = kysely.selectFrom('leads').where('changed_at', '>=', now - dayMs)
  return {
    toCall: await readGroup(
      promised
        .where('promise_start_at', '<=', now)
        // Many leads from one network must not hide the others.
        .orderBy('in_burst')
        // A deadline missed over a day ago must not hide one that can still be met.
        .orderBy(sql`deadline_at < ${now - dayMs}`)
        .orderBy(sql`service_type = 'emergency'`, 'desc')
        .orderBy('deadline_at')
        .orderBy('id'),
    ),
    calling: await readGroup(
      kysely
        .selectFrom('leads')
        .where('status', '=', 'calling')
        // After a call from a link or Airtable, no known person records the result, so list the lead
        // for only a day.
        .where((eb) =>
          eb.or([eb('caller_email', 'is not', null), eb('changed_at', '>=', now - dayMs)]),
        )
        .where('changed_at', '>=', now - 7 * dayMs)
        .orderBy('changed_at', 'desc')
        .orderBy('id'),
    ),
    callAgain: await readGroup(
      kysely
        .selectFrom('leads')
        .where('status', '=', 'call-again')
        .where('call_again_at', '>=', now - 7 * dayMs)
        .orderBy('call_again_at')
        .orderBy('id'),
    ),
    waiting: await readGroup(
      promised
        .where('promise_start_at', '>', now)
        .orderBy('in_burst')
        .orderBy('deadline_at')
        .orderBy('received_at')
        .orderBy('id'),
    ),
    called: await readGroup(
      changed
        .where('status', 'in', ['done', 'not-a-lead'])
        .orderBy('changed_at', 'desc')
        .orderBy('received_at', 'desc')
        .orderBy('id', 'desc'),
    ),
    suspect: await readGroup(
      kysely
        .selectFrom('leads')
        .where('received_at', '>=', now - dayMs)
        .where('status', '=', 'open')
        .where('suspect', 'is not', null)
        .orderBy('received_at', 'desc')
        .orderBy('id', 'desc'),
    ),
  }
}

async function readGroup(query: Query): Promise<Group> {
  const leads = await query.select(storedColumns).limit(maxListed).execute()
  if (leads.length < maxListed) return { leads, total: leads.length }
  const { total } = await query
    .clearOrderBy()
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { leads, total }
}
