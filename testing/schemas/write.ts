// Writes the database of this moment as the fixture of a release: once for each, before its first
// migration after the last release reaches an owner. Then add its migrations to released.json.
//   node testing/schemas/write.ts
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Database } from '#leads/store/tables.ts'
import { openDatabase } from '#server/database.ts'
import { startPostgres } from '../postgres.ts'

const dir = mkdtempSync(join(tmpdir(), 'schema-'))
const postgres = await startPostgres()
try {
  const sqlite = await openDatabase({ dataDir: dir })
  await fill(sqlite)
  await sqlite.close()
  const file = new DatabaseSync(join(dir, 'leads.db'))
  const version = String(
    file.prepare('select max(version) as version from schema_migrations').get()?.version,
  )
  writeFileSync(join(import.meta.dirname, `${version}.sqlite.sql`), dumpSqlite(file))
  file.close()

  const db = await openDatabase({ dataDir: '', databaseUrl: postgres.url })
  await fill(db)
  await db.close()
  const schemas = ['--schema=public', '--schema=supabase_migrations']
  const options = ['--inserts', '--no-owner', '--no-privileges', '--no-comments', ...schemas]
  const dump = execFileSync('pg_dump', [...options, postgres.url], { encoding: 'utf8' })
  // What only psql or a newer server understands, and what every database has already.
  const strange = /^(\\(un)?restrict |CREATE SCHEMA public;|SET transaction_timeout)/
  const text = dump.split('\n').filter((line) => !strange.test(line))
  writeFileSync(join(import.meta.dirname, `${version}.postgres.sql`), `${text.join('\n')}\n`)
} finally {
  await postgres.remove()
  rmSync(dir, { recursive: true, force: true })
}

function dumpSqlite(file: DatabaseSync): string {
  const objects = file
    .prepare(`select type, name, sql from sqlite_master where sql is not null order by rowid`)
    .all() as { type: string; name: string; sql: string }[]
  const lines = objects.map(({ sql }) => `${sql};`)
  for (const { name } of objects.filter(({ type }) => type === 'table')) {
    for (const row of file.prepare(`select * from ${name}`).all()) {
      const values = Object.values(row).map((value) =>
        typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value),
      )
      lines.push(`insert into ${name} values (${values.join(', ')});`)
    }
  }
  return `${lines.join('\n')}\n`
}

/** Leads in every state that a process may leave behind. */
async function fill({ kysely }: Database): Promise<void> {
  const receivedAt = Date.parse('2026-01-15T12:00:00Z')
  const lead = (id: string, changes: object = {}) => ({
    id,
    name: `Zoë O'Hara ${id}`,
    email: `${id}@example.com`,
    phone: '(555) 123-4567',
    address: `1 Main St\nApt "${id}"`,
    service_type: 'roof-repair' as const,
    received_at: receivedAt,
    client_address: '203.0.113.7',
    client_network: '203.0.113.0/24',
    idempotency_key: null,
    body_hash: `hash of ${id}`,
    suspect: null,
    consent: '2026-11',
    answered_at: null,
    answered_by: null,
    escalate_at: null,
    ...changes,
  })
  const delivery = (leadId: string, channel: string, occasion: string, changes: object = {}) => ({
    lead_id: leadId,
    channel,
    occasion: occasion as 'received',
    state: 'waiting' as const,
    attempts: 0,
    next_attempt_at: receivedAt,
    leased_until: 0,
    lease_holder: null,
    last_error: null,
    note: null,
    created_at: receivedAt,
    settled_at: null,
    ...changes,
  })
  const sent = { state: 'sent', attempts: 1, settled_at: receivedAt + 900 }
  await kysely
    .insertInto('leads')
    .values([
      lead('new', { idempotency_key: 'key:once', service_type: '' }),
      lead('tried'),
      lead('half-sent'),
      lead('leased'),
      lead('suspect', { suspect: 'trap field', client_network: null, consent: null }),
      lead('unanswered', { escalate_at: receivedAt + 480_000 }),
      lead('answered', { answered_at: receivedAt + 60_000, answered_by: 'link' }),
      lead('done', { answered_at: receivedAt + 90_000, answered_by: 'airtable' }),
    ])
    .execute()
  await kysely
    .insertInto('deliveries')
    .values([
      delivery('new', 'airtable', 'received'),
      delivery('new', 'webhook', 'received'),
      delivery('tried', 'airtable', 'received', {
        attempts: 7,
        next_attempt_at: receivedAt + 900_000,
        last_error: 'Airtable answered 503',
      }),
      delivery('half-sent', 'airtable', 'received'),
      delivery('half-sent', 'webhook', 'received', sent),
      delivery('leased', 'airtable', 'received', {
        attempts: 1,
        leased_until: receivedAt + 45_000,
        lease_holder: 'a process that is gone',
      }),
      delivery('suspect', 'airtable', 'received', { ...sent, note: 'Status was not taken.' }),
      delivery('unanswered', 'airtable', 'received', sent),
      delivery('unanswered', 'webhook', 'received', sent),
      delivery('unanswered', 'webhook', 'unanswered-4', sent),
      delivery('answered', 'airtable', 'received', sent),
      delivery('answered', 'airtable', 'answered'),
      delivery('answered', 'webhook', 'unanswered-4', {
        state: 'cancelled',
        note: 'Answered before it was sent.',
        settled_at: receivedAt + 60_000,
      }),
      delivery('done', 'airtable', 'received', sent),
      delivery('done', 'airtable', 'answered', sent),
    ])
    .execute()
  await kysely
    .insertInto('channels')
    .values({ name: 'airtable', lease_holder: null, leased_until: 0, not_before: receivedAt })
    .execute()
  await kysely
    .insertInto('settings')
    .values({ name: 'link-secret', value: 'kept by the product' })
    .execute()
}
