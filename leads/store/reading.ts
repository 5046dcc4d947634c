import type { StoredLead } from '../lead.ts'
import { findLeads, type Page } from './find-leads.ts'
import { type Database, leadColumns } from './tables.ts'

const selectLeads = ({ kysely }: Database) => kysely.selectFrom('leads').select(leadColumns)

/** The newest leads first; `before` is the last lead of the page before. */
export const listLeads = async (db: Database, page: Page): Promise<LeadWithDeliveries[]> =>
  addDeliveries(db, await findLeads(db, {}, page))

export async function findLead(db: Database, id: string): Promise<LeadWithDeliveries | undefined> {
  const leads = await selectLeads(db).where('id', '=', id).execute()
  return (await addDeliveries(db, leads))[0]
}

/** Leads whose id begins so; few letters do for the owner's command line. */
export async function findLeadsByPrefix(
  db: Database,
  prefix: string,
  limit: number,
): Promise<LeadWithDeliveries[]> {
  const leads = await selectLeads(db)
    .where((eb) => eb(eb.fn('substr', ['id', eb.val(1), eb.val(prefix.length)]), '=', prefix))
    .orderBy('id')
    .limit(limit)
    .execute()
  return addDeliveries(db, leads)
}

export async function countLeads({ kysely }: Database): Promise<number> {
  const { total } = await kysely
    .selectFrom('leads')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

export type LeadWithDeliveries = Awaited<ReturnType<typeof addDeliveries>>[number]
export type Delivery = LeadWithDeliveries['deliveries'][number]

export async function addDeliveries({ kysely }: Database, leads: StoredLead[]) {
  if (leads.length === 0) return []
  const ids = leads.map(({ id }) => id)
  const deliveries = await kysely
    .selectFrom('deliveries')
    .select([
      'lead_id',
      'channel',
      'occasion',
      'state',
      'attempts',
      'next_attempt_at as nextAttemptAt',
      'last_error as lastError',
      'note',
      'created_at as createdAt',
      'settled_at as settledAt',
    ])
    .where('lead_id', 'in', ids)
    .orderBy('created_at')
    .orderBy('channel')
    .execute()
  const byLead = Map.groupBy(deliveries, (delivery) => delivery.lead_id)
  return leads.map((lead) => ({
    ...lead,
    deliveries: (byLead.get(lead.id) ?? []).map(({ lead_id: _, ...delivery }) => delivery),
  }))
}

export type StuckDelivery = Awaited<ReturnType<typeof listStuck>>[number]

/** What was tried and still waits, the oldest of each channel first. */
export const listStuck = ({ kysely }: Database, since: number) =>
  kysely
    .selectFrom('deliveries')
    .select(['channel', 'last_error as error', 'created_at as createdAt'])
    .where('state', '=', 'waiting')
    .where('last_error', 'is not', null)
    .where('created_at', '<=', since)
    .orderBy('created_at')
    .limit(200)
    .execute()

export type Backlog = Awaited<ReturnType<typeof countWaiting>>[number]

/** What waits, by channel; a channel with nothing waiting is not listed. */
export const countWaiting = ({ kysely }: Database) =>
  kysely
    .selectFrom('deliveries')
    .select((eb) => [
      'channel',
      eb.fn.countAll<number>().as('waiting'),
      eb.fn.min('created_at').as('oldestAt'),
    ])
    .where('state', '=', 'waiting')
    .groupBy('channel')
    .orderBy('channel')
    .execute()

type Period = { from: number; to: number }

export type PromiseRecord = Awaited<ReturnType<typeof listPromises>>[number]

/** How the promise went, for the leads of a period. */
export const listPromises = ({ kysely }: Database, { from, to }: Period) =>
  kysely
    .selectFrom('leads')
    .select([
      'received_at as receivedAt',
      'answered_at as answeredAt',
      'answered_by as answeredBy',
      'suspect',
      'source',
    ])
    .where('received_at', '>=', from)
    .where('received_at', '<', to)
    // Nothing was promised to an advertiser.
    .where((eb) => eb.or([eb('outcome', 'is', null), eb('outcome', '!=', 'not-a-lead')]))
    .orderBy('received_at')
    .execute()

export type HandOver = Awaited<ReturnType<typeof listHandOvers>>[number]

/** When each delivery of a period's leads was due, and when it was sent. */
export const listHandOvers = ({ kysely }: Database, { from, to }: Period) =>
  kysely
    .selectFrom('deliveries')
    .innerJoin('leads', 'leads.id', 'deliveries.lead_id')
    .select([
      'deliveries.channel',
      'deliveries.created_at as createdAt',
      'deliveries.settled_at as settledAt',
    ])
    .where('leads.received_at', '>=', from)
    .where('leads.received_at', '<', to)
    .where('deliveries.state', '!=', 'cancelled')
    .execute()
