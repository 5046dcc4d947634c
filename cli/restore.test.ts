import {
  chownSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { acquire } from '#leads/store/claims.ts'
import { findLead } from '#leads/store/find-leads.ts'
import {
  findNewest,
  listPublished,
  publishDraft,
  savePageDraft,
} from '#leads/store/page-versions.ts'
import {
  addCrew,
  addLogEntry,
  listCrew,
  listLogEntries,
  listOwners,
  makeOwner,
} from '#leads/store/people.ts'
import { listDevices, saveDevice } from '#leads/store/push-devices.ts'
import type { Database } from '#leads/store/tables.ts'
import { hourMs } from '#leads/time-units.ts'
import { migrationsDir, openDatabase } from '#server/database.ts'
import { copyMigrations, createDir, createLocation, openLocation } from '#testing/database.ts'
import {
  countLeads,
  listLeads,
  makePhone,
  promiseFrom,
  record,
  storeLead,
  testTime,
} from '#testing/saved-leads.ts'
import { backUp } from './backup.ts'
import { restore, runRestore } from './restore.ts'

async function fill(leads: number, migrations = migrationsDir, dataDir = createDir()) {
  const db = await openDatabase({ dataDir }, migrations)
  for (let lead = 0; lead < leads; lead++) await storeLead(db)
  await db.close()
  return dataDir
}

async function count(dataDir: string): Promise<number> {
  const db = await openDatabase({ dataDir })
  return countLeads(db).finally(() => db.close())
}

const listIds = async (dataDir: string) =>
  (await listLeads(await openLocation({ dataDir }), { limit: 5 })).map(({ id }) => id)

const backUpNow = async (dataDir: string) =>
  (await backUp(dataDir, { backupDir: createDir(), keep: 3, now: testTime })).file

const ask = (replace = true) => ({ backupDir: createDir(), replace, now: testTime })

/** Creates the migrations of a future version. */
const createNewerMigrations = () =>
  copyMigrations({ '20990101000000_more.sql': 'alter table leads add column more text;' })

it('requires --replace to replace leads, and backs them up first', async () => {
  const dataDir = createDir()
  const db = await openDatabase({ dataDir })
  const first = await storeLead(db)
  const file = await backUpNow(dataDir)
  const second = await storeLead(db, { at: testTime + 1 })
  await db.close()

  const request = ask()
  const refused = restore(dataDir, file, { ...request, replace: false })
  await expect(refused).rejects.toThrow(/already has 2 leads\. Add --replace/)
  const { leads, kept = '' } = await restore(dataDir, file, request)
  expect(leads).toBe(1)
  expect(await listIds(dataDir)).toEqual([first])

  // The previous database is an ordinary backup, which can be restored and is later deleted.
  const other = createDir()
  await restore(other, kept, ask(false))
  expect(await listIds(other)).toEqual([second, first])
  await backUp(dataDir, { backupDir: request.backupDir, keep: 1, now: testTime + hourMs })
  expect(existsSync(kept)).toBe(false)
})

it('fails while the site is running', async () => {
  const dataDir = await fill(1)
  const file = await backUpNow(dataDir)
  const running = await openDatabase({ dataDir })
  await expect(restore(dataDir, file, ask())).rejects.toThrow(/The site is still using/)
  await running.close()
  expect((await restore(dataDir, file, ask())).leads).toBe(1)
})

it('resends alerts from the last hour, cancels older ones, and sends all leads to Airtable', async () => {
  const old = createDir()
  const db = await openDatabase({ dataDir: old })
  const oldLead = await storeLead(db, { at: testTime - 2 * hourMs })
  const nightLead = await storeLead(db, {
    at: testTime - 2 * hourMs,
    ...promiseFrom(testTime + hourMs),
    stepAt: testTime + hourMs,
    recipients: [],
  })
  const youngLead = await storeLead(db, { at: testTime - hourMs / 2 })
  const lead = { phone: '(612) 555-0111', email: 'mai@example.com' }
  const againLead = await storeLead(db, { lead, at: testTime - 2 * hourMs, recipients: [] })
  const callAgainAt = testTime + 2 * hourMs
  await record(db, againLead, 'no-answer', { at: testTime - hourMs, callAgainAt })
  // The crew may already have been asked for the result of this call.
  const calledLead = await storeLead(db, {
    at: testTime - 2 * hourMs,
    lead: { phone: '(612) 555-0112' },
    recipients: [],
  })
  await record(db, calledLead, 'called', { at: testTime - hourMs })
  // A process was sending when the backup was made.
  await acquire(db, 'email', { holder: 'gone', now: testTime, until: testTime + 45_000 })
  await db.close()
  const fresh = createDir()
  const { cancelledLeads } = await restore(fresh, await backUpNow(old), ask(false))
  expect(cancelledLeads).toEqual([oldLead, calledLead])
  const restored = await openLocation({ dataDir: fresh })
  const states = async (id: string) =>
    (await findLead(restored, id))?.deliveries.map(
      ({ recipient, state }) => `${recipient} ${state}`,
    )
  expect(await states(nightLead)).toEqual([])
  expect(await states(oldLead)).toEqual(['airtable waiting', 'email cancelled'])
  expect(await states(youngLead)).toEqual(['airtable waiting', 'email waiting'])
  const lease = { holder: 'new', now: testTime, until: testTime + 1 }
  expect(await acquire(restored, 'email', lease)).toBeDefined()
  const reminders = await restored.kysely
    .selectFrom('deliveries')
    .select('leadId as id')
    .where('isMessage', '=', 0)
    .orderBy('dueAt')
    .execute()
  expect(reminders).toEqual([{ id: youngLead }, { id: nightLead }, { id: againLead }])
})

it('does the same on PostgreSQL after pg_restore', async () => {
  const location = await createLocation('postgres')
  const db = await openLocation(location)
  const old = await storeLead(db, { at: testTime - 2 * hourMs })
  const recent = await storeLead(db, { at: testTime })
  await acquire(db, 'digest-email', { holder: 'gone', now: testTime, until: testTime + 45_000 })
  await db.kysely.updateTable('recipients').set({ digestFrom: testTime }).execute()
  const { databaseUrl: DATABASE_URL } = location
  const { text } = await runRestore(['--after-pg-restore'], { DATABASE_URL }, testTime)
  expect(text).toContain('Restored 2 leads. The newest is from 2026-11-15T12:00:00.000Z.\n')
  expect(text).toContain(old)
  expect(text).not.toContain(recent)
  const cancelled = db.kysely.selectFrom('deliveries').where('state', '=', 'cancelled')
  expect(await cancelled.select(['leadId', 'recipient']).execute()).toEqual([
    { leadId: old, recipient: 'email' },
  ])
  const leases = await db.kysely.selectFrom('recipients').selectAll().execute()
  expect(leases).toMatchObject([{ name: 'digest-email', holder: null, until: 0, digestFrom: null }])
})

it('removes push devices, which may have been signed out since the backup', async () => {
  const old = createDir()
  const db = await openDatabase({ dataDir: old })
  await saveDevice(db, makePhone())
  const notified = await storeLead(db, { recipients: ['airtable', 'push-0a1b2c3d'] })
  await db.close()
  const fresh = createDir()
  const variables = { DATA_DIR: fresh, BACKUP_DIR: createDir() }
  const run = async (...args: string[]) => (await runRestore(args, variables, testTime)).text
  const output = await run(await backUpNow(old))
  expect(output).toContain('Notifications are off.')
  expect(output).toContain('People removed after the backup can sign in again')
  expect(output).toContain(`  http://localhost:3001/#/lead/${notified}`)
  const restored = await openDatabase({ dataDir: fresh })
  expect(await listDevices(restored, { deskEmails: [], now: testTime })).toEqual([])
  const states = (await findLead(restored, notified))?.deliveries.map(({ state }) => state)
  expect(states).toEqual(['waiting', 'cancelled'])
  await restored.close()

  expect(await run(await backUpNow(await fill(1)), '--replace')).not.toMatch(/notification/i)
})

it('restores events, who may sign in, who is an owner, the log of the desk, the page, and its draft', async () => {
  const old = createDir()
  const db = await openDatabase({ dataDir: old })
  const email = 'dana@example.com'
  await addCrew(db, email)
  await makeOwner(db, email)
  const by = { person: 'Sam', email: 'sam@example.com' }
  await addLogEntry(db, { id: '1', at: testTime, ...by, action: 'added a person', about: email })
  const write = { ...by, now: testTime, content: { hero: { headline: 'Published' } } }
  await savePageDraft(db, { ...write, base: 0 })
  await publishDraft(db, { ...write, base: 1 })
  await savePageDraft(db, { ...write, base: 1, content: { hero: { headline: 'Draft' } } })
  const leadId = await storeLead(db)
  await record(db, leadId, 'called')
  const noEmails = { ownerEmails: [], deskEmails: [] }
  const readAll = async (from: Database) => [
    (await findLead(from, leadId))?.events,
    ...[await listCrew(from), await listOwners(from, noEmails), await listLogEntries(from, 5)],
    ...[...(await listPublished(from, 1)), await findNewest(from)],
  ]
  const saved = await readAll(db)
  expect(saved).toMatchObject([
    [{ kind: 'called' }],
    [email],
    [email],
    { people: [by], others: [] },
    { number: 1 },
    { number: 2 },
  ])
  await db.close()
  const fresh = createDir()
  await restore(fresh, await backUpNow(old), ask(false))
  expect(await readAll(await openLocation({ dataDir: fresh }))).toEqual(saved)
})

it('changes nothing if the backup is damaged or from a newer version', async () => {
  const dataDir = await fill(20)
  const file = await backUpNow(dataDir)
  const cut = `${file}.cut`
  writeFileSync(cut, readFileSync(file).subarray(0, statSync(file).size * 0.6))
  await expect(restore(dataDir, cut, ask())).rejects.toThrow(/is not a valid backup: .+\.$/)
  await expect(restore(dataDir, '/nowhere', ask())).rejects.toThrow(
    /^There is no file \/nowhere\. Check its name\. By default, backups are in \/.+\.$/,
  )
  const newer = await backUpNow(await fill(1, createNewerMigrations()))
  await expect(restore(dataDir, newer, ask())).rejects.toThrow(/by a newer version/)
  expect(await count(dataDir)).toBe(20)
})

it('restores a backup from before a migration, and the site migrates it again', async () => {
  const dataDir = await fill(1)
  const file = await backUpNow(dataDir)
  const migrations = createNewerMigrations()
  await fill(1, migrations, dataDir)
  expect((await restore(dataDir, file, ask())).leads).toBe(1)
  expect(await count(dataDir)).toBe(1)
  const tables = await (
    await openLocation({ dataDir }, migrations)
  ).kysely.introspection.getTables()
  const leads = tables.find(({ name }) => name === 'leads')
  expect(leads?.columns.map(({ name }) => name)).toContain('more')
})

it('changes nothing if the current database is damaged or only its log is left', async () => {
  const dataDir = await fill(50)
  const file = await backUpNow(dataDir)
  const path = join(dataDir, 'leads.db')
  const garbage = Buffer.from('garbage'.repeat(3_000))
  // The first is not a database; the second opens but has an overwritten page.
  for (const damaged of [garbage, readFileSync(path).fill(7, 8_192, 12_288)]) {
    writeFileSync(path, damaged)
    await expect(restore(dataDir, file, ask())).rejects.toThrow(/is damaged: .+ Move leads\.db/)
    // Leaving WAL mode changes only the header.
    expect(readFileSync(path).subarray(100)).toEqual(damaged.subarray(100))
  }
  renameSync(path, `${path}-wal`)
  await expect(restore(dataDir, file, ask())).rejects.toThrow(/may contain leads\. Move /)
  rmSync(`${path}-wal`)
  expect((await restore(dataDir, file, ask())).leads).toBe(50)
  expect(await count(dataDir)).toBe(50)
})

it.runIf(process.getuid?.() === 0)(
  'creates files that the site’s user owns, even when root runs it',
  async () => {
    const dataDir = await fill(1)
    const file = await backUpNow(dataDir)
    const nobody = 65_534
    for (const path of [dataDir, join(dataDir, 'leads.db')]) chownSync(path, nobody, nobody)
    const backupDir = join(dataDir, 'backups')
    const owners = (...paths: string[]) => new Set(paths.map((path) => statSync(path).uid))
    const { kept = '' } = await restore(dataDir, file, { ...ask(), backupDir })
    expect(owners(join(dataDir, 'leads.db'), backupDir, kept)).toEqual(new Set([nobody]))
    rmSync(join(dataDir, 'leads.db'))
    await restore(dataDir, file, { ...ask(), backupDir })
    expect(owners(join(dataDir, 'leads.db'))).toEqual(new Set([nobody]))
    expect(statSync(join(dataDir, 'leads.db')).mode & 0o777).toBe(0o600)
  },
)
