import { AsyncLocalStorage } from 'node:async_hooks'
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import {
  CompiledQuery,
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  type Dialect,
  type Driver,
  Kysely,
  type LimitNode,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely'
import { plugins } from '#leads/store/tables.ts'

const sqliteBusy = 5
const retryMs = 10

/** Measures time and pauses while another program holds the lock. The simulation passes a virtual clock. */
export type LockClock = { now: () => number; pause: (ms: number) => Promise<unknown> }

export const systemClock: LockClock = { now: () => performance.now(), pause }

/**
 * Retries while another program holds the lock. SQLite's own busy timeout would block the whole process, and it does
 * not apply when a reader becomes a writer, such as when a new database switches to WAL.
 */
export async function retryWhileLocked<T>(
  attempt: () => T | Promise<T>,
  waitMs: number,
  clock = systemClock,
  wait: () => Promise<unknown> = () => clock.pause(retryMs),
): Promise<T> {
  const endAt = clock.now() + waitMs
  for (;;)
    try {
      return await attempt()
    } catch (error) {
      const { errcode = 0 } = error as { errcode?: number }
      if ((errcode & 0xff) !== sqliteBusy || clock.now() >= endAt) throw error
      await wait()
    }
}

// node:sqlite is synchronous, so a queue of transactions would starve Node's sockets: under load, new visitors could
// wait up to a minute. Yield to the event loop after this time.
const maxBlockMs = 10

/** Creates Kysely on node:sqlite. All callers share one connection, one after the other. */
export function createSqliteKysely<Tables>(
  sqlite: DatabaseSync,
  lockWaitMs: number,
  clock = systemClock,
) {
  const mutex = createMutex()
  const execute = createExecute(sqlite)

  const connection: DatabaseConnection = {
    executeQuery: async <Row>(query: CompiledQuery) => {
      const attempt = () => execute(query) as QueryResult<Row>
      // Inside a transaction, do not wait, because the lock is already held or not needed.
      if (sqlite.isTransaction) return attempt()
      // Let others use the connection while this caller waits for the lock.
      return retryWhileLocked(attempt, lockWaitMs, clock, async () => {
        mutex.release()
        await clock.pause(retryMs)
        await mutex.acquire()
      })
    },
    streamQuery: () => {
      throw new Error('Streaming is not supported on SQLite.')
    },
  }

  const callers = new AsyncLocalStorage<{ hasConnection: boolean }>()
  function assertNotInTransaction(): void {
    if (callers.getStore()?.hasConnection)
      throw new Error(
        'Inside a transaction, use the transaction instead of the database: SQLite has only one connection.',
      )
  }

  let yieldedAt = 0
  const provider: ConnectionProvider = {
    async provideConnection(use) {
      assertNotInTransaction()
      await mutex.acquire()
      const caller = { hasConnection: true }
      try {
        if (clock.now() - yieldedAt > maxBlockMs) {
          await nextTurn()
          yieldedAt = clock.now()
        }
        return await callers.run(caller, () => use(connection))
      } finally {
        caller.hasConnection = false
        mutex.release()
      }
    },
  }

  const driver = createDriver(sqlite, connection)
  const dialect: Dialect = {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver,
    createIntrospector: (kysely) => new SqliteIntrospector(kysely),
    createQueryCompiler: () => new QueryCompiler(),
  }
  const executor = new DefaultQueryExecutor(
    dialect.createQueryCompiler(),
    dialect.createAdapter(),
    provider,
    plugins,
  )
  const kysely = new Kysely<Tables>({ config: { dialect }, dialect, driver, executor })
  return { kysely, assertNotInTransaction }
}

class QueryCompiler extends SqliteQueryCompiler {
  /** With a parameter as the limit, SQLite would plan the query again each time. */
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit ')
    if (ValueNode.is(limit)) this.appendImmediateValue(limit.value)
    else this.visitNode(limit)
  }
}

function createMutex() {
  let lastHolder = Promise.resolve()
  let release = () => {}
  return {
    async acquire(): Promise<void> {
      const before = lastHolder
      const { promise, resolve } = Promise.withResolvers<void>()
      lastHolder = promise
      await before
      release = resolve
    },
    release: () => release(),
  }
}

function createDriver(sqlite: DatabaseSync, connection: DatabaseConnection): Driver {
  const run = (text: string) => connection.executeQuery(CompiledQuery.raw(text))
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    // Acquire the write lock at the start: a transaction that reads first fails at its first write if
    // another process has written in between. A transaction that only reads needs no lock.
    beginTransaction: async (_, { accessMode }) => {
      await run(accessMode === 'read only' ? 'begin' : 'begin immediate')
    },
    commitTransaction: async () => {
      await run('commit')
    },
    // SQLite rolls back automatically on a full disk; a second rollback would hide the first error.
    rollbackTransaction: async () => {
      if (sqlite.isTransaction) await run('rollback')
    },
    destroy: async () => sqlite.close(),
  }
}

function createExecute(sqlite: DatabaseSync) {
  // Cache statements, because preparing one takes longer than running it. The store has few queries.
  const prepared = new Map<string, { statement: StatementSync; returnsRows: boolean }>()
  const prepare = (text: string) => {
    const known = prepared.get(text)
    if (known) return known
    const statement = sqlite.prepare(text)
    const fresh = { statement, returnsRows: statement.columns().length > 0 }
    prepared.set(text, fresh)
    return fresh
  }
  return ({ sql, parameters }: CompiledQuery): QueryResult<unknown> => {
    const { statement, returnsRows } = prepare(sql)
    const values = parameters as SQLInputValue[]
    if (returnsRows) return { rows: statement.all(...values) }
    const { changes } = statement.run(...values)
    return { rows: [], numAffectedRows: BigInt(changes) }
  }
}
