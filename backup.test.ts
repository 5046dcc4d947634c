import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { backUp } from './backup.ts'
import { startVisitors } from './bench/visitors.ts'
import { restore } from './restore.ts'
import { type DatabaseLocation, openDatabase } from './server/database.ts'
import {
  claimDue,
  countLeads,
  type Database,
  findLead,
  listLeads,
  saveLead,
} from './supabase/functions/submit-to-airtable/store.ts'
import { startAirtableStandIn } from './testing/airtable-stand-in.ts'
import { testLead } from './testing/app.ts'
import { createLocation, engines } from './testing/database.ts'
import { spawnServer, waitUntil } from './testing/server-process.ts'

const nowAt = Date.parse('2026-11-15T12:00:00Z')
const hourMs = 60 * 60_000

async function createBackupDir(): Promise<string> {
  const { dataDir } = await createLocation('sqlite')
  return join(dataDir, 'backups')
}

async function open(location: DatabaseLocation) {
  const db = await openDatabase(location)
  onTestFinished(() => db.close())
  return db
}

async function save(db: Database, receivedAt: number, channels = ['airtable', 'email']) {
  const saved = await saveLead(
    db,
    {
      lead: { ...testLead, serviceType: 'roof-repair' },
      details: { suspect: null, consent: null, source: null },
      bodyHash: '',
      clientAddress: '',
      idempotencyKeys: [],
      channels,
      escalateAt: receivedAt + 240_000,
    },
    { now: receivedAt, limitPerMinute: 0 },
  )
  return saved.outcome === 'saved' ? saved.leadId : ''
}

const server = ({ dataDir, databaseUrl }: DatabaseLocation, more = {}) =>
  spawnServer({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl, RATE_LIMIT_PER_MINUTE: '0', ...more })

