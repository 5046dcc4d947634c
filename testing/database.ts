import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, inject, onTestFinished } from 'vitest'
import { type DatabaseLocation, openDatabase } from '../server/database.ts'
import type { Database, Engine } from '../supabase/functions/submit-to-airtable/store.ts'

const server = inject('postgresUrl') ?? ''

/** The engines to run a test on: `describe.each(engines)`. */
export const engines: Engine[] = server ? ['sqlite', 'postgres'] : ['sqlite']

/** An empty, migrated database: a new folder, or the test file's own on the Postgres server. */
export async function openTestDatabase(engine: Engine): Promise<Database> {
  const db = await openDatabase(
    engine === 'sqlite' ? { dataDir: createDir() } : await findEmptyPostgres(),
  )
  onTestFinished(() => db.close())
  return db
}

// Creating a database takes Postgres longer than a test does, so the tests of a file share one.
let ofThisFile: DatabaseLocation | undefined
async function findEmptyPostgres(): Promise<DatabaseLocation> {
  if (ofThisFile?.databaseUrl)
    await runSql(
      ofThisFile.databaseUrl,
      'truncate leads, deliveries, channels, settings, write_checks',
    )
  ofThisFile ??= await createPostgres()
  return ofThisFile
}

/** A place where no database has been yet. */
export async function createLocation(engine: Engine): Promise<DatabaseLocation> {
  return engine === 'sqlite' ? { dataDir: createDir() } : createPostgres()
}

/** A folder of the test’s own. */
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
