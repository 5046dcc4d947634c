import { CamelCasePlugin, type Generated, type Kysely, sql, type Transaction } from 'kysely'
import type { DeliveryReason } from '../delivery-reason.ts'
import { fieldNames, type Lead } from '../fields.ts'
import type { EventKind, HistoryEvent } from '../history.ts'
import type { Schedule } from '../hours.ts'
import { type CancelReason, type LeadState, newState } from '../lead-state.ts'
import { UserError } from '../user-error.ts'

/** Declares the type of a column. Only the names exist at run time. */
const column = <Type>() => undefined as Type

const pageColumns = {
  number: column<number>(),
  at: column<number>(),
  person: column<string>(),
  email: column<string>(),
  content: column<string>(),
}

/** The columns of a lead that code outside the store uses. */
const leadColumns = {
  id: column<string>(),
  ...(Object.fromEntries(fieldNames.map((name) => [name, undefined])) as unknown as Lead),
  receivedAt: column<number>(),
  promiseStartAt: column<number | null>(),
  deadlineAt: column<number | null>(),
  suspect: column<string | null>(),
  inBurst: column<Generated<number>>(),
  consent: column<string | null>(),
  source: column<string | null>(),
  ...(newState as unknown as { [Name in keyof LeadState]: Generated<LeadState[Name]> }),
}

export const storedColumns = Object.keys(leadColumns).map(
  (name) => `leads.${name as keyof typeof leadColumns}` as const,
)

const tables = {
  leads: {
    ...leadColumns,
    searchText: column<string>(),
    phoneKey: column<string | null>(),
    emailKey: column<string | null>(),
    clientAddress: column<string>(),
    clientNetwork: column<string>(),
    idempotencyKey: column<string | null>(),
    bodyHash: column<string>(),
  },
  leadEvents: {
    leadId: column<string>(),
    number: column<number>(),
    id: column<string>(),
    at: column<number>(),
    kind: column<EventKind>(),
    person: column<string | null>(),
    email: column<string | null>(),
    via: column<HistoryEvent['via']>(),
    text: column<string | null>(),
    callAgainAt: column<number | null>(),
  },
  deliveries: {
    leadId: column<string>(),
    recipient: column<string>(),
    reason: column<DeliveryReason | 'remind'>(),
    isMessage: column<Generated<number>>(),
    state: column<Generated<DeliveryState>>(),
    attempts: column<Generated<number>>(),
    nextAttemptAt: column<number>(),
    revision: column<Generated<number>>(),
    lastError: column<string | null>(),
    note: column<string | null>(),
    cancelReason: column<CancelReason | null>(),
    dueAt: column<number>(),
    settledAt: column<number | null>(),
    messageId: column<string | null>(),
    arrivedAt: column<number | null>(),
    tappedAt: column<number | null>(),
  },
  recipients: {
    name: column<string>(),
    holder: column<string | null>(),
    until: column<number>(),
    notBefore: column<number>(),
    burstAt: column<Generated<number>>(),
    digestFrom: column<number | null>(),
  },
  settings: { name: column<string>(), value: column<string>() },
  deskLinks: {
    tokenHash: column<string>(),
    codeHash: column<string | null>(),
    isInvitation: column<number>(),
    email: column<string>(),
    requester: column<string>(),
    network: column<string>(),
    expiresAt: column<number>(),
  },
  deskCrew: { email: column<string>() },
  deskOwners: { email: column<string>() },
  deskLog: {
    id: column<string>(),
    at: column<number>(),
    person: column<string>(),
    email: column<string>(),
    action: column<string>(),
    about: column<string | null>(),
  },
  deskSessions: {
    id: column<string>(),
    tokenHash: column<string>(),
    email: column<string>(),
    person: column<string>(),
    device: column<string>(),
    seenAt: column<number>(),
  },
  pushDevices: {
    id: column<string>(),
    sessionId: column<string>(),
    endpoint: column<string>(),
    p256dh: column<string>(),
    auth: column<string>(),
    person: column<string>(),
    name: column<string>(),
    schedule: column<Schedule>(),
    createdAt: column<number>(),
    /** When the push service reported the device as gone. */
    goneAt: column<number | null>(),
    /** When the device last reported that it had shown a notification. */
    shownAt: column<number | null>(),
  },
  pageVersions: pageColumns,
  pageDraft: pageColumns,
  confirmationLimits: { name: column<string>(), day: column<string>(), used: column<number>() },
}

export type Tables = typeof tables

/** SQL uses the same names in snake case. */
export const plugins = [new CamelCasePlugin()]

export type Engine = 'sqlite' | 'postgres'

export type Transact = <Result>(
  work: (trx: Transaction<Tables>) => Promise<Result>,
) => Promise<Result>

export type Database = {
  engine: Engine
  kysely: Kysely<Tables>
  /** Runs the transaction that stores a lead. */
  transact: Transact
  /** True if SQLite's file was deleted or replaced. Reads still work, but every write is lost when the site stops. */
  isFileGone?: () => boolean
}

export class DatabaseFileGone extends Error {
  override name = 'DatabaseFileGone'
}

/**
 * `asking`: the service accepted the message, and we ask whether it arrived. `sent`: the service accepted it. `failed`:
 * the service reported later that it did not arrive, or the recipient is gone or permanently rejected it. `cancelled`:
 * no longer needed. `expired`: not sent in time.
 */
export type DeliveryState = 'waiting' | 'asking' | 'sent' | 'failed' | 'cancelled' | 'expired'

// PostgreSQL's codes for an unknown table and an unknown column.
const postgresCodes = ['42P01', '42703']
// SQLite uses one error code for every mistake in a query.
const sqliteError = 1

/** Throws a UserError if a table or column is missing, such as after a skipped migration. */
export async function checkTables({ kysely }: Database): Promise<void> {
  // One query, because a worker on Supabase runs this before its first response.
  const selects = Object.entries(tables).map(([name, columns]) => {
    const names = sql.join(Object.keys(columns).map((column) => sql.ref(column)))
    return sql`(select ${names} from ${sql.table(name)} where false) as ${sql.ref(name)}`
  })
  try {
    await sql`select 1 from ${sql.join(selects)}`.execute(kysely)
  } catch (error) {
    const { code = '', errcode, message } = error as Error & { code?: string; errcode?: number }
    if (!postgresCodes.includes(code) && errcode !== sqliteError) throw error
    // Remove SQLite's hint about quotation marks.
    const what = message.replace(/ - .*/, '')
    throw new UserError(
      `The database is missing a table or column that this version needs: ${what}. On Supabase, run npx supabase db push. Elsewhere, restore a backup (docs/backup.md).`,
      { cause: what },
    )
  }
}
