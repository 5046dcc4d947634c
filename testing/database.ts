import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, inject, onTestFinished } from 'vitest'
import type { Database, Engine } from '#leads/store/tables.ts'
import { type DatabaseLocation, openDatabase } from '#server/database.ts'

const server = inject('postgresUrl')

/** The database engines, for `describe.each(engines)`. */
export const engines: Engine[] = ['sqlite', 'postgres']

/** Opens an empty database. Migrations run once per test file, because they are slower than a test. */
export async function openTestDatabase(engine: Engine): Promise<Database> {
  return engine === 'sqlite' ? openSqliteCopy() : emptyPostgres()
}

let template: string | undefined
async function openSqliteCopy() {
  if (!template) {
    template = mkdtempSync(join(tmpdir(), 'leads-'))
    await openDatabase({ dataDir: template }).then((db) => db.close())
  }
  const dataDir = createDir()
  cpSync(join(template, 'leads.db'), join(dataDir, 'leads.db'))
  const db = await openLocation({ dataDir })
  // Tests do not need durability.
  await sql`pragma synchronous = off`.execute(db.kysely)
  return db
}

let shared: Awaited<ReturnType<typeof openDatabase>> | undefined
async function emptyPostgres() {
  if (shared)
    await sql`truncate leads, deliveries, channels, settings, write_checks, desk_links, desk_crew, desk_sessions, push_devices, confirmation_limits`.execute(
      shared.kysely,
    )
  shared ??= await openDatabase(await createPostgres())
  return { ...shared, close: async () => {} }
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

const created: string[] = []
async function createPostgres(): Promise<DatabaseLocation> {
  const name = `leads_${crypto.randomUUID().replaceAll('-', '')}`
  await runSql(server, `create database ${name}`)
  created.push(name)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { dataDir: '', databaseUrl: url.href }
}

afterAll(async () => {
  if (template) rmSync(template, { recursive: true })
  await shared?.close()
  for (const name of created) await runSql(server, `drop database ${name} with (force)`)
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
