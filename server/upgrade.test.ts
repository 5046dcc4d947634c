import { createHash } from 'node:crypto'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startAirtableStandIn } from '#demo/airtable-stand-in.ts'
import { countWaiting } from '#leads/store/reading.ts'
import type { Engine } from '#leads/store/tables.ts'
import { testLead } from '#testing/app.ts'
import { createLocation, engines, runSql } from '#testing/database.ts'
import released from '#testing/schemas/released.json' with { type: 'json' }
import { waitUntil } from '#testing/server-process.ts'
import { startTestSite } from '#testing/site.ts'
import { migrationsDir, openDatabase } from './database.ts'

const ownTables = ['leads', 'deliveries', 'channels', 'settings', 'write_checks']
const schemasDir = 'testing/schemas'
const versions = readdirSync(schemasDir).flatMap(
  (file) => file.match(/^(\d+)\.sqlite\.sql$/)?.[1] ?? [],
)

type Rows = Record<string, Record<string, unknown>[]>

/** A database as that release left it, and what was in it. */
async function createReleased(engine: Engine, version: string) {
  const location = await createLocation(engine)
  const text = readFileSync(join(schemasDir, `${version}.${engine}.sql`), 'utf8')
  const before: Rows = {}
  if (engine === 'sqlite') {
    const sqlite = new DatabaseSync(join(location.dataDir, 'leads.db'))
    sqlite.exec(text)
    for (const table of ownTables)
      before[table] = sqlite
        .prepare(`select * from ${table}`)
        .all()
        .map((row) => ({ ...row }))
    sqlite.close()
  } else {
    const url = location.databaseUrl ?? ''
    await runSql(url, text)
    for (const table of ownTables)
      before[table] = (await runSql(url, `select * from public.${table}`)).map(toNumbers)
  }
  return { location, before }
}

// pg hands int8 over as text, unless it is told.
const toNumbers = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      /_(at|until|before)$/.test(name) && value !== null ? Number(value) : value,
    ]),
  )

const byText = (rows: Record<string, unknown>[]) => rows.map((row) => JSON.stringify(row)).sort()

describe.each(engines)('on %s', (engine) => {
  describe.each(versions)('a database of release %s', (version) => {
    it('opens with everything that was in it', async () => {
      const { location, before } = await createReleased(engine, version)
      const db = await openDatabase(location)
      onTestFinished(() => db.close())
      expect(before.leads?.length).toBeGreaterThan(5)
      for (const [table, rows] of Object.entries(before)) {
        const columns = Object.keys(rows[0] ?? {})
        if (columns.length === 0) continue
        const kept = await sql<Record<string, unknown>>`select ${sql.join(
          columns.map((column) => sql.ref(column)),
        )} from ${sql.table(table)}`.execute(db.kysely)
        const old = kept.rows.filter(({ name }) => name !== 'newest_migration')
        expect(byText(old.map((row) => ({ ...row })))).toEqual(byText(rows))
      }
    })

    it('gets delivered what waits in it, once, and takes new leads', async () => {
      const { location, before } = await createReleased(engine, version)
      const airtable = await startAirtableStandIn()
      const webhook = await startWebhook()
      onTestFinished(async () => {
        await airtable.close()
        webhook.close()
      })
      const { url } = await startTestSite({
        DATA_DIR: location.dataDir,
        DATABASE_URL: location.databaseUrl,
        AIRTABLE_API_URL: airtable.url,
        AIRTABLE_TOKEN: airtable.token,
        AIRTABLE_BASE_ID: airtable.baseId,
        AIRTABLE_TABLE: airtable.tableName,
        ALERT_WEBHOOK_URL: webhook.url,
      })
      const post = async (key: string, lead: object) => {
        const { status } = await fetch(`${url}/functions/v1/submit-to-airtable`, {
          method: 'POST',
          headers: {
            apikey: 'public-anon-key',
            'content-type': 'application/json',
            'idempotency-key': key,
          },
          body: JSON.stringify(lead),
        })
        return status
      }
      expect(await post('a new key', testLead)).toBe(400)
      expect(await post('another', testLead)).toBe(200)
      // That key came before the upgrade, with another lead.
      expect(await post('once', testLead)).toBe(409)
      const db = await openDatabase(location)
      onTestFinished(() => db.close())
      await waitUntil(
        async () => (await countWaiting(db)).length === 0 && webhook.heard.length >= 3,
        30_000,
      )
      const waited = before.deliveries?.filter(
        ({ state, channel, occasion }) =>
          state === 'waiting' && channel === 'airtable' && occasion === 'received',
      )
      const rows = airtable.records.map(({ fields }) => fields['Lead ID'])
      expect(new Set(rows).size).toBe(rows.length)
      for (const { lead_id: id } of waited ?? []) expect(rows).toContain(id)
      expect(webhook.heard.toSorted()).toEqual(
        ['new received', 'unanswered missed', `${testLead.name} received`].sort(),
      )
    })
  })

  it('a program that is older than the database says so and changes nothing', async () => {
    const location = await createLocation(engine)
    const newer = mkdtempSync(join(tmpdir(), 'migrations-'))
    onTestFinished(() => rmSync(newer, { recursive: true }))
    for (const file of readdirSync(migrationsDir))
      copyFileSync(join(migrationsDir, file), join(newer, file))
    writeFileSync(join(newer, '20990101000000_more.sql'), 'alter table leads add more text')
    await (await openDatabase(location, newer)).close()
    await expect(openDatabase(location)).rejects.toThrow(
      /^The database was written by a newer version of this program \(its migration 20990101000000_more is not known here\)\. [^\n]+\.$/,
    )
    await (await openDatabase(location, newer)).close()
  })
})

it.skipIf(!engines.includes('postgres'))(
  'the owner’s own migrations on Supabase are not taken for a newer version',
  async () => {
    const location = await createLocation('postgres')
    await (await openDatabase(location)).close()
    await runSql(
      location.databaseUrl ?? '',
      `insert into supabase_migrations.schema_migrations (version, name, statements)
       values ('20990101000000', 'newsletter', '{create table subscribers (id text)}'),
         ('20990101000001', 'preferences', '{alter table subscribers add settings jsonb}')`,
    )
    await (await openDatabase(location)).close()
  },
)

it('a released migration is never edited: what is to change goes into a new one', () => {
  const hashes = Object.keys(released).map((file) => [
    file,
    createHash('sha256')
      .update(readFileSync(join(migrationsDir, file)))
      .digest('hex'),
  ])
  expect(Object.fromEntries(hashes)).toEqual(released)
})

it('every release has its fixture for both engines', () => {
  const last = Object.keys(released).sort().at(-1)?.split('_')[0]
  expect(versions.at(-1)).toBe(last)
  for (const version of versions)
    expect(readdirSync(schemasDir)).toContain(`${version}.postgres.sql`)
})

it.each(engines)('the tables that this test looks at are all there are on %s', async (engine) => {
  const location = await createLocation(engine)
  const db = await openDatabase(location)
  onTestFinished(() => db.close())
  const tables = await db.kysely.introspection.getTables()
  const names = tables.map(({ name }) => name).filter((name) => name !== 'schema_migrations')
  expect(names.sort()).toEqual([...ownTables].sort())
})

async function startWebhook() {
  const heard: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const { data, type } = JSON.parse(body)
    heard.push(`${data.lead.name.replace(/^.* /, '')} ${type.replace(/^.*\./, '')}`)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, heard, close: () => server.close() }
}
