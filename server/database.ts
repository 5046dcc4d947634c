import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { openPostgres } from '#leads/store/postgres.ts'
import type { Database, Tables } from '#leads/store/tables.ts'
import { UserError } from '#leads/user-error.ts'
import { createGroupCommit } from './group-commit.ts'
import { explain, migratePostgres, migrateSqlite } from './migrations.ts'
import { createSqliteDialect, retryWhileLocked } from './sqlite-dialect.ts'

export const migrationsDir = join(import.meta.dirname, '../supabase/migrations')

export type DatabaseLocation = {
  databaseUrl?: string | undefined
  dataDir: string
  /** How long to wait while another program holds SQLite's lock. */
  lockWaitMs?: number | undefined
}

/** Opens the database with all migrations applied; throws one plain sentence when it cannot. */
export async function openDatabase(
  { databaseUrl, dataDir, lockWaitMs = 5_000 }: DatabaseLocation,
  migrations = migrationsDir,
): Promise<Database & { close(): Promise<void> }> {
  if (databaseUrl === undefined) return openSqlite(dataDir, migrations, lockWaitMs)
  await migratePostgres(databaseUrl, migrations)
  return openPostgres(databaseUrl)
}

async function openSqlite(dataDir: string, migrations: string, lockWaitMs: number) {
  const file = join(dataDir, 'leads.db')
  let sqlite: DatabaseSync
  try {
    makeDir(dataDir)
    // SQLite gives a new file to all who may read the folder, and its log the rights of the file.
    closeSync(openSync(file, 'a', 0o600))
    sqlite = new DatabaseSync(file, { timeout: 0, enableForeignKeyConstraints: true })
    await retryWhileLocked(() => sqlite.exec('pragma journal_mode = wal'), lockWaitMs)
    // In WAL mode only FULL syncs at every commit; with NORMAL a power cut takes acknowledged leads.
    sqlite.exec('pragma synchronous = full')
  } catch (error) {
    throw new UserError(`The database ${file} (DATA_DIR) cannot be opened: ${explain(error)}.`)
  }
  try {
    await migrateSqlite(sqlite, migrations, lockWaitMs)
  } catch (error) {
    sqlite.close()
    throw error
  }
  const kysely = new Kysely<Tables>({ dialect: createSqliteDialect(sqlite, lockWaitMs) })
  return {
    engine: 'sqlite' as const,
    kysely,
    transact: createGroupCommit(kysely),
    close: async () => {
      if (sqlite.isOpen) sqlite.close()
    },
  }
}

// Node's own recursive way never ends below /proc, where every folder is missing forever.
function makeDir(dir: string): void {
  if (existsSync(dir)) return
  makeDir(dirname(dir))
  try {
    mkdirSync(dir, { mode: 0o700 })
  } catch (error) {
    // Another process has just made it, or it cannot be made.
    if (!existsSync(dir)) throw new Error(`nothing can be written there (${explain(error)})`)
  }
}
