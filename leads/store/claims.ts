import { type Kysely, sql, type Updateable } from 'kysely'
import type { DeliveryReason } from '../delivery-reason.ts'
import type { StoredLead } from '../lead.ts'
import { listStatuses } from '../statuses.ts'
import { dayMs, minuteMs } from '../time-units.ts'
import { type DueDelivery, decideSend } from './decide-send.ts'
import { waiting } from './deliveries.ts'
import { type Database, storedColumns, type Tables } from './tables.ts'

/** The name of the lease for asking whether messages arrived. */
export const arrivals = 'arrivals'

export type Lease = { holder: string; now: number; until: number }

// Longer than any lease or wait. Times further in the future were stored before the clock was set back and are ignored.
const longestWaitMs = 20 * minuteMs
const limitWait = (at: number, now: number): number => (at > now + longestWaitMs ? 0 : at)

/**
 * Makes the holder the recipient's only sender, or renews its lease. Returns undefined if another process is
 * the sender, or before `notBefore`.
 */
export const acquire = (
  { kysely }: { kysely: Kysely<Tables> },
  name: string,
  { holder, now, until }: Lease,
) =>
  kysely
    .insertInto('recipients')
    .values({ name, holder, until, notBefore: 0 })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ holder, until })
        .where((eb) => {
          const isOver = (column: 'recipients.notBefore' | 'recipients.until') =>
            eb.not(eb.between(column, now + 1, now + longestWaitMs))
          return eb.and([
            isOver('recipients.notBefore'),
            eb.or([isOver('recipients.until'), eb('recipients.holder', '=', holder)]),
          ])
        }),
    )
    .returning(['burstAt', 'digestFrom'])
    .executeTakeFirst()

/** Returns false if another process has become the sender. */
export async function renew(
  { kysely }: Database,
  name: string,
  { holder, until }: Omit<Lease, 'now'>,
): Promise<boolean> {
  const renewed = await kysely
    .updateTable('recipients')
    .set({ until })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .returning('name')
    .executeTakeFirst()
  return renewed !== undefined
}

/**
 * Ends the lease, so that any process may send after `notBefore` (0: immediately). No digest is due before
 * `digestFrom`.
 */
export async function release(
  { kysely }: { kysely: Kysely<Tables> },
  name: string,
  holder: string,
  notBefore: number,
  digestFrom?: number,
): Promise<void> {
  await kysely
    .updateTable('recipients')
    .set({ holder: null, until: 0, notBefore, ...(digestFrom !== undefined && { digestFrom }) })
    .where('name', '=', name)
    .where('holder', '=', holder)
    .execute()
}

// The delay before trying again to become the sender.
export const retryLeaseMs = 500

const digestPrefix = 'digest-'

/** Digests have a separate lease so that no alert waits for one. */
export const nameDigest = (recipient: string): string => digestPrefix + recipient

/**
 * Returns when this process may next send to each recipient, or ask whether messages arrived. Omits
 * recipients for which nothing is scheduled.
 */
export async function listDueTimes(
  { kysely }: Database,
  names: readonly string[],
  {
    now,
    holder,
    computeDigestAt = () => now,
  }: Pick<Lease, 'now' | 'holder'> & { computeDigestAt?: (digestFrom: number | null) => number },
): Promise<Map<string, number>> {
  // One index lookup per recipient. Both engines name the column of a `values` list `column1`.
  const { rows } = await sql<{ name: string; at: number | null } & Partial<Tables['recipients']>>`
    select due.name, at, digest_from, holder, until, not_before from (
      select column1 as name, (
        select min(next_attempt_at) from deliveries where recipient = column1 and state = 'waiting'
      ) as at
      from (values ${sql.join(names.map((name) => sql`(${name})`))}) as listed
      union all
      select ${arrivals}, min(next_attempt_at) from deliveries where state = 'asking'
    ) as due left join recipients on recipients.name = due.name
    where at is not null or due.name like ${sql.lit(`${digestPrefix}%`)}`.execute(kysely)
  return new Map(
    rows.map(({ name, at, digestFrom, holder: sender, until, notBefore }) => {
      const isHeld = sender && sender !== holder && limitWait(until ?? 0, now) > now
      const dueAt = at ?? computeDigestAt(digestFrom ?? null)
      const waitsUntil = limitWait(notBefore ?? 0, now)
      return [name, Math.max(dueAt, waitsUntil, isHeld ? now + retryLeaseMs : 0)]
    }),
  )
}

export type ClaimedLead = Pick<
  DueDelivery,
  'lead' | 'reason' | 'attempts' | 'revision' | 'dueAt'
> & {
  /** The phone uses this ID to confirm that it showed the message. */
  messageId: string
}

/** The deliveries to send next. */
export type Claim = {
  deliveries: readonly ClaimedLead[]
  /** If set, the message is about all leads that still need a call, so a later message may replace it. */
  summary?: Summary | undefined
}
export type Summary = { leads: readonly StoredLead[]; isBurst: boolean }

// A combined message covers at most this many deliveries, and counts at most this many leads beyond those.
const maxCombined = 400
// A combined message omits leads whose call is over a week late. The Today screen lists them separately.
const oldestMs = 7 * dayMs

/**
 * Becomes or remains the recipient's only sender, and counts an attempt for the deliveries to send next, in one
 * transaction. If nothing is due, lets other processes send after `restMs`. Returns undefined if nothing may be sent
 * now.
 */
