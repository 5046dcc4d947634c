import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { startAirtableStandIn } from '#demo/airtable-stand-in.ts'
import { startHttpStandIn } from '#demo/http-stand-in.ts'
import { countWaiting, listLeads } from '#leads/store/reading.ts'
import type { Engine } from '#leads/store/tables.ts'
import { postLead, testLead } from '#testing/app.ts'
import { createLocation, engines, runSql } from '#testing/database.ts'
import { waitUntil } from '#testing/server-process.ts'
import { startTestSite } from '#testing/site.ts'
import { migrationsDir, openDatabase } from './database.ts'
import released from './released.json' with { type: 'json' }

const receivedAt = Date.parse('2026-01-15T12:00:00Z')

const makeLead = (id: string, changes: object = {}) => ({
  id,
  name: `Zoë O'Hara ${id}`,
  email: `${id}@example.com`,
  phone: '(555) 123-4567',
  address: `1 Main St\nApt "${id}"`,
  service_type: 'roof-repair',
  received_at: receivedAt,
  client_address: '203.0.113.7',
  client_network: '203.0.113.0/24',
  idempotency_key: `key:${id}`,
  body_hash: `hash of ${id}`,
  consent: '2026-11',
  suspect: null,
  answered_at: null,
  answered_by: null,
  escalate_at: null,
  ...changes,
})

