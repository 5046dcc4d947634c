import type { CompiledQuery, DatabaseConnection, Kysely, QueryExecutor, QueryResult } from 'kysely'
import type { Database, Tables } from '#leads/store/tables.ts'
import type { InFlight } from './world.ts'

type DatabaseFaults = {
  /** Passes time before a query or a transaction. Throws if the database fails. */
  reach(): Promise<void>
  /** The same inside a transaction. */
  reachAgain(): Promise<void>
  /** Throws if the connection breaks after a commit. */
  loseAnswer(): void
  /** Called after each query or transaction that may have changed data. `isLead` is true if a lead may have changed. */
  noteWrite(isLead: boolean): void
  /** Counts PostgreSQL's queries, which take real time. */
  inFlight: InFlight
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
      faults.inFlight.start()
      const result = await transact((trx) => {
        interceptExecutor(trx, { ...faults, reach: faults.reachAgain, loseAnswer: () => {} })
        return work(trx)
      }).finally(() => {
        faults.inFlight.end()
        faults.noteWrite(true)
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
    faults.inFlight.start()
    const writes: CompiledQuery[] = []
    const intercept = (connection: DatabaseConnection) =>
      interceptConnection(connection, faults, writes)
    const result = await provide((connection) => use(intercept(connection)), options).finally(
      () => {
        faults.inFlight.end()
        if (writes.length > 0) faults.noteWrite(writes.some(isLeadWrite))
      },
    )
    faults.loseAnswer()
    return result
  }
}

// Let these succeed: a connection whose transaction neither commits nor rolls back could not be used again.
const isControl = ({ sql }: CompiledQuery) => /^(begin|start|commit|rollback|set)/.test(sql)
const countRows = ({ rows, numAffectedRows = 0n }: QueryResult<unknown>) =>
  rows.length + Number(numAffectedRows)
const isWrite = ({ sql }: CompiledQuery) => /^(insert|update|delete)/.test(sql)
const isLeadWrite = ({ sql }: CompiledQuery) => / "leads"/.test(sql.slice(0, 20))

function interceptConnection(
  connection: DatabaseConnection,
  { reachAgain, inFlight }: DatabaseFaults,
  writes: CompiledQuery[],
): DatabaseConnection {
  let queries = 0
  return {
    executeQuery: async (query, options) => {
      if (queries++ > 0 && !isControl(query)) {
        inFlight.end()
        await reachAgain().finally(() => {
          inFlight.start()
        })
      }
      const result = await connection.executeQuery<never>(query, options)
      if (isWrite(query) && countRows(result) > 0) writes.push(query)
      return result
    },
    streamQuery: () => {
      throw new Error('The simulation does not stream.')
    },
  }
}
