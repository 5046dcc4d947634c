import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { type DatabaseLocation, openDatabase } from '../database.ts'
import type { Database, Engine } from '../supabase/functions/submit-to-airtable/store.ts'

/** The engines to run a test on: `describe.each(engines)`. */
export const engines: Engine[] = inject('postgresUrl') ? ['sqlite', 'postgres'] : ['sqlite']

/** A migrated database of the test's own, gone when the test is. */
export async function openTestDatabase(engine: Engine): Promise<Database> {
  const db = await openDatabase(await createLocation(engine))
  onTestFinished(() => db.close())
  return db
}

/** A place for a database: an empty folder, or an empty database on the test server. */
export async function createLocation(engine: Engine): Promise<DatabaseLocation> {
  const dataDir = mkdtempSync(join(tmpdir(), 'leads-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  if (engine === 'sqlite') return { dataDir }

  const server = inject('postgresUrl') ?? ''
  const name = `leads_${crypto.randomUUID().replaceAll('-', '')}`
  await runSql(server, `create database ${name}`)
  onTestFinished(async () => {
    await runSql(server, `drop database if exists ${name} with (force)`)
  })
  const url = new URL(server)
  url.pathname = `/${name}`
  return { dataDir, databaseUrl: url.href }
}

export async function runSql(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
