import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ServiceType } from '../fields.ts'
import { formatName, type LeadOutcome, type StoredLead } from '../lead.ts'
import { type Database, storedColumns } from './tables.ts'

export type LeadState = 'waiting' | 'answered' | LeadOutcome

export type LeadFilter = {
  search?: string | undefined
  from?: number | undefined
  to?: number | undefined
  service?: ServiceType | undefined
  state?: LeadState | undefined
  /** Part of what the visitor's link said, such as `utm_source=google`. */
  source?: string | undefined
}

export type Page = { limit: number; before?: Position | undefined }
export type Position = { id: string; receivedAt: number }

/** The newest first; `before` is the last lead of the page before. */
export function findLeads(
  { engine, kysely }: Database,
  { search = '', from, to, service, state, source }: LeadFilter,
  { limit, before }: Page,
): Promise<StoredLead[]> {
  // SQLite's like knows no difference between a and A.
  const like = sql.raw(engine === 'postgres' ? 'ilike' : 'like')
  const has = (column: RawBuilder<unknown>, text: string) =>
    sql<SqlBool>`${column} ${like} ${makePattern(text)} escape '\\'`
  return kysely
    .selectFrom('leads')
    .select(storedColumns)
    .where((eb) => {
      const all: Expression<SqlBool>[] = []
      if (before)
        all.push(eb(eb.refTuple('received_at', 'id'), '<', eb.tuple(before.receivedAt, before.id)))
      if (from !== undefined) all.push(eb('received_at', '>=', from))
      if (to !== undefined) all.push(eb('received_at', '<', to))
      if (service) all.push(eb('service_type', '=', service))
      if (source) all.push(has(sql`source`, source))
      if (state === 'waiting')
        all.push(
          eb('answered_at', 'is', null),
          eb('outcome', 'is', null),
          eb('suspect', 'is', null),
        )
      else if (state === 'answered')
        all.push(eb('answered_at', 'is not', null), eb('outcome', 'is', null))
      else if (state) all.push(eb('outcome', '=', state))
      // (612) 555-0100 however it was typed, here and there.
      const isPhone = /^[\d\s()+.-]{4,}$/.test(search)
      if (isPhone) {
        const digits = search.replace(/\D/g, '')
        // The first look is the cheaper one, and leaves few for the second.
        all.push(eb('phone', 'like', `%${[...digits].join('%')}%`))
        all.push(sql<SqlBool>`${phoneDigits} like ${`%${digits}%`}`)
      }
      for (const word of isPhone ? [] : search.trim().split(/\s+/).filter(Boolean)) {
        // One look at all of it is twice as fast as one at each.
        const inAny = has(sql`name || ' ' || email || ' ' || address || ' ' || phone`, word)
        // SQLite's like takes ö and Ö for two letters; names begin with a capital one.
        const isPlain = /^[ -~]*$/.test(word)
        all.push(isPlain ? inAny : eb.or([inAny, has(sql`name`, formatName(word))]))
      }
      return eb.and(all)
    })
    .orderBy('received_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

const phoneDigits = ['(', ')', '-', '.', '+', ' '].reduce(
  (column, mark) => sql`replace(${column}, ${sql.lit(mark)}, '')`,
  sql`phone`,
)

/** What is typed is looked for as it stands: % and _ mean nothing. */
const makePattern = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`
