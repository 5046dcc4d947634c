import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  SqliteAdapter,
  SqliteDialect,
} from 'kysely'

const sqliteBusy = 5
const retryMs = 10

/**
 * Retries while another program holds the lock. SQLite's own busy timeout would block the whole process,
 * and it does not apply when a reader becomes a writer, as when a new database switches to WAL.
 */
export async function retryWhileLocked<T>(
  attempt: () => T | Promise<T>,
  waitMs: number,
  wait: () => Promise<unknown> = () => pause(retryMs),
): Promise<T> {
  const endAt = performance.now() + waitMs
  for (;;)
    try {
      return await attempt()
    } catch (error) {
      const { errcode = 0 } = error as { errcode?: number }
      if ((errcode & 0xff) !== sqliteBusy || performance.now() >= endAt) throw error
      await wait()
    }
}

// node:sqlite is synchronous, so a queue of transactions would starve Node's sockets: new visitors
// waited up to a minute under load. Yield to the event loop after this time.
const maxBlockMs = 10

/** Kysely on node:sqlite with one shared connection; callers release it while they wait for a lock. */
export function createSqliteDialect(sqlite: DatabaseSync, lockWaitMs: number): Dialect {
  let lastHolder = Promise.resolve()
  let release = () => {}
  async function acquire(): Promise<void> {
    const before = lastHolder
    const { promise, resolve } = Promise.withResolvers<void>()
    lastHolder = promise
    await before
    release = resolve
  }

  function addRetries(connection: DatabaseConnection): void {
    const execute = connection.executeQuery.bind(connection)
    connection.executeQuery = (query) =>
      // A transaction has waited for the lock, or needs none.
      sqlite.isTransaction
        ? execute(query)
        : retryWhileLocked(
            () => execute(query),
            lockWaitMs,
            async () => {
              release()
              await pause(retryMs)
              await acquire()
            },
          )
  }

  const dialect = new SqliteDialect({
    database: wrap(sqlite),
    onCreateConnection: async (connection) => addRetries(connection),
  })
  return {
    createQueryCompiler: () => dialect.createQueryCompiler(),
    createIntrospector: (kysely) => dialect.createIntrospector(kysely),
    createAdapter: () => new SharedConnectionAdapter(),
    createDriver() {
      const driver = dialect.createDriver()
      const acquireConnection = driver.acquireConnection.bind(driver)
      let yieldedAt = 0
      driver.acquireConnection = async (options) => {
        await acquire()
        if (performance.now() - yieldedAt > maxBlockMs) {
          await new Promise((resolve) => setImmediate(resolve))
          yieldedAt = performance.now()
        }
        return acquireConnection(options)
      }
      driver.releaseConnection = async () => release()
      // Acquire the write lock at the start: a transaction that reads first fails at its first write if
      // another process has written in between. A transaction that only reads needs no lock.
      driver.beginTransaction = async (connection, { accessMode }) => {
        const begin = accessMode === 'read only' ? 'begin' : 'begin immediate'
        await connection.executeQuery(CompiledQuery.raw(begin))
      }
      return driver
    },
  }
}

// Otherwise Kysely's mutex would hold the connection while a caller waits for a lock.
class SharedConnectionAdapter extends SqliteAdapter {
  override get supportsMultipleConnections() {
    return true
  }
}

// Kysely expects better-sqlite3's interface.
function wrap(sqlite: DatabaseSync) {
  // Cache statements, because preparing one takes longer than running it. The store has few queries.
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
      // SQLite rolls back automatically on a full disk; a second rollback would hide the first error.
      const ended = text === 'rollback' && !sqlite.isTransaction
      const { statement, reader } = prepare(ended ? 'select 1 limit 0' : text)
      return {
        reader,
        all: (values: readonly unknown[]) => statement.all(...(values as SQLInputValue[])),
        run: (values: readonly unknown[]) => statement.run(...(values as SQLInputValue[])),
        iterate: (values: readonly unknown[]) => statement.iterate(...(values as SQLInputValue[])),
      }
    },
  }
}
