import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { type DatabaseConnection, type Dialect, SqliteAdapter, SqliteDialect } from 'kysely'

const sqliteBusy = 5
const restMs = 10

/**
 * Tries again while another program holds the lock. SQLite's own waiting would stop the whole process,
 * and does not apply where a reader becomes a writer, as when a new database is switched to its log.
 */
export async function retryWhileLocked<T>(
  attempt: () => T | Promise<T>,
  waitMs: number,
  rest: () => Promise<unknown> = () => pause(restMs),
): Promise<T> {
  const endAt = performance.now() + waitMs
  for (;;)
    try {
      return await attempt()
    } catch (error) {
      const { errcode = 0 } = error as { errcode?: number }
      if ((errcode & 0xff) !== sqliteBusy || performance.now() >= endAt) throw error
      await rest()
    }
}

// node:sqlite answers at once, so a queue of transactions would run to its end before Node looks at
// its sockets again; and at each look Node accepts one new connection. After so long it gets to
// look: without this, a new visitor waits for seconds, and up to a minute under load.
const longestTurnMs = 10

/** Kysely on node:sqlite: one connection, used in turns, of which nobody has one while waiting for a lock. */
export function createSqliteDialect(sqlite: DatabaseSync, lockWaitMs: number): Dialect {
  let lastTurn = Promise.resolve()
  let endTurn = () => {}
  async function takeTurn(): Promise<void> {
    const before = lastTurn
    const { promise, resolve } = Promise.withResolvers<void>()
    lastTurn = promise
    await before
    endTurn = resolve
  }

  function makePatient(connection: DatabaseConnection): void {
    const execute = connection.executeQuery.bind(connection)
    connection.executeQuery = (query) =>
      // Within a transaction the lock is ours.
      sqlite.isTransaction
        ? execute(query)
        : retryWhileLocked(
            () => execute(query),
            lockWaitMs,
            async () => {
              endTurn()
              await pause(restMs)
              await takeTurn()
            },
          )
  }

  const dialect = new SqliteDialect({
    database: wrap(sqlite),
    onCreateConnection: async (connection) => makePatient(connection),
  })
  return {
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
    createAdapter: () => new TurnsAdapter(),
    createDriver() {
      const driver = dialect.createDriver()
      const acquire = driver.acquireConnection.bind(driver)
      let lookedAt = 0
      driver.acquireConnection = async (options) => {
        await takeTurn()
        if (performance.now() - lookedAt > longestTurnMs) {
          await new Promise((resolve) => setImmediate(resolve))
          lookedAt = performance.now()
        }
        return acquire(options)
      }
      driver.releaseConnection = async () => endTurn()
      return driver
    },
  }
}

// Told that there is one connection, Kysely would keep it for one who waits.
class TurnsAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true
  }
}

// Kysely knows better-sqlite3; this is node:sqlite in that shape.
function wrap(sqlite: DatabaseSync) {
  // Preparing takes longer than running. The texts are few: they come from the store's queries.
  const prepared = new Map<string, { statement: StatementSync; reader: boolean }>()
  const prepare = (text: string) => {
    const known = prepared.get(text)
    if (known) return known
    const statement = sqlite.prepare(text)
    const fresh = { statement, reader: statement.columns().length > 0 }
    prepared.set(text, fresh)
    return fresh
  }
  return {
    close: () => sqlite.close(),
    prepare: (text: string) => {
      // A full disk ends the transaction by itself; a second end would hide the first error.
      const ended = text === 'rollback' && !sqlite.isTransaction
      // A transaction that starts by reading cannot wait for another process's write: it fails at
      // its own first write. Asking for the write lock at the start makes it wait instead.
      const { statement, reader } = prepare(
        text === 'begin' ? 'begin immediate' : ended ? 'select 1 limit 0' : text,
      )
      return {
        reader,
        all: (values: readonly unknown[]) => statement.all(...(values as SQLInputValue[])),
        run: (values: readonly unknown[]) => statement.run(...(values as SQLInputValue[])),
        iterate: (values: readonly unknown[]) => statement.iterate(...(values as SQLInputValue[])),
      }
    },
  }
}
