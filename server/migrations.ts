import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { UserError } from '#leads/user-error.ts'
import { retryWhileLocked } from './sqlite-dialect.ts'

type Applied = { version: string; name: string | null }
type Migration = { file: string; version: string; name: string; text: string }

// The Supabase CLI names migrations <version>_<name>.sql.
function readMigrations(dir: string): Migration[] {
  return readdirSync(dir)
    .sort()
    .flatMap((file) => {
      const [, version, name] = file.match(/^(\d+)_(.+)\.sql$/) ?? []
      if (!version || !name) return []
      return [{ file, version, name, text: readFileSync(join(dir, file), 'utf8') }]
    })
}

const isNewTo = (applied: readonly Applied[]) => (migration: Applied) =>
  !applied.some(({ version }) => version === migration.version)

/** Rejects a newer schema, because this older code could lose leads. */
function refuseNewer(applied: readonly Applied[], migrations: readonly Migration[]): void {
  const newest = migrations.at(-1)?.version ?? ''
  const newer = applied.filter(isNewTo(migrations)).find(({ version }) => version > newest)
  if (newer)
    throw new UserError(
      `The database was upgraded by a newer version of this program (unknown migration ${newer.version}_${newer.name}). Start that version, or restore a backup from before the upgrade.`,
    )
}

const refuseOlder = ({ file }: Migration) =>
  new UserError(
    `The database is older than this program: it needs the migration ${file}. Restart the site, which applies it, and run this again. On Supabase, run npx supabase db push first.`,
  )

const explainFailure = (migration: Migration | undefined, error: unknown) =>
  error instanceof UserError
    ? error
    : new UserError(`The migration ${migration?.file} failed: ${explainFault(error)}.`)

export async function migrateSqlite(
  sqlite: DatabaseSync,
  dir: string,
  { lockWaitMs, mayMigrate }: { lockWaitMs: number; mayMigrate: boolean },
) {
  const migrations = readMigrations(dir).filter(({ file }) => !file.endsWith('.postgres.sql'))
  const listPending = () => {
    const hasRecords = sqlite
      .prepare(`select 1 from sqlite_master where name = 'schema_migrations'`)
      .get()
    if (!hasRecords) return migrations
    const applied = sqlite.prepare('select version, name from schema_migrations').all() as Applied[]
    refuseNewer(applied, migrations)
    return migrations.filter(isNewTo(applied))
  }
  let [migration] = await retryWhileLocked(listPending, lockWaitMs)
  if (!migration) return
  if (!mayMigrate) throw refuseOlder(migration)
  try {
    // Acquire the write lock first, so a second process waits here and then has nothing to do.
    await retryWhileLocked(() => sqlite.exec('begin immediate'), lockWaitMs)
    sqlite.exec(
      'create table if not exists schema_migrations (version text primary key, name text)',
    )
    for (migration of listPending()) {
      const { version, name, text } = migration
      sqlite.exec(text)
      sqlite.prepare('insert into schema_migrations values (?, ?)').run(version, name)
    }
    sqlite.exec('commit')
  } catch (error) {
    if (sqlite.isTransaction) sqlite.exec('rollback')
    throw explainFailure(migration, error)
  }
}

// Any number works, as long as every process uses the same one.
const migrationLock = 727_663

// On Supabase, schema_migrations may also list later migrations that the owner added, so store our newest
// one in settings.
const newestSetting = 'newest_migration'

export async function migratePostgres(
  url: string,
  dir: string,
  { mayMigrate }: { mayMigrate: boolean },
): Promise<void> {
  const migrations = readMigrations(dir)
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
  } catch (error) {
    throw new UserError(`Cannot connect to the database in DATABASE_URL: ${explainFault(error)}.`)
  }
  let [migration] = migrations
  try {
    await client.query('begin')
    await client.query(`select pg_advisory_xact_lock(${migrationLock})`)
    refuseNewer(await readNewest(client), migrations)
    const pending = migrations.filter(isNewTo(await readApplied(client)))
    if (!mayMigrate) {
      if (pending[0]) throw refuseOlder(pending[0])
      return
    }
    // The Supabase CLI uses the same table, so either program can apply migrations.
    await client.query(`
      create schema if not exists supabase_migrations;
      create table if not exists supabase_migrations.schema_migrations (version text primary key);
      alter table supabase_migrations.schema_migrations
        add column if not exists statements text[], add column if not exists name text`)
    for (migration of pending) {
      const { version, name, text } = migration
      await client.query(text)
      await client.query(
        'insert into supabase_migrations.schema_migrations (version, name, statements) values ($1, $2, $3)',
        [version, name, [text]],
      )
    }
    const newest = migrations.at(-1)
    await client.query(
      `insert into settings (name, value) values ($1, $2)
       on conflict (name) do update set value = excluded.value where settings.value < excluded.value`,
      [newestSetting, `${newest?.version}_${newest?.name}`],
    )
    await client.query('commit')
  } catch (error) {
    throw explainFailure(migration, error)
  } finally {
    await client.end().catch(() => {})
  }
}

async function readApplied(client: pg.Client): Promise<Applied[]> {
  const table = 'supabase_migrations.schema_migrations'
  const found = await client.query('select to_regclass($1) as records', [table])
  return found.rows[0].records ? (await client.query(`select * from ${table}`)).rows : []
}

async function readNewest(client: pg.Client): Promise<Applied[]> {
  const found = await client.query(`select to_regclass('settings') as settings`)
  if (!found.rows[0].settings) return []
  const { rows } = await client.query('select value from settings where name = $1', [newestSetting])
  return rows.map(({ value }) => {
    const [, version, name] = value.match(/^(\d+)_(.+)$/)
    return { version, name }
  })
}

// If a host has two IP addresses, Node reports a refused connection as an AggregateError without a message.
export function explainFault(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(explainFault).join('; ')
  return error instanceof Error ? error.message.replace(/\.$/, '') : String(error)
}
