import type { Kysely } from 'kysely'
import type { DeliveryReason } from '../delivery-reason.ts'
import { listStatuses } from '../statuses.ts'
import { cancelDeliveries, waiting, writeDeliveries } from './deliveries.ts'
import {
  type Database,
  type DeliveryState,
  type Engine,
  storedColumns,
  type Tables,
} from './tables.ts'

/*
 * A lead that needs a call or a result has one row for the recipient `crew`. It is not a message but the next step for
 * the lead: its alert when we open, its next reminder, the next check of its Status in Airtable, or the follow-up on
 * its call. `dueAt` is the planned time of that step; `nextAttemptAt` is when to try it, which may be earlier or later.
 */
export const crew = 'crew'

export const makeCrewRow = (leadId: string, dueAt: number) => ({
  leadId,
  recipient: crew,
  reason: 'remind' as const,
  isMessage: 0,
  nextAttemptAt: dueAt,
  dueAt,
})

/** Plans the next step, or none if `dueAt` is null. */
export async function moveCrewRow(
  trx: Kysely<Tables>,
  leadId: string,
  dueAt: number | null,
  nextAttemptAt = dueAt ?? 0,
): Promise<void> {
  if (dueAt === null)
    await trx
      .deleteFrom('deliveries')
      .where('leadId', '=', leadId)
      .where('recipient', '=', crew)
      .execute()
  else
    await trx
      .insertInto('deliveries')
      .values({ ...makeCrewRow(leadId, dueAt), nextAttemptAt })
      .onConflict((conflict) =>
        conflict.columns(['leadId', 'recipient', 'reason']).doUpdateSet({ nextAttemptAt, dueAt }),
      )
      .execute()
}

/** Changes the times of a lead's next step, unless it is due by `latestAt`. */
export async function hurryCrewRow(
  trx: Kysely<Tables>,
  leadId: string,
  { latestAt, ...times }: { latestAt: number; dueAt: number; nextAttemptAt: number },
): Promise<void> {
  await trx
    .updateTable('deliveries')
    .set(times)
    .where('leadId', '=', leadId)
    .where('recipient', '=', crew)
    .where('dueAt', '>', latestAt)
    .execute()
}

export type DueLead = Awaited<ReturnType<typeof listDueLeads>>[number]

/** Lists the leads whose next step is due: emergencies first, then the ones that have been due longest. */
export async function listDueLeads({ kysely }: Database, now: number, limit: number) {
  const found = await kysely
    .selectFrom('deliveries')
    .where('recipient', '=', crew)
    .where('state', '=', waiting)
    .innerJoin('leads', 'leads.id', 'deliveries.leadId')
    .select([...storedColumns, 'dueAt', 'nextAttemptAt'])
    .select((eb) => [
      // While this delivery is pending, Airtable may show the Status from before an Undo.
      eb
        .exists(
          eb
            .selectFrom('deliveries as outcome')
            .select('outcome.leadId')
            .whereRef('outcome.leadId', '=', 'leads.id')
            .where('outcome.reason', '=', 'outcome')
            .where('outcome.state', '=', waiting),
        )
        .as('hasPendingOutcome'),
      eb
        .selectFrom('leadEvents')
        .select('text')
        .whereRef('leadId', '=', 'leads.id')
        .where('kind', '=', 'airtable-status')
        .orderBy('number', 'desc')
        .limit(1)
        .as('knownStatus'),
    ])
    .where('nextAttemptAt', '<=', now)
    .orderBy((eb) => eb('serviceType', '=', 'emergency'), 'desc')
    .orderBy('nextAttemptAt')
    .limit(limit)
    .execute()
  return found.map((lead) => ({
    ...lead,
    // Suspected spam has no promise, but has a row once someone has called.
    promiseStartAt: lead.promiseStartAt ?? lead.receivedAt,
    deadlineAt: lead.deadlineAt ?? lead.receivedAt,
  }))
}

/** The step to take for a lead now, and when the next one is due. */
export type Step = {
  lead: Pick<DueLead, 'id' | 'version' | 'dueAt'>
  reason: DeliveryReason | undefined
  recipients: readonly string[]
  nextAt: number | null
  /** Another lead whose messages also cover this one. If that lead has changed, this step is skipped and due again. */
  sharedWith?: Pick<DueLead, 'id' | 'version'>
  /** Set if nobody can be alerted yet, or if we are closed: the time when the same step is due again. */
  waitUntil?: number | undefined
}

/**
 * Takes these steps in one transaction: writes their messages, and moves each row to its next step. Skips leads
 * that have changed, and steps that another process has taken. Returns the leads that the crew hears about.
 */
