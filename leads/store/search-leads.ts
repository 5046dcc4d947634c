import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { fieldNames, type Lead, leadFields, type ServiceType } from '../fields.ts'
import type { LeadStatus } from '../history.ts'
import { readPhoneDigits, type StoredLead } from '../lead.ts'
import { foldText } from '../safe-text.ts'
import { type Database, storedColumns } from './tables.ts'

export type LeadFilter = {
  search?: string | undefined
  from?: number | undefined
  to?: number | undefined
  service?: ServiceType | undefined
  status?: LeadStatus | undefined
  /** Part of the stored source, such as `utm_source=google`. */
  source?: string | undefined
}

export type Page = { limit: number; before?: Position | undefined }
export type Position = { id: string; receivedAt: number }

/** Returns the newest leads first. `before` is the last lead of the previous page. */
export function searchLeads(
  { kysely }: Pick<Database, 'kysely'>,
  { search = '', from, to, service, status, source }: LeadFilter,
  { limit, before }: Page,
): Promise<StoredLead[]> {
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
      // The stored parameters have a plus sign for each space.
      if (source) all.push(contains(sql`lower(source)`, source.toLowerCase().replaceAll(' ', '+')))
      if (status) all.push(eb('status', '=', status))
      // Suspected spam needs no call.
      if (status === 'open') all.push(eb('suspect', 'is', null))
      const inText = (text: string) => contains(sql`search_text`, text)
      const hasWords = eb.and(foldText(search).split(/\s+/).filter(Boolean).map(inText))
      // The search and the lead may format the same phone number differently.
      const digits = /^[\d\s()+.-]+$/.test(search) ? readPhoneDigits(search) : ''
      all.push(digits ? eb.or([hasWords, inText(digits)]) : hasWords)
      return eb.and(all)
    })
    .orderBy('received_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** Stored with each lead and its notes, so that both databases give the same results and hernandez finds Hernández. */
export function makeSearchText(lead: Lead): string {
  const texts = fieldNames
    .filter((name) => !('choices' in leadFields[name]))
    .map((name) => lead[name])
  return foldText([...texts, readPhoneDigits(lead.phone)].join(' '))
}

const contains = (column: RawBuilder<unknown>, text: string) =>
  sql<SqlBool>`${column} like ${`%${text.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`