const makeDelivery = (leadId: string, channel: string, occasion: string, changes: object = {}) => ({
  lead_id: leadId,
  channel,
  occasion,
  state: 'waiting',
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

const sent = { state: 'sent', attempts: 1, settled_at: receivedAt + 900, note: 'Without Status.' }
const cancelled = { state: 'cancelled', settled_at: receivedAt + 60_000, note: 'Answered.' }
const tried = { attempts: 7, next_attempt_at: receivedAt + 900_000, last_error: 'Answered 503' }
const leased = { attempts: 1, leased_until: receivedAt + 45_000, lease_holder: 'a dead process' }

/** What the release may have left behind, in every state. */
const left = {
  leads: [
    makeLead('new', { service_type: '' }),
    makeLead('tried', { client_network: null, consent: null }),
    makeLead('leased', { suspect: 'trap' }),
    makeLead('unanswered', { escalate_at: receivedAt + 480_000 }),
    makeLead('answered', { answered_at: receivedAt + 60_000, answered_by: 'link' }),
  ],
  deliveries: [
    makeDelivery('new', 'airtable', 'received'),
    makeDelivery('new', 'webhook', 'received'),
    makeDelivery('tried', 'airtable', 'received', tried),
    makeDelivery('tried', 'webhook', 'received', sent),
    makeDelivery('leased', 'airtable', 'received', leased),
    makeDelivery('unanswered', 'airtable', 'received', sent),
    makeDelivery('unanswered', 'webhook', 'unanswered-4', sent),
    makeDelivery('answered', 'airtable', 'received', sent),
    makeDelivery('answered', 'airtable', 'answered'),
    makeDelivery('answered', 'webhook', 'unanswered-4', cancelled),
  ],
  channels: [{ name: 'airtable', lease_holder: null, leased_until: 0, not_before: receivedAt }],
  settings: [{ name: 'link-secret', value: 'kept by the product' }],
}

const quote = (value: unknown) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)
const writeInsert = (table: string, row: object) =>
  `insert into ${table} (${Object.keys(row)}) values (${Object.values(row).map(quote)});`

type Rows = Record<string, readonly object[]>

/** A database as an earlier copy made it, written by hand: today's program has no part in it. */
async function createEarlier(engine: Engine, firstPending = '20261115000006', rows: Rows = left) {
  const location = await createLocation(engine)
  const applies = (file: string) => engine === 'postgres' || !file.endsWith('.postgres.sql')
  const schema = engine === 'sqlite' ? '' : 'supabase_migrations'
  const records = [schema, 'schema_migrations'].filter(Boolean).join('.')
  const text = [
    schema && `create schema ${schema};`,
    `create table ${records} (version text primary key, name text);`,
    ...Object.keys(released)
      .filter((file) => applies(file) && file < firstPending)
      .flatMap((file) => {
        const [, version, name] = file.match(/^(\d+)_(.+)\.sql$/) ?? []
        const record = writeInsert(records, { version, name })
        return [readFileSync(join(migrationsDir, file), 'utf8'), record]
      }),
    ...Object.entries(rows).flatMap(([table, some]) => some.map((row) => writeInsert(table, row))),
  ].join('\n')
  if (location.databaseUrl) await runSql(location.databaseUrl, text)
  else {
    const sqlite = new DatabaseSync(join(location.dataDir, 'leads.db'))
    sqlite.exec(text)
    sqlite.close()
  }
  return location
}

it.each(engines)(
  'a database of the release opens on %s with all that was in it',
  async (engine) => {
    const db = await openDatabase(await createEarlier(engine))
    onTestFinished(() => db.close())
    for (const [table, rows] of Object.entries(left)) {
      const kept = await sql`select * from ${sql.table(table)}`.execute(db.kysely)
      expect(kept.rows).toEqual(
        expect.arrayContaining(rows.map((row: object) => expect.objectContaining(row))),
      )
    }
  },
)

it.each(engines)('what waits in it on %s is delivered once, and it takes leads', async (engine) => {
  const location = await createEarlier(engine)
  const airtable = await startAirtableStandIn()
  const heard: string[] = []
  const webhook = await startHttpStandIn({
    chooseFault: () => undefined,
    answer({ text }) {
      const { data, type } = JSON.parse(text)
      heard.push(`${data.lead.name.split(' ').at(-1)} ${type.split('.').at(-1)}`)
      return { status: 200, body: {} }
    },
  })
  onTestFinished(async () => {
    await airtable.close()
    await webhook.close()
  })
  const { dataDir: DATA_DIR, databaseUrl: DATABASE_URL } = location
  const alerts = { ...airtable.env, ALERT_WEBHOOK_URL: webhook.url }
  const { url } = await startTestSite({ DATA_DIR, DATABASE_URL, ...alerts })
  const post = async (key: string) =>
    (await postLead(url, testLead, { 'idempotency-key': key })).status
  expect(await post('another')).toBe(200)
  // That key came before the upgrade, with another lead.
  expect(await post('new')).toBe(409)
  const db = await openDatabase(location)
  onTestFinished(() => db.close())
  await waitUntil(async () => (await countWaiting(db)).length === 0 && heard.length >= 3, 30_000)
  const rows = airtable.records.map(({ fields }) => fields['Lead ID'])
  expect(new Set(rows).size).toBe(rows.length)
  expect(rows).toEqual(expect.arrayContaining(['new', 'tried', 'leased']))
  expect(heard.sort()).toEqual(['Zoë received', 'new received', 'unanswered missed'])
})

it.each(engines)('deliveries from before they had an occasion are kept on %s', async (engine) => {
  const { answered_at, answered_by, escalate_at, client_network, ...lead } = makeLead('1')
  const { occasion, ...delivery } = makeDelivery('1', 'airtable', 'received', tried)
  const rows = { leads: [lead], deliveries: [delivery] }
  const db = await openDatabase(await createEarlier(engine, '20261115000003', rows))
  onTestFinished(() => db.close())
  const deliveries = [{ channel: 'airtable', occasion, state: 'waiting', attempts: 7 }]
  expect(await listLeads(db, { limit: 2 })).toMatchObject([
    { id: '1', answeredAt: null, deliveries },
  ])
})

it('a released migration is never edited: what is to change goes into a new one', () => {
  for (const [file, hash] of Object.entries(released)) {
    const text = readFileSync(join(migrationsDir, file))
    expect([file, createHash('sha256').update(text).digest('hex')]).toEqual([file, hash])
  }
})