export async function takeSteps(
  { engine, kysely }: Database,
  steps: readonly Step[],
  now: number,
): Promise<string[]> {
  if (steps.length === 0) return []
  const ids = steps.map(({ lead }) => lead.id)
  return kysely.transaction().execute(async (trx) => {
    const current = await lockLeads({ engine, trx }, ids)
    const isCurrent = (lead: Pick<DueLead, 'id' | 'version'>) =>
      current.some(({ id, version }) => lead.id === id && lead.version === version)
    const told: string[] = []
    for (const { id } of current)
      for (const step of steps.filter(({ lead }) => lead.id === id && isCurrent(lead)))
        if (isCurrent(step.sharedWith ?? step.lead) && (await takeStep(trx, step, now)))
          told.push(id)
    return told
  })
}

async function takeStep(
  trx: Kysely<Tables>,
  { lead, reason, recipients, nextAt, waitUntil }: Step,
  now: number,
): Promise<boolean> {
  const moved = await trx
    .updateTable('deliveries')
    .set(
      waitUntil === undefined
        ? { nextAttemptAt: nextAt ?? now, dueAt: nextAt ?? now }
        : { nextAttemptAt: waitUntil },
    )
    .where('leadId', '=', lead.id)
    .where('recipient', '=', crew)
    .where('dueAt', '=', lead.dueAt)
    .returning('leadId')
    .executeTakeFirst()
  if (!moved || waitUntil !== undefined) return false
  if (nextAt === null) await moveCrewRow(trx, lead.id, null)
  if (!reason) return false
  const messages = { leadId: lead.id, recipients, reason }
  const isReminder = reason !== 'received'
  if (isReminder)
    await cancelDeliveries(trx, { leadId: lead.id, keeps: ['unreached'], because: 'replaced', now })
  // Some recipients already got this alert when the lead arrived after hours, so send each recipient only one.
  await writeDeliveries(trx, messages, now, { once: !isReminder })
  return true
}

/** Locks leads in the order of their IDs, before their deliveries, so that transactions cannot deadlock. */
export const lockLeads = async (
  { engine, trx }: { engine: Engine; trx: Kysely<Tables> },
  ids: readonly string[],
) => {
  // PostgreSQL rejects an empty list.
  if (ids.length === 0) return []
  return (
    trx
      .selectFrom('leads')
      .select(['id', 'version', 'status', 'promiseStartAt'])
      .where('id', 'in', ids)
      .orderBy('id')
      // SQLite has one writer anyway.
      .$if(engine === 'postgres', (query) => query.forUpdate())
      .execute()
  )
}

const isReminder = (reason: Tables['deliveries']['reason']) =>
  reason === 'missed' || reason.startsWith('uncalled-')

export type Told = Pick<Tables['deliveries'], 'recipient' | 'arrivedAt'> & { state: DeliveryState }

export type Hurry = { now: number; isTold: (message: Told) => boolean }

/** Makes the first reminder of open leads due now, unless an alert has reached the crew. */
export async function hurryFirstReminders(
  { engine, kysely }: Database,
  leadIds: readonly string[],
  options: Hurry,
): Promise<void> {
  if (leadIds.length === 0) return
  await kysely.transaction().execute(async (trx) => {
    for (const lead of await lockLeads({ engine, trx }, leadIds))
      await hurryFirstReminder(trx, lead, options)
  })
}

type LockedLead = Awaited<ReturnType<typeof lockLeads>>[number]

export async function hurryFirstReminder(
  trx: Kysely<Tables>,
  { id, status, promiseStartAt }: LockedLead,
  { now, isTold }: Hurry,
): Promise<void> {
  if (status !== 'open' || promiseStartAt === null || promiseStartAt > now) return
  const messages = await trx
    .selectFrom('deliveries')
    .select(['recipient', 'reason', 'state', 'arrivedAt'])
    .where('leadId', '=', id)
    .where('isMessage', '=', 1)
    .execute()
  if (messages.some((one) => isReminder(one.reason) || isTold(one))) return
  await trx
    .updateTable('deliveries')
    .set({ nextAttemptAt: now })
    .where('leadId', '=', id)
    .where('recipient', '=', crew)
    .where('nextAttemptAt', '>', now)
    .execute()
}

/** Asks for the result of a call again, because the question reached nobody. */
export async function repeatQuestion(
  kysely: Kysely<Tables>,
  leadId: string,
  now: number,
): Promise<void> {
  await kysely
    .updateTable('deliveries')
    .from('leads')
    .set((eb) => ({ nextAttemptAt: now, dueAt: eb.ref('changedAt').$notNull() }))
    .where('leadId', '=', leadId)
    .whereRef('leadId', '=', 'leads.id')
    .where('recipient', '=', crew)
    .where('status', 'in', listStatuses('result'))
    .execute()
}
