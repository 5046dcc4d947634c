import { sql } from 'kysely'
import { noPromise } from '../deadline.ts'
import { type Field, fieldNames, type Lead, leadFields } from '../fields.ts'
import { UserError } from '../user-error.ts'
import { makeDeliveries } from './deliveries.ts'
import { countUse } from './limits.ts'
import { insertLead, type NewLead } from './save-lead.ts'
import { type Database, tables } from './tables.ts'

// PostgreSQL's codes for an unknown table and an unknown column.
const postgresCodes = ['42P01', '42703']
// SQLite has one number for all mistakes in a query.
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
    // Remove SQLite's guess about quotes.
    const what = message.replace(/ - .*/, '')
    throw new UserError(
      `The database is missing a table or column that this version needs: ${what}. On Supabase, run npx supabase db push. Elsewhere, restore a backup (docs/backup.md).`,
      { cause: what },
    )
  }
}

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
