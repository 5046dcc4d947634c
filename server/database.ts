import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import pg from 'pg'
import { openPostgres } from '#leads/store/postgres.ts'
import type { Database, Tables } from '#leads/store/tables.ts'
import { UserError } from '#leads/user-error.ts'
import { createGroupCommit } from './group-commit.ts'
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

type Migration = { file: string; version: string; name: string; text: string }

// The Supabase CLI's own naming: <version>_<name>.sql.
function readMigrations(dir: string): Migration[] {
  return readdirSync(dir)
    .sort()
    .flatMap((file) => {
      const [, version, name] = file.match(/^(\d+)_(.+)\.sql$/) ?? []
      if (!version || !name) return []
      return [{ file, version, name, text: readFileSync(join(dir, file), 'utf8') }]
    })
}

async function migrateSqlite(sqlite: DatabaseSync, dir: string, lockWaitMs: number) {
  const migrations = readMigrations(dir).filter(({ file }) => !file.endsWith('.postgres.sql'))
  const applied = await retryWhileLocked(() => listApplied(sqlite), lockWaitMs)
  refuseNewer(applied, migrations)
  const isNew = ({ version }: Migration) => !applied.some((one) => one.version === version)
  for (const { file, version, name, text } of migrations.filter(isNew)) {
    try {
      // The write lock comes first, so a second process waits here and then finds the work done.
      await retryWhileLocked(() => sqlite.exec('begin immediate'), lockWaitMs)
      sqlite.exec(
        'create table if not exists schema_migrations (version text primary key, name text)',
      )
      const applied = sqlite
        .prepare('select 1 from schema_migrations where version = ?')
        .get(version)
      if (!applied) {
        sqlite.exec(text)
        sqlite.prepare('insert into schema_migrations values (?, ?)').run(version, name)
      }
      sqlite.exec('commit')
    } catch (error) {
      if (sqlite.isTransaction) sqlite.exec('rollback')
      throw new UserError(`The migration ${file} failed: ${explain(error)}.`)
    }
  }
}

function listApplied(sqlite: DatabaseSync): Applied[] {
  const isThere = sqlite
    .prepare(`select 1 from sqlite_master where name = 'schema_migrations'`)
    .get()
  return isThere
    ? (sqlite.prepare('select version, name from schema_migrations').all() as Applied[])
    : []
}

type Applied = { version: string; name: string | null }

/** What an older program would do to a newer schema nobody has tried: lose a lead, perhaps. */
function refuseNewer(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const known = new Set(migrations.map(({ version }) => version))
  const newest = migrations.at(-1)?.version ?? ''
  const newer = applied.find(({ version }) => !known.has(version) && version > newest)
  if (newer)
    throw new UserError(
      `The database was written by a newer version of this program (its migration ${newer.version}_${newer.name} is not known here). Start that version, or restore a backup from before it.`,
    )
}

// Any number will do, as long as all processes of this product ask for the same.
const migrationLock = 727_663

async function migratePostgres(url: string, dir: string): Promise<void> {
  const migrations = readMigrations(dir)
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw new UserError(`The database of DATABASE_URL cannot be reached: ${explain(error)}.`)
  }
  let file = ''
  try {
    refuseNewer(await findNewestOnPostgres(client), migrations)
    for (const migration of migrations) {
      file = migration.file
      await client.query('begin')
      await client.query(`select pg_advisory_xact_lock(${migrationLock})`)
      // Where the Supabase CLI keeps its records: either may apply a migration, and both know.
      await client.query(`
        create schema if not exists supabase_migrations;
        create table if not exists supabase_migrations.schema_migrations (version text primary key);
        alter table supabase_migrations.schema_migrations
          add column if not exists statements text[], add column if not exists name text`)
      const { version, name, text } = migration
      const { rowCount } = await client.query(
        'select 1 from supabase_migrations.schema_migrations where version = $1',
        [version],
      )
      if (rowCount === 0) {
        await client.query(text)
        await client.query(
          'insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)',
          [version, name, [text]],
        )
      }
      await keepNewestOnPostgres(client, migration)
      await client.query('commit')
    }
  } catch (error) {
    if (file === '') throw error
    throw new UserError(`The migration ${file} failed: ${explain(error)}.`)
  } finally {
    await client.end().catch(() => {})
  }
}

// Among our own settings, because on Supabase schema_migrations holds the owner's own, too, and they
// may come later than ours and speak of anything.
const newestSetting = 'newest_migration'

async function findNewestOnPostgres(client: pg.Client): Promise<Applied[]> {
  if (!(await hasSettings(client))) return []
  const { rows } = await client.query('select value from settings where name = $1', [newestSetting])
  return rows.map(({ value }) => {
    const [, version, name] = value.match(/^(\d+)_(.+)$/)
    return { version, name }
  })
}

async function keepNewestOnPostgres(client: pg.Client, { version, name }: Migration) {
  if (!(await hasSettings(client))) return
  await client.query(
    `insert into settings (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value where settings.value < excluded.value`,
    [newestSetting, `${version}_${name}`],
  )
}

// The first migrations had none.
async function hasSettings(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass('settings') is not null as is_there`)
  return rows[0]?.is_there
}

// Node reports a refused connection to a name with two addresses as an AggregateError without text.
function explain(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(explain).join('; ')
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}
