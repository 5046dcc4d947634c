import { closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openPostgres } from '#leads/store/postgres.ts'
import {
  checkTables,
  type Database,
  DatabaseFileGone,
  type Tables,
  type Transact,
} from '#leads/store/tables.ts'
import { UserError } from '#leads/user-error.ts'
import { createGroupCommit } from './group-commit.ts'
import { explainFault, migratePostgres, migrateSqlite } from './migrations.ts'
import {
  createSqliteKysely,
  type LockClock,
  retryWhileLocked,
  systemClock,
} from './sqlite-dialect.ts'

export const migrationsDir = join(import.meta.dirname, '../supabase/migrations')

export type DatabaseLocation = {
  databaseUrl?: string | undefined
  dataDir: string
  /** How long to wait while another program holds SQLite's lock. */
  lockWaitMs?: number | undefined
  /** False for commands that run beside the site, because the running site may be an older version. */
  mayMigrate?: boolean
}

/** Opens the database, applies all migrations or requires that they were applied, and checks the tables. */
export async function openDatabase(
  { databaseUrl, dataDir, lockWaitMs = 5_000, mayMigrate = true }: DatabaseLocation,
  migrations = migrationsDir,
  clock = systemClock,
): Promise<Database & { close(): Promise<void> }> {
  const db =
    databaseUrl === undefined
      ? await openSqlite(dataDir, migrations, { lockWaitMs, mayMigrate }, clock)
      : await migratePostgres(databaseUrl, migrations, { mayMigrate }).then(() =>
          openPostgres(databaseUrl),
        )
  try {
    await checkTables(db)
  } catch (error) {
    await db.close()
    throw error
  }
  return db
}

async function openSqlite(
  dataDir: string,
  migrations: string,
  options: { lockWaitMs: number; mayMigrate: boolean },
  clock: LockClock,
) {
  const { lockWaitMs } = options
  const file = join(dataDir, 'leads.db')
  let sqlite: DatabaseSync
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    // SQLite would create a world-readable file. The WAL file inherits this mode.
    closeSync(openSync(file, 'a', 0o600))
    sqlite = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: true })
    await retryWhileLocked(() => sqlite.exec('pragma journal_mode = wal'), lockWaitMs)
    // In WAL mode, only FULL syncs on every commit; with NORMAL, a power outage could lose acknowledged
    // leads.
    sqlite.exec('pragma synchronous = full')
    // Overwrite deleted rows; otherwise sessions and erased leads stay readable in the file.
    sqlite.exec('pragma secure_delete = on')
  } catch (error) {
    throw new UserError(`Cannot open the database ${file} (DATA_DIR): ${explainFault(error)}.`)
  }
  try {
    await migrateSqlite(sqlite, migrations, options)
  } catch (error) {
    sqlite.close()
    throw error
  }
  const { kysely, assertNotInTransaction } = createSqliteKysely<Tables>(sqlite, lockWaitMs, clock)
  const isFileGone = watchFiles([file, `${file}-wal`])
  const commitTogether = createGroupCommit(kysely, () => {
    if (isFileGone()) throw new DatabaseFileGone()
  })
  const transact: Transact = (job) => {
    assertNotInTransaction()
    return commitTogether(job)
  }
  return {
    engine: 'sqlite' as const,
    kysely,
    transact,
    isFileGone,
    close: async () => {
      if (sqlite.isOpen) sqlite.close()
    },
  }
}

/**
 * Returns a function that checks whether one of the files was deleted or replaced. Writing to a deleted
 * file succeeds, but everything written is lost when the process stops.
 */
function watchFiles(files: readonly string[]): () => boolean {
  const opened = files.map((file) => statSync(file))
  const isGone = (file: string, at: number) => {
    try {
      const found = statSync(file, { throwIfNoEntry: false })
      return found?.ino !== opened[at]?.ino || found?.dev !== opened[at]?.dev
    } catch {
      // Other errors, such as a missing permission, do not mean that the file is gone.
      return false
    }
  }
  return () => files.some(isGone)
}
