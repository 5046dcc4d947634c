import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { DeliveryReason } from '../delivery-reason.ts'
import type { ServiceType } from '../fields.ts'
import { makeHomeownerKeys } from '../homeowner-keys.ts'
import { readPhoneDigits, type StoredLead } from '../lead.ts'
import { foldText } from '../safe-text.ts'
import { type LeadStatus, statuses, statusKinds } from '../statuses.ts'
import { dayMs } from '../time-units.ts'
import { waiting } from './deliveries.ts'
import { listEvents } from './find-events.ts'
import { type Database, storedColumns } from './tables.ts'

export async function findLead(db: Database, id: string): Promise<LeadRecord | undefined> {
  const query = db.kysely.selectFrom('leads').select(storedColumns)
  const leads = await query.where('id', '=', id).execute()
  return (await addDetails(db, leads))[0]
}

export type LeadRecord = Awaited<ReturnType<typeof addDetails>>[number]
export type Delivery = LeadRecord['deliveries'][number]

/** Adds the events and the deliveries of each lead. */
export async function addDetails({ kysely }: Database, leads: StoredLead[]) {
  if (leads.length === 0) return []
  const ids = leads.map(({ id }) => id)
  const deliveries = await kysely
    .selectFrom('deliveries')
    .leftJoin('recipients', 'recipients.name', 'deliveries.recipient')
    .select([
      'leadId',
      'recipient',
      'notBefore',
      'reason',
      'state',
      'attempts',
      'nextAttemptAt',
      'lastError',
      'note',
      'cancelReason',
      'dueAt',
      'settledAt',
      'arrivedAt',
      'tappedAt',
    ])
    .where('leadId', 'in', ids)
    .where('isMessage', '=', 1)
    .orderBy('dueAt')
    .orderBy('recipient')
    .$narrowType<{ reason: DeliveryReason }>()
    .execute()
  const byLead = Map.groupBy(deliveries, (delivery) => delivery.leadId)
  const events = Map.groupBy(await listEvents(kysely, ids), ({ leadId }) => leadId)
  return leads.map((lead) => ({
    ...lead,
    events: events.get(lead.id) ?? [],
    deliveries: (byLead.get(lead.id) ?? []).map(({ leadId: _, ...delivery }) => delivery),
  }))
}

/*
 * A homeowner may ask more than once: two forms, or a form and a phone call. Every request is a separate lead.
 * The phone number alone decides which requests share a call (see append-event.ts), because whoever dials it
 * reaches the same person. Anyone can type someone else's name, address, or email.
 */

// If two requests are at most this far apart, alerts mention the earlier one, and the desk links them even if only the
// email matches.
const repeatMs = 7 * dayMs

const maxSameNumber = 20
const maxSameEmail = 2

/** Newest first. */
export type OtherRequests = { sameNumber: StoredLead[]; sameEmail: StoredLead[] }

/** Lists the newest other requests with the lead's number, and the newest with only its email. */
export async function listOtherRequests(
  { kysely }: Database,
  lead: StoredLead,
): Promise<OtherRequests> {
  if (lead.suspect !== null) return { sameNumber: [], sameEmail: [] }
  const { phoneKey, emailKey } = makeHomeownerKeys(lead)
  const others = kysely
    .selectFrom('leads')
    .select(storedColumns)
    .where('id', '!=', lead.id)
    .where('suspect', 'is', null)
    .orderBy('receivedAt', 'desc')
  const sameNumber = others.where('phoneKey', '=', phoneKey).limit(maxSameNumber)
  const sameEmail = others
    .where('emailKey', '=', emailKey)
    .$if(phoneKey !== null, (query) => query.where('phoneKey', 'is distinct from', phoneKey))
    .where('receivedAt', '>=', lead.receivedAt - repeatMs)
    .where('receivedAt', '<=', lead.receivedAt + repeatMs)
    .limit(maxSameEmail)
  return { sameNumber: await sameNumber.execute(), sameEmail: await sameEmail.execute() }
}

/** Returns true if another request with the same number arrived within the week before this one. */
export async function hasAskedBefore({ kysely }: Database, lead: StoredLead): Promise<boolean> {
  if (lead.suspect !== null) return false
  const earlier = await kysely
    .selectFrom('leads')
    .select('id')
    .where('phoneKey', '=', makeHomeownerKeys(lead).phoneKey)
    .where('suspect', 'is', null)
    .where('receivedAt', '<', lead.receivedAt)
    .where('receivedAt', '>=', lead.receivedAt - repeatMs)
    .executeTakeFirst()
  return earlier !== undefined
}

export type Pending = NonNullable<Awaited<ReturnType<typeof readPending>>>

