import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Database, Tables, Transact } from './tables.ts'

export type Connections = { leads: number; others: number }

// A visitor waits for the answer. The server itself ends the wait for a locked table, so that the
// connection is free for the next.
const leadLockMs = 4_000

/**
 * Opens PostgreSQL, on Node and on Deno. Nothing connects before the first query. Leads have
 * connections of their own: however many come, deliveries and reminders go on.
 */
export function openPostgres(
  url: string,
  { leads, others }: Connections = { leads: 6, others: 4 },
): Database & { close(): Promise<void> } {
  // For a server that is gone without a word. Far beyond what a visitor is told (accept-lead.ts):
  // these timers also fire when it was this process that stood still.
  const forLeads = openPool(url, {
    max: leads,
    connectionTimeoutMillis: 30_000,
    query_timeout: 30_000,
  })
  const forOthers = openPool(url, {
    max: others,
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
  })
  const leadsKysely = createKysely(forLeads)
  const transact: Transact = (work) =>
    leadsKysely.transaction().execute(async (trx) => {
      // For this transaction only: a pooler in between may give the connection to another program.
      await sql`select set_config('lock_timeout', ${String(leadLockMs)}, true)`.execute(trx)
      return work(trx)
    })
  return {
    engine: 'postgres',
    kysely: createKysely(forOthers),
    transact,
    close: async () => {
      await Promise.all([forLeads.end(), forOthers.end()])
    },
  }
}

function openPool(url: string, limits: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    keepAlive: true,
    types: { getTypeParser },
    ...limits,
  })
  // An idle connection that breaks is replaced by the next query. Unheard, the event ends the process.
  pool.on('error', () => {})
  // So does one that breaks in the middle of a transaction: its query fails, and that is enough.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const createKysely = (pool: pg.Pool) =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })

// Counts and times arrive as int8, which pg hands over as text; all of ours fit a number.
const int8 = 20
const getTypeParser = ((oid: number, format?: 'text') =>
  oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser
