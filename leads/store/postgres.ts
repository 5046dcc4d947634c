import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { type Database, plugins, type Tables, type Transact } from './tables.ts'

// PostgreSQL stops waiting for a lock after this time, which frees the connection for the next visitor.
const leadLockMs = 4_000

/**
 * Opens connection pools, in Node or Deno. Leads have a separate pool so that many leads at the same time cannot block
 * deliveries and reminders.
 */
export function openPostgres(
  url: string,
  { leads = 6, others = 4 } = {},
): Database & { close(): Promise<void> } {
  // The timeouts of both pools detect a dead server. Those for leads are much longer than the one for visitors
  // (accept-lead.ts), because they also fire when this process was stalled.
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
      // Limit the timeout to this transaction, because a pooler may share the connection with other programs.
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
  // Without these listeners, a broken connection would end the process. The next query replaces an
  // idle connection, and a query in progress fails with its own error.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

const createKysely = (pool: pg.Pool) =>
  new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins })

// pg returns int8 counts and times as text; ours are small enough for a number.
const int8 = 20
const getTypeParser = ((oid: number, format?: 'text') =>
  oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser
