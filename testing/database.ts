import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import type { Database, Engine } from '#leads/store/tables.ts'
import { type DatabaseLocation, migrationsDir, openDatabase } from '#server/database.ts'

const server = inject('postgresUrl')

/** The database engines, for `describe.each(engines)`. */
export const engines: Engine[] = ['sqlite', 'postgres']

/** Opens an empty database. Migrations run once per worker, because they are slower than a test. */
export async function openTestDatabase(engine: Engine): Promise<Database> {
  return engine === 'sqlite' ? openSqliteCopy() : emptyPostgres()
}

let template: Buffer | undefined
async function openSqliteCopy() {
  const dataDir = createDir()
  const file = join(dataDir, 'leads.db')
  if (template) writeFileSync(file, template)
  else {
    await openDatabase({ dataDir }).then((db) => db.close())
    template = readFileSync(file)
  }
  const db = await openLocation({ dataDir })
  // Tests do not need durability.
  await sql`pragma synchronous = off`.execute(db.kysely)
  return db
}

// Much faster than `truncate` on small tables.
const emptyTables = sql`
  do $$ declare name text; begin
    for name in select tablename from pg_tables where schemaname = 'public'
    loop execute format('delete from %I', name); end loop;
  end $$`

let shared: Awaited<ReturnType<typeof openDatabase>> | undefined
async function emptyPostgres() {
  shared ??= await openDatabase(await locateShared())
  await emptyTables.execute(shared.kysely)
  return { ...shared, close: async () => {} }
}

/** All test files in a worker share a database, because creating one takes longer than most tests. */
async function locateShared(): Promise<DatabaseLocation> {
  const name = `leads_${process.env.VITEST_POOL_ID}`
  const found = await runSql(server, `select from pg_database where datname = '${name}'`)
  if (found.length === 0) await runSql(server, `create database ${name}`)
  return locatePostgres(name)
}

/** Creates an empty location: a folder for SQLite, or a PostgreSQL database without tables. */
export async function createLocation(engine: Engine): Promise<DatabaseLocation> {
  return engine === 'sqlite' ? { dataDir: createDir() } : createPostgres()
}

/** Opens a database, migrates it, and closes it after the test. */
export async function openLocation(...location: Parameters<typeof openDatabase>) {
  const db = await openDatabase(...location)
  onTestFinished(() => db.close())
  return db
}

/** Creates a temporary folder and removes it after the test. */
export function createDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'leads-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

/** Returns a folder with all migrations and the given files. */
export function copyMigrations(extra: Record<string, string>): string {
  const dir = createDir()
  cpSync(migrationsDir, dir, { recursive: true })
  for (const [file, text] of Object.entries(extra)) writeFileSync(join(dir, file), text)
  return dir
}

// The databases are removed together with the server.
async function createPostgres(): Promise<DatabaseLocation> {
  const name = `leads_${crypto.randomUUID().replaceAll('-', '')}`
  await runSql(server, `create database ${name}`)
  return locatePostgres(name)
}

const locatePostgres = (name: string): DatabaseLocation => ({
  dataDir: '',
  databaseUrl: new URL(`/${name}`, server).href,
})

export async function runSql(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
