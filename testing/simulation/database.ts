import type { CompiledQuery, DatabaseConnection, Kysely, QueryExecutor, QueryResult } from 'kysely'
import type { Database, Tables } from '#leads/store/tables.ts'

type DatabaseFaults = {
  /** Passes time before a query or a transaction. Throws if the database fails. */
  reach(): Promise<void>
  /** The same inside a transaction. */
  reachAgain(): Promise<void>
  /** Throws if the connection breaks after a commit. */
  loseAnswer(): void
  /** Called after each query or transaction that may have changed something. */
  noteWrite(): void
  /** PostgreSQL's queries that take real time. */
  inFlight: { queries: number }
}

/** Adds delays and failures to every query and transaction of a process. */
export function addDatabaseFaults(db: Database, faults: DatabaseFaults): Database {
  interceptExecutor(db.kysely, faults)
  const { transact } = db
  if (db.engine === 'sqlite' || !transact) return db
  // PostgreSQL stores leads over separate connections.
  return {
    ...db,
    transact: async (work) => {
      await faults.reach()
      faults.inFlight.queries += 1
      const result = await transact((trx) => {
        interceptExecutor(trx, { ...faults, reach: faults.reachAgain, loseAnswer: () => {} })
        return work(trx)
      }).finally(() => {
        faults.inFlight.queries -= 1
        faults.noteWrite()
      })
      faults.loseAnswer()
      return result
    },
  }
}

function interceptExecutor(kysely: Kysely<Tables>, faults: DatabaseFaults): void {
  const executor: QueryExecutor = kysely.getExecutor()
  const provide = executor.provideConnection.bind(executor)
  executor.provideConnection = async (use, options) => {
    await faults.reach()
    faults.inFlight.queries += 1
    let hasWritten = false
    const intercept = (connection: DatabaseConnection) =>
      interceptConnection(connection, faults, () => {
        hasWritten = true
      })
    const result = await provide((connection) => use(intercept(connection)), options).finally(
      () => {
        faults.inFlight.queries -= 1
        if (hasWritten) faults.noteWrite()
      },
    )
    faults.loseAnswer()
    return result
  }
}

// A connection whose transaction neither commits nor rolls back could not be used again.
const isControl = ({ sql }: CompiledQuery) => /^(begin|start|commit|rollback|set)/.test(sql)
const countRows = ({ rows, numAffectedRows = 0n }: QueryResult<unknown>) =>
  rows.length + Number(numAffectedRows)
const isWrite = ({ sql }: CompiledQuery) => /^(insert|update|delete)/.test(sql)

function interceptConnection(
  connection: DatabaseConnection,
  { reachAgain, inFlight }: DatabaseFaults,
  noteWrite: () => void,
): DatabaseConnection {
  let queries = 0
  return {
    executeQuery: async (query, options) => {
      if (queries++ > 0 && !isControl(query)) {
        inFlight.queries -= 1
        await reachAgain().finally(() => {
          inFlight.queries += 1
        })
      }
      const result = await connection.executeQuery<never>(query, options)
      if (isWrite(query) && countRows(result) > 0) noteWrite()
      return result
    },
    streamQuery: () => {
      throw new Error('The simulation does not stream.')
    },
  }
}