export function claimDue(
  { kysely }: Database,
  name: string,
  lease: Lease,
  {
    batchSize,
    combines = false,
    messageId,
    restMs = 0,
  }: { batchSize: number; combines?: boolean; messageId: string; restMs?: number },
): Promise<Claim | undefined> {
  const { holder, now } = lease
  return kysely.transaction().execute(async (trx) => {
    const sender = await acquire({ kysely: trx }, name, lease)
    if (!sender) return undefined
    for (;;) {
      const pending = await listPending(trx, name, { now, batchSize, combines })
      const burstAt = limitWait(sender.burstAt, now)
      const decision = combines ? decideSend(pending, { now, burstAt }) : { send: pending }
      const { send, cancel = [], postpone = [], combined } = decision
      const claimed = await change(trx, name, [
        ...cancel.map((one) => ({ one, changes: cancelled(now) })),
        ...postpone.map((one) => ({ one, changes: { nextAttemptAt: burstAt } })),
        ...send.map((one) => ({ one, changes: { messageId } })),
      ])
      if (claimed.length > 0) {
        const deliveries = claimed.map((one) => ({ ...one, attempts: one.attempts + 1, messageId }))
        const isBurst = combined === 'burst'
        const summary = combined && {
          leads: await listToCall(trx, claimed, { now, isBurst }),
          isBurst,
        }
        return { deliveries, summary }
      }
      // None of these deliveries needs sending now, but others may.
      if (send.length + cancel.length + postpone.length > 0) continue
      await release({ kysely: trx }, name, holder, restMs && now + restMs)
      return undefined
    }
  })
}

async function listPending(
  trx: Kysely<Tables>,
  name: string,
  { now, batchSize, combines }: { now: number; batchSize: number; combines: boolean },
): Promise<DueDelivery[]> {
  const found = await trx
    .selectFrom('deliveries')
    .innerJoin('leads', 'leads.id', 'deliveries.leadId')
    .select([
      ...storedColumns,
      'deliveries.reason',
      'deliveries.attempts as tries',
      'deliveries.revision',
      'deliveries.nextAttemptAt',
      'deliveries.dueAt',
    ])
    .where('recipient', '=', name)
    .where('state', '=', waiting)
    .where((eb) =>
      eb.or([eb('nextAttemptAt', '<=', now), ...(combines ? [eb('dueAt', '<=', now)] : [])]),
    )
    // Due deliveries come before failed ones with a later retry, which could otherwise fill the list. In each group,
    // emergencies come first, because the limit may leave out other leads.
    .$if(combines, (query) => query.orderBy((eb) => eb('nextAttemptAt', '<=', now), 'desc'))
    .$if(combines, (query) => query.orderBy((eb) => eb('serviceType', '=', 'emergency'), 'desc'))
    .orderBy('nextAttemptAt')
    .limit(combines ? maxCombined : batchSize)
    .$narrowType<{ reason: DeliveryReason }>()
    .execute()
  return found.map(({ reason, tries, revision, nextAttemptAt, dueAt, ...lead }) => ({
    ...{ lead, reason, attempts: tries, revision, nextAttemptAt, dueAt },
  }))
}

const cancelled = (now: number) =>
  ({ state: 'cancelled', cancelReason: 'called', settledAt: now }) as const

type Change = { one: DueDelivery; changes: Updateable<Tables['deliveries']> }

/** Changes deliveries that are still pending, and returns those to send, oldest lead first. */
async function change(
  trx: Kysely<Tables>,
  name: string,
  wanted: readonly Change[],
): Promise<DueDelivery[]> {
  const claimed: DueDelivery[] = []
  // Lock rows in the order of their leads, as events do, to prevent deadlocks.
  for (const { one, changes } of wanted.toSorted((a, b) =>
    a.one.lead.id < b.one.lead.id ? -1 : 1,
  )) {
    const isSent = changes.messageId !== undefined
    const row = await trx
      .updateTable('deliveries')
      .set(changes)
      .$if(isSent, (query) => query.set((eb) => ({ attempts: eb('attempts', '+', 1) })))
      .where('leadId', '=', one.lead.id)
      .where('recipient', '=', name)
      .where('reason', '=', one.reason)
      .where('state', '=', waiting)
      .where('revision', '=', one.revision)
      .returning('leadId')
      .executeTakeFirst()
    if (row && isSent) claimed.push(one)
  }
  return claimed.sort((a, b) => a.lead.receivedAt - b.lead.receivedAt)
}

/** Lists the leads that still need a call, earliest deadline first, followed by the other claimed leads. */
async function listToCall(
  trx: Kysely<Tables>,
  claimed: readonly DueDelivery[],
  { now, isBurst }: { now: number; isBurst: boolean },
): Promise<StoredLead[]> {
  const found = await trx
    .selectFrom('leads')
    .select(storedColumns)
    .where('inBurst', '=', isBurst ? 1 : 0)
    .where((eb) =>
      eb.or([
        eb.and([
          eb('status', 'in', listStatuses('first-call')),
          eb('promiseStartAt', '<=', now),
          eb('deadlineAt', '>=', now - oldestMs),
        ]),
        eb.and([
          eb('status', 'in', listStatuses('next-call')),
          eb('callAgainAt', '<=', now),
          eb('callAgainAt', '>=', now - oldestMs),
        ]),
      ]),
    )
    .orderBy('deadlineAt')
    .limit(maxCombined)
    .execute()
  const known = new Set(found.map(({ id }) => id))
  const others = new Map(claimed.map(({ lead }) => [lead.id, lead]))
  return [...found, ...[...others.values()].filter(({ id }) => !known.has(id))]
}
