import type { StoredLead } from '../lead.ts'
import { listEvents, selectEvents } from './append-event.ts'
import { waiting } from './deliveries.ts'
import { type Database, storedColumns } from './tables.ts'

export async function findLead(db: Database, id: string): Promise<LeadRecord | undefined> {
  const query = db.kysely.selectFrom('leads').select(storedColumns)
  const leads = await query.where('id', '=', id).execute()
  return (await addDetails(db, leads))[0]
}

export async function countLeads({ kysely }: Database): Promise<number> {
  const { total } = await kysely
    .selectFrom('leads')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return total
}

export type LeadRecord = Awaited<ReturnType<typeof addDetails>>[number]
export type Delivery = LeadRecord['deliveries'][number]

/** Adds the events and the deliveries of each lead. */
export async function addDetails({ kysely }: Database, leads: StoredLead[]) {
  if (leads.length === 0) return []
  const ids = leads.map(({ id }) => id)
  const deliveries = await kysely
    .selectFrom('deliveries')
    .leftJoin('channels', 'channels.name', 'deliveries.channel')
    .select([
      'lead_id',
      'channel',
      'not_before as heldUntil',
      'reason',
      'state',
      'attempts',
      'next_attempt_at as nextAttemptAt',
      'last_error as lastError',
      'note',
      'cancel_reason as cancelReason',
      'due_at as dueAt',
      'settled_at as settledAt',
      'check_at as checkAt',
      'arrived_at as arrivedAt',
      'tapped_at as tappedAt',
    ])
    .where('lead_id', 'in', ids)
    .orderBy('due_at')
    .orderBy('channel')
    .execute()
  const byLead = Map.groupBy(deliveries, (delivery) => delivery.lead_id)
  const events = Map.groupBy(await listEvents(kysely, ids), ({ leadId }) => leadId)
  return leads.map((lead) => ({
    ...lead,
    events: events.get(lead.id) ?? [],
    deliveries: (byLead.get(lead.id) ?? []).map(({ lead_id: _, ...delivery }) => delivery),
  }))
}

export type Pending = NonNullable<Awaited<ReturnType<typeof readPending>>>

/** Counts leads with due deliveries to these channels, with the oldest time and an error. */
export async function readPending({ kysely }: Database, channels: readonly string[], now: number) {
  if (channels.length === 0) return undefined
  const pending = kysely
    .selectFrom('deliveries')
    .where('state', '=', waiting)
    .where('channel', 'in', channels)
    .where('due_at', '<=', now)
  const { leads, oldestAt } = await pending
    .select((eb) => [
      // One lead can have several deliveries to one channel.
      eb.fn.count<number>('lead_id').distinct().as('leads'),
      eb.fn.min('due_at').as('oldestAt'),
    ])
    .executeTakeFirstOrThrow()
  if (leads === 0) return undefined
  const failed = await pending
    .select('last_error')
    .where('last_error', 'is not', null)
    .orderBy('due_at')
    .limit(1)
    .executeTakeFirst()
  return { leads, oldestAt, lastError: failed?.last_error ?? null }
}

export type Undelivered = NonNullable<Awaited<ReturnType<typeof readUndelivered>>>

/** Counts leads with messages to these channels that failed since this time, with the latest reason. */
export async function readUndelivered(
  { kysely }: Database,
  channels: readonly string[],
  since: number,
) {
  if (channels.length === 0) return undefined
  const failed = await kysely
    .selectFrom('deliveries')
    .select(['lead_id', 'last_error'])
    .where('state', '=', 'failed')
    .where('channel', 'in', channels)
    .where('settled_at', '>=', since)
    .orderBy('settled_at', 'desc')
    .execute()
  const leads = new Set(failed.map(({ lead_id: id }) => id)).size
  return leads === 0 ? undefined : { leads, lastError: failed[0]?.last_error ?? '' }
}

type Period = { from: number; to: number }

export type PromiseRecord = Awaited<ReturnType<typeof listPromises>>[number]

export const listPromises = ({ kysely }: Database, { from, to }: Period) =>
  kysely
    .selectFrom('leads')
    .select([
      'received_at as receivedAt',
      'promise_start_at as promiseStartAt',
      'deadline_at as deadlineAt',
      'called_at as calledAt',
      'called_via as calledVia',
      'source',
    ])
    .where('received_at', '>=', from)
    .where('received_at', '<', to)
    // The promise does not cover advertisers and other non-leads.
    .where('status', '!=', 'not-a-lead')
    .orderBy('received_at')
    .execute()

/** Lists what the crew did with the leads of a period. */
export const listPeriodEvents = ({ kysely }: Database, { from, to }: Period) =>
  selectEvents(kysely)
    .innerJoin('leads', 'leads.id', 'lead_id')
    .where('received_at', '>=', from)
    .where('received_at', '<', to)
    .execute()

export type DeliveryTime = Awaited<ReturnType<typeof listDeliveryTimes>>[number]

export const listDeliveryTimes = ({ kysely }: Database, { from, to }: Period) =>
  kysely
    .selectFrom('deliveries')
    .innerJoin('leads', 'leads.id', 'deliveries.lead_id')
    .select([
      'deliveries.channel',
      'deliveries.state',
      'deliveries.due_at as dueAt',
      'deliveries.settled_at as settledAt',
      'deliveries.arrived_at as arrivedAt',
    ])
    .where('leads.received_at', '>=', from)
    .where('leads.received_at', '<', to)
    .where('deliveries.state', '!=', 'cancelled')
    .execute()