/** Counts leads with due deliveries to these recipients. Also returns the oldest due time and an error. */
export async function readPending(
  { kysely }: Database,
  recipients: readonly string[],
  now: number,
) {
  if (recipients.length === 0) return undefined
  const pending = kysely
    .selectFrom('deliveries')
    .where('state', '=', waiting)
    .where('recipient', 'in', recipients)
    .where('dueAt', '<=', now)
  const { leads, oldestAt } = await pending
    .select((eb) => [
      // One lead can have several deliveries to one recipient.
      eb.fn.count<number>('leadId').distinct().as('leads'),
      eb.fn.min('dueAt').as('oldestAt'),
    ])
    .executeTakeFirstOrThrow()
  if (leads === 0) return undefined
  const failed = await pending
    .select('lastError')
    .where('lastError', 'is not', null)
    .orderBy('dueAt')
    .limit(1)
    .executeTakeFirst()
  return { leads, oldestAt, lastError: failed?.lastError ?? null }
}

export type Undelivered = NonNullable<Awaited<ReturnType<typeof readUndelivered>>>

/** Counts leads with messages to these recipients that failed since this time. Also returns the latest error. */
export async function readUndelivered(
  { kysely }: Database,
  recipients: readonly string[],
  since: number,
) {
  if (recipients.length === 0) return undefined
  const failed = await kysely
    .selectFrom('deliveries')
    .select(['leadId', 'lastError'])
    .where('state', '=', 'failed')
    .where('recipient', 'in', recipients)
    .where('settledAt', '>=', since)
    .orderBy('settledAt', 'desc')
    .execute()
  const leads = new Set(failed.map(({ leadId: id }) => id)).size
  return leads === 0 ? undefined : { leads, lastError: failed[0]?.lastError ?? '' }
}

export type PromiseRecord = Awaited<ReturnType<typeof listPromises>>[number]

export const listPromises = ({ kysely }: Database, { from, to }: { from: number; to: number }) =>
  kysely
    .selectFrom('leads')
    .select(['id', 'receivedAt', 'promiseStartAt', 'deadlineAt', 'calledAt', 'calledVia', 'source'])
    .select(['status', 'saleDetails'])
    .where('receivedAt', '>=', from)
    .where('receivedAt', '<', to)
    // The promise does not cover advertisers and other non-leads.
    .where(
      'status',
      'in',
      statusKinds.filter((status) => statuses[status].isLead),
    )
    .orderBy('receivedAt')
    .execute()

export type LeadFilter = {
  search?: string | undefined
  from?: number | undefined
  to?: number | undefined
  service?: ServiceType | undefined
  statuses?: readonly LeadStatus[] | undefined
  /** Finds leads whose deadline had passed by this time. Add the status `open` to find those that are late. */
  lateAt?: number | undefined
  /** Part of the stored source, such as `utm_source=google`. */
  source?: string | undefined
}

type Page = { limit: number; before?: Position | undefined }
export type Position = { id: string; receivedAt: number }

/** Returns the newest leads first. `before` is the last lead of the previous page. */
export function searchLeads(
  { kysely }: Pick<Database, 'kysely'>,
  { search = '', from, to, service, statuses: chosen, lateAt, source }: LeadFilter,
  { limit, before }: Page,
): Promise<StoredLead[]> {
  return kysely
    .selectFrom('leads')
    .select(storedColumns)
    .where((eb) => {
      const all: Expression<SqlBool>[] = []
      if (before)
        all.push(eb(eb.refTuple('receivedAt', 'id'), '<', eb.tuple(before.receivedAt, before.id)))
      if (from !== undefined) all.push(eb('receivedAt', '>=', from))
      if (to !== undefined) all.push(eb('receivedAt', '<', to))
      if (service) all.push(eb('serviceType', '=', service))
      // The stored URL parameters have a plus sign for each space.
      if (source) all.push(contains(sql`lower(source)`, source.toLowerCase().replaceAll(' ', '+')))
      if (chosen) all.push(eb('status', 'in', chosen))
      if (lateAt !== undefined) all.push(eb('deadlineAt', '<=', lateAt))
      // Suspected spam needs no call.
      if (chosen?.includes('open')) all.push(eb('suspect', 'is', null))
      const inText = (text: string) => contains(sql`search_text`, text)
      const hasWords = eb.and(foldText(search).split(/\s+/).filter(Boolean).map(inText))
      // The search and the lead may format the same phone number differently.
      const digits = /^[\d\s()+.-]+$/.test(search) ? readPhoneDigits(search) : ''
      all.push(digits ? eb.or([hasWords, inText(digits)]) : hasWords)
      return eb.and(all)
    })
    .orderBy('receivedAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

const contains = (column: RawBuilder<unknown>, text: string) =>
  sql<SqlBool>`${column} like ${`%${text.replace(/[\\%_]/g, '\\$&')}%`} escape '\\'`