describe.each(engines)('a backup on %s', { timeout: 60_000 }, (engine) => {
  const options = async () => ({ backupDir: await createBackupDir(), keep: 3, now: nowAt })

  it('taken while leads come in holds all that were acknowledged, and an empty machine goes on with it', async () => {
    const airtable = await startAirtableStandIn()
    onTestFinished(() => airtable.close())
    const old = await createLocation(engine)
    const site = server(old)
    const url = await site.findUrl()
    const visitors = startVisitors({
      count: 8,
      listUrls: () => [url],
      random: Math.random,
      pauseMs: 5,
    })
    const acknowledged = () =>
      visitors.leads.filter((lead) => lead.acknowledged).map(({ name }) => name)
    await waitUntil(() => acknowledged().length > 100)
    const before = acknowledged()
    const { file, leads } = await backUp(old, await options())
    const after = acknowledged().length
    expect(after).toBeGreaterThan(before.length)
    await visitors.stop()
    await site.kill('SIGKILL')
    expect(statSync(file).mode & 0o077).toBe(0)

    const fresh = await createLocation(engine)
    const restored = await restore(fresh, file, {
      backupDir: await createBackupDir(),
      replace: false,
      now: Date.now(),
    })
    expect(restored.leads).toBe(leads)
    const next = server(fresh, {
      AIRTABLE_API_URL: airtable.url,
      AIRTABLE_TOKEN: airtable.token,
      AIRTABLE_BASE_ID: airtable.baseId,
      AIRTABLE_TABLE: airtable.tableName,
    })
    const answer = await fetch(`${await next.findUrl()}/functions/v1/submit-to-airtable`, {
      method: 'POST',
      headers: { apikey: 'public-anon-key', 'content-type': 'application/json' },
      body: JSON.stringify(testLead),
    })
    expect(answer.status).toBe(200)
    await waitUntil(() => airtable.records.length > 0)
    await next.kill('SIGTERM')
    const db = await open(fresh)
    const names = new Set(
      (await db.kysely.selectFrom('leads').select('name').execute()).map(({ name }) => name),
    )
    expect(before.filter((name) => !names.has(name))).toEqual([])
    expect(names.has(testLead.name)).toBe(true)
  })

  it('deletes all but the newest, and nothing that is not a backup', async () => {
    const location = await createLocation(engine)
    await open(location)
    const { backupDir, keep } = await options()
    for (let day = 0; day < 4; day++)
      await backUp(location, { backupDir, keep, now: nowAt + day * 24 * hourMs })
    writeFileSync(join(backupDir, 'notes.txt'), '')
    const last = await backUp(location, { backupDir, keep, now: nowAt + 96 * hourMs })
    const ending = engine === 'sqlite' ? 'sqlite.gz' : 'dump'
    expect(last.deleted).toBe(1)
    expect(readdirSync(backupDir).sort()).toEqual([
      `leads-2026-11-17T12-00-00Z.${ending}`,
      `leads-2026-11-18T12-00-00Z.${ending}`,
      `leads-2026-11-19T12-00-00Z.${ending}`,
      'notes.txt',
    ])
  })

  it('taken after the clock was wrong is kept, and what the wrong clock named goes first', async () => {
    const location = await createLocation(engine)
    await open(location)
    const { backupDir } = await options()
    for (const year of [2031, 2032])
      await backUp(location, { backupDir, keep: 2, now: Date.parse(`${year}-01-01T00:00:00Z`) })
    const first = await backUp(location, { backupDir, keep: 2, now: nowAt })
    const second = await backUp(location, { backupDir, keep: 2, now: nowAt + hourMs })
    expect(readdirSync(backupDir).map((name) => join(backupDir, name))).toEqual([
      first.file,
      second.file,
    ])
  })

  it('replaces a database with leads only when told to, and keeps what was there', async () => {
    const location = await createLocation(engine)
    const db = await openDatabase(location)
    const first = await save(db, nowAt)
    await db.close()
    const { file } = await backUp(location, await options())
    const again = await openDatabase(location)
    const second = await save(again, nowAt + 1)
    await again.close()

    const backupDir = await createBackupDir()
    const ask = { backupDir, now: nowAt + 2 }
    await expect(restore(location, file, { ...ask, replace: false })).rejects.toThrow(
      /holds 2 leads\. With --replace/,
    )
    const { leads, kept = '' } = await restore(location, file, { ...ask, replace: true })
    expect(leads).toBe(1)
    const restored = await openDatabase(location)
    expect((await listLeads(restored, { limit: 5 })).map(({ id }) => id)).toEqual([first])
    await restored.close()

    // What was kept is a backup like any other, and is deleted in its turn.
    const next = await backUp(location, { backupDir, keep: 2, now: nowAt + hourMs })
    expect(next.deleted).toBe(0)
    const held = readFileSync(kept)
    const last = await backUp(location, { backupDir, keep: 2, now: nowAt + 2 * hourMs })
    expect(last.deleted).toBe(1)
    expect(existsSync(kept)).toBe(false)
    writeFileSync(kept, held)
    const other = await createLocation(engine)
    await restore(other, kept, { ...ask, replace: false })
    const before = await open(other)
    expect((await listLeads(before, { limit: 5 })).map(({ id }) => id)).toEqual([second, first])
  })

  it('is not restored under a running site', async () => {
    const location = await createLocation(engine)
    await openDatabase(location).then((db) => db.close())
    const { file } = await backUp(location, await options())
    const site = server(location)
    await site.findUrl()
    const ask = { backupDir: await createBackupDir(), replace: true, now: nowAt }
    await expect(restore(location, file, ask)).rejects.toThrow(/The site is running/)
    await site.kill('SIGTERM')
    expect((await restore(location, file, ask)).leads).toBe(0)
  })

  it('rings for leads of the last hour and sets older alerts aside; Airtable gets all', async () => {
    const old = await createLocation(engine)
    const db = await openDatabase(old)
    const oldLead = await save(db, nowAt - 2 * hourMs)
    const youngLead = await save(db, nowAt - hourMs / 2)
    // Someone was sending when the backup was taken.
    await claimDue(db, 'email', 1, { holder: 'gone', now: nowAt, until: nowAt + 45_000 })
    await db.close()
    const { file } = await backUp(old, await options())
    const fresh = await createLocation(engine)
    const { setAsideLeads } = await restore(fresh, file, {
      backupDir: await createBackupDir(),
      replace: false,
      now: nowAt,
    })
    expect(setAsideLeads).toEqual([oldLead])
    const restored = await open(fresh)
    const states = async (id: string) =>
      (await findLead(restored, id))?.deliveries.map(({ channel, state }) => `${channel} ${state}`)
    expect(await states(oldLead)).toEqual(['airtable waiting', 'email cancelled'])
    expect(await states(youngLead)).toEqual(['airtable waiting', 'email waiting'])
    const lease = { holder: 'new', now: nowAt, until: nowAt + 1 }
    expect(await claimDue(restored, 'email', 10, lease)).toHaveLength(1)
    const reminders = await restored.kysely
      .selectFrom('leads')
      .select('id')
      .where('escalate_at', 'is not', null)
      .execute()
    expect(reminders).toEqual([{ id: youngLead }])
  })

  it('that is damaged changes nothing', async () => {
    const location = await createLocation(engine)
    const db = await openDatabase(location)
    for (let at = 0; at < 200; at++) await save(db, nowAt + at)
    await db.close()
    const { file } = await backUp(location, await options())
    const whole = readFileSync(file)
    const ask = { backupDir: await createBackupDir(), replace: true, now: nowAt }
    const cut = `${file}.cut`
    writeFileSync(cut, whole.subarray(0, whole.length * 0.6))
    await expect(restore(location, cut, ask)).rejects.toThrow(/is damaged: .+\.$/)
    writeFileSync(cut, 'a letter')
    await expect(restore(location, cut, ask)).rejects.toThrow(/is no backup of this product\.$/)
    await expect(restore(location, '/nowhere', ask)).rejects.toThrow('/nowhere cannot be read.')
    const kept = await open(location)
    expect(await countLeads(kept)).toBe(200)
  })
})

