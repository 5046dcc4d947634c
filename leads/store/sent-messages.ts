import type { Kysely, NotNull, Updateable } from 'kysely'
import type { Database, Tables } from './tables.ts'

export type SentMessage = Awaited<ReturnType<typeof claimMessages>>[number]

/** Returns when to ask next whether a message arrived. */
export async function findNextCheckAt({ kysely }: Database): Promise<number | undefined> {
  const { at } = await kysely
    .selectFrom('deliveries')
    .select((eb) => eb.fn.min<number | null>('check_at').as('at'))
    .where('check_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return at ?? undefined
}

/**
 * Claims messages to ask about by moving their next check to `until`. If the process is killed before it
 * records an answer, another one asks then.
 */
export async function claimMessages(
  { kysely }: Database,
  { now, until, limit }: { now: number; until: number; limit: number },
) {
  // A combined message stands for several deliveries.
  const due = await kysely
    .selectFrom('deliveries')
    .select(['channel', 'message_id as messageId', 'settled_at as sentAt', 'check_at as checkAt'])
    .where('check_at', '<=', now)
    .groupBy(['channel', 'message_id', 'settled_at', 'check_at'])
    .orderBy('check_at')
    .limit(limit)
    .$narrowType<{ messageId: NotNull; sentAt: NotNull; checkAt: NotNull }>()
    .execute()
  const claimed = []
  for (const message of due)
    if (await updateMessage(kysely, message, { check_at: until }))
      claimed.push({ ...message, checkAt: until })
  return claimed
}

/** Returns false if another process has claimed the message, or if the lead was erased. */
export async function updateMessage(
  kysely: Kysely<Tables>,
  { channel, messageId, checkAt }: SentMessage,
  changes: Updateable<Tables['deliveries']>,
): Promise<boolean> {
  const updated = await kysely
    .updateTable('deliveries')
    .set(changes)
    .where('channel', '=', channel)
    .where('message_id', '=', messageId)
    .where('check_at', '=', checkAt)
    .returning('lead_id')
    .execute()
  return updated.length > 0
}

export type MessageLead = Awaited<ReturnType<typeof listMessageLeads>>[number]

export const listMessageLeads = (
  { kysely }: Database,
  { channel, messageId }: Pick<SentMessage, 'channel' | 'messageId'>,
) =>
  kysely
    .selectFrom('deliveries')
    .innerJoin('leads', 'leads.id', 'deliveries.lead_id')
    .select([
      'lead_id as leadId',
      'reason',
      'promise_start_at as promiseStartAt',
      'deadline_at as deadlineAt',
    ])
    .where('channel', '=', channel)
    .where('message_id', '=', messageId)
    // Always in this order, so that two transactions cannot deadlock.
    .orderBy('lead_id')
    .execute()

/**
 * Records that a message did not arrive. If no other alert about a lead has arrived, its first reminder
 * becomes due now, instead of at `firstReminderAt`. Returns true in that case.
 */
export function recordFailure(
  { kysely }: Database,
  message: SentMessage,
  error: string,
  { reminders, now }: { reminders: readonly FirstReminder[]; now: number },
): Promise<boolean> {
  return kysely.transaction().execute(async (trx) => {
    let isUrgent = false
    for (const { leadId, firstReminderAt } of reminders) {
      const alerts = trx
        .selectFrom('deliveries')
        .select('channel')
        .where('lead_id', '=', leadId)
        // A row in Airtable notifies nobody, and the confirmation goes to the homeowner.
        .where('channel', '!=', 'airtable')
        .where('channel', '!=', 'confirmation')
      // Lock the lead before its deliveries, as erasing does, to prevent a deadlock.
      const reminded = await trx
        .updateTable('leads')
        .set({ escalate_at: now })
        .where('id', '=', leadId)
        .where('status', '=', 'open')
        // The first reminder changes this time, so staff get one early reminder at most. Null matches nothing.
        .where('escalate_at', '=', firstReminderAt)
        .where(({ not, exists }) => not(exists(alerts.where('arrived_at', 'is not', null))))
        .returning('id')
        .executeTakeFirst()
      isUrgent ||= reminded !== undefined
    }
    await updateMessage(trx, message, { state: 'failed', last_error: error, check_at: null })
    return isUrgent
  })
}

type FirstReminder = { leadId: string; firstReminderAt: number | null }
