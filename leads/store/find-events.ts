import type { Kysely } from 'kysely'
import { computeLatestChange } from '../lead-state.ts'
import type { Database, Tables } from './tables.ts'

export type StoredEvent = Tables['leadEvents']

export const selectEvents = (kysely: Kysely<Tables>) =>
  kysely.selectFrom('leadEvents').selectAll('leadEvents').orderBy('leadId').orderBy('number')

export const listEvents = (kysely: Kysely<Tables>, leadIds: readonly string[]) =>
  selectEvents(kysely).where('leadId', 'in', leadIds).execute()

/** Lists the events of leads that arrived in a period. */
export const listPeriodEvents = (
  { kysely }: Database,
  { from, to }: { from: number; to: number },
) =>
  selectEvents(kysely)
    .innerJoin('leads', 'leads.id', 'leadId')
    .where('receivedAt', '>=', from)
    .where('receivedAt', '<', to)
    .execute()

/** Lists the other requests that share events with the lead, each with the event's ID. */
export const listSharers = ({ kysely }: Database, leadId: string) =>
  kysely
    .selectFrom('leadEvents as own')
    .innerJoin('leadEvents as shared', 'shared.id', 'own.id')
    .innerJoin('leads', 'leads.id', 'shared.leadId')
    .select(['own.id as eventId', 'leads.name', 'leads.phone', 'leads.email'])
    .where('own.leadId', '=', leadId)
    .where('leads.id', '!=', leadId)
    .orderBy('leads.receivedAt')
    .orderBy('leads.id')
    .execute()

/** A call without a result. A homeowner's requests may share it. */
export type UnresolvedCall = {
  /** The ID of the call's event, which is the same on each request. */
  id: string
  /** True if one of the requests is an emergency. */
  isUrgent: boolean
  /** True if the question about the call was sent or will be. */
  isAsked: boolean
}

/** Maps each lead to its current call. */
export async function mapUnresolvedCalls(
  { kysely }: Database,
  leadIds: readonly string[],
): Promise<Map<string, UnresolvedCall>> {
  // PostgreSQL rejects an empty list.
  if (leadIds.length === 0) return new Map()
  const events = Map.groupBy(await listEvents(kysely, leadIds), ({ leadId }) => leadId)
  const idOf = (leadId: string) => computeLatestChange(events.get(leadId) ?? [])?.id ?? ''
  const requests = await kysely
    .selectFrom('leadEvents')
    .innerJoin('leads', 'leads.id', 'leadEvents.leadId')
    .select(['leadEvents.id', 'serviceType'])
    .select((eb) =>
      eb
        .exists(
          eb
            .selectFrom('deliveries')
            .select('deliveries.leadId')
            .whereRef('deliveries.leadId', '=', 'leads.id')
            .whereRef('dueAt', '>=', 'leadEvents.at')
            .where('reason', '=', 'unresolved')
            .where('state', 'not in', ['cancelled', 'failed']),
        )
        .as('isAsked'),
    )
    .where('leadEvents.id', 'in', [...new Set(leadIds.map(idOf))])
    .execute()
  const byCall = Map.groupBy(requests, ({ id }) => id)
  return new Map(
    leadIds.map((leadId) => {
      const id = idOf(leadId)
      const shared = byCall.get(id) ?? []
      return [
        leadId,
        {
          id,
          isUrgent: shared.some(({ serviceType }) => serviceType === 'emergency'),
          isAsked: shared.some(({ isAsked }) => isAsked),
        },
      ]
    }),
  )
}

/** Returns when someone called a lead that has no result yet. Undoing a result does not change this time. */
export const findCallTime = async ({ kysely }: Database, leadId: string) =>
  computeLatestChange(await listEvents(kysely, [leadId]))?.at