describe('the commands', { timeout: 60_000 }, () => {
  const run = (args: string[], env: Record<string, string>) =>
    execFileSync(process.execPath, args, {
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
      stdio: 'pipe',
    })

  it('say what they did, and what they could not do', async () => {
    const { dataDir } = await createLocation('sqlite')
    const db = await openDatabase({ dataDir })
    const id = await save(db, Date.now() - 2 * hourMs)
    await db.close()
    expect(run(['backup.ts', '--keep', '2'], { DATA_DIR: dataDir })).toMatch(
      /^Backed up 1 lead to \S+\/backups\/leads-[\dT-]+Z\.sqlite\.gz \(\d+ kB, checked\)\.\n$/,
    )
    const [name = ''] = readdirSync(join(dataDir, 'backups'))
    const file = join(dataDir, 'backups', name)
    const said = run(['restore.ts', file, '--replace'], { DATA_DIR: dataDir })
    expect(said).toContain('Brought back 1 lead, the newest of ')
    expect(said).toContain(id)
    expect(said).not.toMatch(/Zoë|zoe@/)
    expect(existsSync(join(dataDir, 'restoring'))).toBe(false)

    const fail = (args: string[], env: Record<string, string>) => {
      try {
        return run(args, env)
      } catch (error) {
        return (error as { stderr: string }).stderr
      }
    }
    const empty = join(dataDir, 'none')
    expect(fail(['backup.ts'], { DATA_DIR: empty })).toMatch(/^There is no new backup: .+ yet\.\n$/)
    expect(fail(['backup.ts', '--keep', '0'], { DATA_DIR: dataDir })).toContain('--keep takes')
    expect(fail(['restore.ts'], { DATA_DIR: dataDir })).toContain('Name one backup')
    const DATABASE_URL = 'postgres://nobody@127.0.0.1:1/none'
    expect(fail(['restore.ts', file], { DATABASE_URL })).toContain('is of SQLite')
    expect(fail(['backup.ts'], { DATABASE_URL, DATA_DIR: dataDir, PATH: '/nowhere' })).toBe(
      'There is no new backup: pg_dump is not installed (on Debian: apt-get install postgresql-client)\n',
    )
  })
})
