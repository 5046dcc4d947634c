import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Database, Tables } from './store.ts'

/** Opens PostgreSQL, on Node and on Deno. Nothing connects before the first query. */
export function openPostgres(
  url: string,
  { maxConnections = 10 }: { maxConnections?: number } = {},
): Database & { close(): Promise<void> } {
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    // A visitor waits for the answer: a database that hangs must become a 503 while they are there.
    connectionTimeoutMillis: 5_000,
    query_timeout: 10_000,
    keepAlive: true,
    types: { getTypeParser },
  })
  // An idle connection that breaks is replaced by the next query. Unheard, the event ends the process.
  pool.on('error', () => {})
  // So does one that breaks in the middle of a transaction: its query fails, and that is enough.
  pool.on('connect', (client) => client.on('error', () => {}))
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return { engine: 'postgres', kysely, close: () => pool.end() }
}

// Counts and times arrive as int8, which pg hands over as text; all of ours fit a number.
const int8 = 20
const getTypeParser = ((oid: number, format?: 'text') =>
  oid === int8 ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser
