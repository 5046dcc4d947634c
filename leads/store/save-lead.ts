import { sql, type Transaction } from 'kysely'
import { computeNetwork } from '../client-address.ts'
import { noPromise } from '../deadline.ts'
import { type Field, fieldNames, type Lead, leadFields } from '../fields.ts'
import { makeHomeownerKeys, makeSearchText } from '../homeowner-keys.ts'
import type { Visit } from '../lead.ts'
import { addEvent, type EventPlan, type NewEvent } from './append-event.ts'
import { makeCrewRow } from './crew-rows.ts'
import { makeDeliveries } from './deliveries.ts'
import { countConfirmation, countUse, findRateLimit, isInBurst } from './limits.ts'
import type { Database, Tables } from './tables.ts'

type SavedLead =
  | { outcome: 'saved'; leadId: string }
  | { outcome: 'repeated'; leadId: string; receivedAt: number; deadlineAt: number | null }
  | { outcome: 'conflict' }
  | { outcome: 'limited'; retryAfterMs: number }

/** Where a new lead goes. */
export type DeliveryPlan = {
  recipients: readonly string[]
  /** The recipients that get a message only within the limits of limits.ts. */
  limited?: readonly string[]
  /** When the crew hears about the lead next; undefined for never. */
  stepAt?: number | undefined
}

export type NewLead = DeliveryPlan & {
  lead: Lead
  visit: Visit
  bodyHash: string
  clientAddress: string
  /** True if the request's headers do not show whether the IP address is the visitor's or a proxy's. */
  mayShareAddress?: boolean
  /** The lead is stored under the first key unless another lead has one of these keys. */
  idempotencyKeys: readonly string[]
  promiseStartAt: number | null
  deadlineAt: number | null
  /** The call during which someone added the lead. */
  call?: { event: NewEvent; plan: EventPlan }
}

/** Stores a lead and its deliveries in one transaction, which is durable when this returns. */
export function saveLead(
  { engine, transact }: Database,
  newLead: NewLead,
  { now, limitPerMinute, makeId }: { now: number; limitPerMinute: number; makeId: () => string },
): Promise<SavedLead> {
  const { lead, bodyHash, clientAddress, idempotencyKeys } = newLead
  const clientNetwork = computeNetwork(clientAddress)
  return transact(async (trx): Promise<SavedLead> => {
    // PostgreSQL runs transactions in parallel, and none sees the others' uncommitted leads, so simultaneous leads
    // could exceed the limit. SQLite has one writer.
    if (engine === 'postgres' && limitPerMinute > 0)
      await sql`select pg_advisory_xact_lock(hashtextextended(${clientNetwork}, 0))`.execute(trx)

    const findRepeated = async () => {
      if (idempotencyKeys.length === 0) return undefined
      const earlier = await trx
        .selectFrom('leads')
        .select(['id', 'bodyHash', 'receivedAt', 'deadlineAt'])
        .where('idempotencyKey', 'in', idempotencyKeys)
        .executeTakeFirst()
      if (!earlier) return undefined
      if (earlier.bodyHash !== bodyHash) return { outcome: 'conflict' } as const
      const { id: leadId, receivedAt, deadlineAt } = earlier
      return { outcome: 'repeated', leadId, receivedAt, deadlineAt } as const
    }

    // If there is only one key, the insert below checks it.
    const repeated = idempotencyKeys.length > 1 && (await findRepeated())
    if (repeated) return repeated

    const client = { clientAddress, clientNetwork }
    const retryAfterMs = await findRateLimit(trx, client, { now, limitPerMinute })
    if (retryAfterMs !== undefined)
      return (await findRepeated()) ?? { outcome: 'limited', retryAfterMs }

    const { mayShareAddress = false } = newLead
    const inBurst =
      newLead.visit.suspect === null && (await isInBurst(trx, client, { now, mayShareAddress }))
    const id = makeId()
    const inserted = await insertLead(trx, newLead, { id, now, inBurst })
    if (!inserted) return (await findRepeated()) ?? { outcome: 'conflict' }

    const { stepAt, limited = [] } = newLead
    const isWithinLimits =
      limited.length > 0 &&
      (await countConfirmation(trx, { email: lead.email, network: clientNetwork }, now))
    const recipients = newLead.recipients.filter((one) => isWithinLimits || !limited.includes(one))
    const deliveries = [
      ...makeDeliveries({ leadId: id, reason: 'received', recipients }, now),
      ...(stepAt === undefined ? [] : [makeCrewRow(id, stepAt)]),
    ]
    if (deliveries.length > 0) await trx.insertInto('deliveries').values(deliveries).execute()
    if (newLead.call) {
      const { event, plan } = newLead.call
      await addEvent({ engine, trx }, id, event, { ...plan, now })
    }
    return { outcome: 'saved', leadId: id }
  })
}

/** Returns undefined if a lead has the same idempotency key. */
const insertLead = (
  trx: Transaction<Tables>,
  newLead: NewLead,
  { id, now, inBurst = false }: { id: string; now: number; inBurst?: boolean },
) =>
  trx
    .insertInto('leads')
    .values({
      id,
      ...newLead.lead,
      searchText: makeSearchText(newLead.lead),
      ...makeHomeownerKeys(newLead.lead),
      receivedAt: now,
      promiseStartAt: newLead.promiseStartAt,
      deadlineAt: newLead.deadlineAt,
      clientAddress: newLead.clientAddress,
      clientNetwork: computeNetwork(newLead.clientAddress),
      idempotencyKey: newLead.idempotencyKeys[0] ?? null,
      bodyHash: newLead.bodyHash,
      ...newLead.visit,
      inBurst: inBurst ? 1 : 0,
    })
    .onConflict((conflict) => conflict.column('idempotencyKey').doNothing())
    .returning('id')
    .executeTakeFirst()

const fill = (field: Field) => 'x'.repeat(field.choices ? 0 : field.maxLength)

/** As large as the largest lead, because a smaller one might still fit on an almost full disk. */
const sampleLead: NewLead = {
  lead: Object.fromEntries(fieldNames.map((name) => [name, fill(leadFields[name])])) as Lead,
  visit: { suspect: null, consent: null, source: 'x'.repeat(1_000) },
  bodyHash: 'x'.repeat(64),
  clientAddress: '',
  idempotencyKeys: [],
  ...noPromise,
  recipients: [],
}

/** Throws if leads cannot be stored. Stores a lead as saveLead does, and deletes it before the commit. */
export const checkWritable = ({ transact }: Database, now: number): Promise<void> =>
  transact(async (trx) => {
    const id = crypto.randomUUID()
    await insertLead(trx, sampleLead, { id, now })
    const deliveries = makeDeliveries(
      { leadId: id, reason: 'received', recipients: ['check'] },
      now,
    )
    await trx.insertInto('deliveries').values(deliveries).execute()
    // Count under a separate name, because other transactions may hold a lock on the count of all confirmations.
    await countUse(trx, id, 1, now)
    await trx.deleteFrom('confirmationLimits').where('name', '=', id).execute()
    await trx.deleteFrom('leads').where('id', '=', id).execute()
  })
