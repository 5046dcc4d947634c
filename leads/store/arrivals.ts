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
  const due = await kysely
    .selectFrom('deliveries')
    .innerJoin('leads', 'leads.id', 'deliveries.lead_id')
    .select([
      'lead_id as leadId',
      'channel',
      'reason',
      'message_id as messageId',
      'settled_at as sentAt',
      'check_at as checkAt',
      'promise_start_at as promiseStartAt',
      'deadline_at as deadlineAt',
    ])
    .where('check_at', '<=', now)
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
  { leadId, channel, reason, checkAt }: SentMessage,
  changes: Updateable<Tables['deliveries']>,
): Promise<boolean> {
  const updated = await kysely
    .updateTable('deliveries')
    .set(changes)
    .where('lead_id', '=', leadId)
    .where('channel', '=', channel)
    .where('reason', '=', reason)
    .where('check_at', '=', checkAt)
    .returning('lead_id')
    .executeTakeFirst()
  return updated !== undefined
}

/**
 * Records that a message did not arrive. If no other alert about the lead has arrived, its first reminder
 * becomes due now, instead of at `firstReminderAt`. Returns true in that case.
 */
export function recordFailure(
  { kysely }: Database,
  message: SentMessage,
  error: string,
  { firstReminderAt, now }: { firstReminderAt: number | null; now: number },
): Promise<boolean> {
  return kysely.transaction().execute(async (trx) => {
    const alerts = trx
      .selectFrom('deliveries')
      .select('channel')
      .where('lead_id', '=', message.leadId)
      // A row in Airtable notifies nobody, and the confirmation goes to the homeowner.
      .where('channel', '!=', 'airtable')
      .where('channel', '!=', 'confirmation')
    // Lock the lead before its deliveries, as erasing does, to prevent a deadlock.
    const reminded = await trx
      .updateTable('leads')
      .set({ escalate_at: now })
      .where('id', '=', message.leadId)
      .where('answered_at', 'is', null)
      // The first reminder changes this time, so a lead is reminded early only once. Null matches nothing.
      .where('escalate_at', '=', firstReminderAt)
      .where(({ not, exists }) => not(exists(alerts.where('arrived_at', 'is not', null))))
      .returning('id')
      .executeTakeFirst()
    await updateMessage(trx, message, { state: 'failed', last_error: error, check_at: null })
    return reminded !== undefined
  })
}
