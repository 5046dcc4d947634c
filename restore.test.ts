import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { backUp } from './backup.ts'
import { restore } from './restore.ts'
import { type DatabaseLocation, migrationsDir, openDatabase } from './server/database.ts'
import {
  countLeads,
  type Database,
  saveLead,
} from './supabase/functions/submit-to-airtable/store.ts'
import { testLead } from './testing/app.ts'
import { createLocation, engines, runSql } from './testing/database.ts'
import { startPostgres } from './testing/postgres.ts'

const nowAt = Date.parse('2026-11-15T12:00:00Z')

async function createDir(): Promise<string> {
  return (await createLocation('sqlite')).dataDir
}

async function save(db: Database, address = testLead.address) {
  const saved = await saveLead(
    db,
    {
      lead: { ...testLead, address, serviceType: 'roof-repair' },
      details: { suspect: null, consent: null, source: null },
      bodyHash: '',
      clientAddress: '',
      idempotencyKeys: [],
      channels: ['airtable'],
      escalateAt: nowAt,
    },
    { now: nowAt, limitPerMinute: 0 },
  )
  expect(saved.outcome).toBe('saved')
}

async function fill(location: DatabaseLocation, leads: number, migrations = migrationsDir) {
  const db = await openDatabase(location, migrations)
  for (let lead = 0; lead < leads; lead++) await save(db)
  await db.close()
}

async function count(location: DatabaseLocation, migrations = migrationsDir): Promise<number> {
  const db = await openDatabase(location, migrations)
  return countLeads(db).finally(() => db.close())
}

async function backUpNow(location: DatabaseLocation): Promise<string> {
  return (await backUp(location, { backupDir: await createDir(), keep: 3, now: nowAt })).file
}

const ask = async (replace = true) => ({ backupDir: await createDir(), replace, now: nowAt })

/** The migrations of a version to come. */
async function createNewerMigrations(): Promise<string> {
  const dir = await createDir()
  cpSync(migrationsDir, dir, { recursive: true })
  writeFileSync(join(dir, '20990101000000_more.sql'), 'alter table leads add column more text;')
  return dir
}

describe.each(engines)('a restore on %s', { timeout: 60_000 }, (engine) => {
  it('loses nothing that is written meanwhile: it is in the database or in what was kept', async () => {
    const location = await createLocation(engine)
    await fill(location, 300)
    const file = await backUpNow(location)
    const writer =
      engine === 'sqlite' ? writeToSqlite(location.dataDir) : await createWriter(location)
    onTestFinished(writer.close)
    let isDone = false
    const restoring = restore(location, file, await ask()).finally(() => {
      isDone = true
    })
    const acknowledged: string[] = []
    while (!isDone) {
      const name = `meanwhile-${acknowledged.length}`
      if (await writer.write(name)) acknowledged.push(name)
      await new Promise((resolve) => setImmediate(resolve))
    }
    const { kept = '' } = await restoring
    await writer.close()
    expect(acknowledged.length).toBeGreaterThan(0)
    const before = await createLocation(engine)
    await restore(before, kept, await ask(false))
    const found = new Set([...(await listSettings(location)), ...(await listSettings(before))])
    expect(acknowledged.filter((name) => !found.has(name))).toEqual([])
    expect(await count(location)).toBe(300)
  })

  it('of a newer version changes nothing', async () => {
    const newer = await createLocation(engine)
    await fill(newer, 1, await createNewerMigrations())
    const file = await backUpNow(newer)
    const location = await createLocation(engine)
    await fill(location, 2)
    await expect(restore(location, file, await ask())).rejects.toThrow(/by a newer version/)
    expect(await count(location)).toBe(2)
  })

  it('of an older version is migrated', async () => {
    const older = await createLocation(engine)
    const migrations = await createDir()
    const first = readdirSync(migrationsDir).sort().slice(0, 2)
    for (const name of first) cpSync(join(migrationsDir, name), join(migrations, name))
    await (await openDatabase(older, migrations)).close()
    const file = await backUpNow(older)
    const location = await createLocation(engine)
    await fill(location, 1)
    expect((await restore(location, file, await ask())).leads).toBe(0)
    await fill(location, 2)
    expect(await count(location)).toBe(2)
  })

  it('goes back behind a migration, which is applied again by the newer version', async () => {
    const location = await createLocation(engine)
    await fill(location, 1)
    const file = await backUpNow(location)
    const migrations = await createNewerMigrations()
    await fill(location, 1, migrations)
    expect((await restore(location, file, await ask())).leads).toBe(1)
    expect(await count(location)).toBe(1)
    const db = await openDatabase(location, migrations)
    onTestFinished(() => db.close())
    const tables = await db.kysely.introspection.getTables()
    const leads = tables.find(({ name }) => name === 'leads')
    expect(leads?.columns.map(({ name }) => name)).toContain('more')
  })
})

async function listSettings(location: DatabaseLocation): Promise<string[]> {
  const db = await openDatabase(location)
  const rows = await db.kysely.selectFrom('settings').select('name').execute()
  await db.close()
  return rows.map(({ name }) => name)
}

// As a site would that starts again and again.
function writeToSqlite(dataDir: string) {
  const write = async (name: string) => {
    try {
      const sqlite = new DatabaseSync(join(dataDir, 'leads.db'), { timeout: 0 })
      try {
        sqlite.prepare('insert into settings values (?, ?)').run(name, '')
      } finally {
        sqlite.close()
      }
      return true
    } catch {
      return false
    }
  }
  return { write, close: async () => {} }
}

// Under another name, because a site under the same would be seen.
async function createWriter({ databaseUrl = '' }: DatabaseLocation) {
  const url = new URL(databaseUrl)
  url.username = await createRole(databaseUrl, 'superuser login')
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  const write = (name: string) =>
    client.query('insert into settings values ($1, $2)', [name, '']).then(
      () => true,
      () => false,
    )
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= client.end()
    return closing
  }
  return { write, close }
}

// Roles belong to the server: the test leaves none behind.
async function createRole(databaseUrl: string, rights = ''): Promise<string> {
  const name = `role_${crypto.randomUUID().replaceAll('-', '')}`
  await runSql(databaseUrl, `create role ${name} ${rights}`)
  onTestFinished(async () => {
    await runSql(databaseUrl, `drop owned by ${name} cascade; drop role ${name}`)
  })
  return name
}

describe('a restore on SQLite', () => {
  it('beside the log of a database that was deleted leaves a sound one, and keeps the log', async () => {
    const { dataDir } = await createLocation('sqlite')
    await fill({ dataDir }, 50)
    const file = await backUpNow({ dataDir })
    const db = await openDatabase({ dataDir })
    for (let lead = 0; lead < 50; lead++) await save(db)
    // Closing would tidy the log away; a killed site leaves it.
    const log = readFileSync(join(dataDir, 'leads.db-wal'))
    await db.close()
    rmSync(join(dataDir, 'leads.db'))
    writeFileSync(join(dataDir, 'leads.db-wal'), log)

    const { leads, kept = '' } = await restore({ dataDir }, file, await ask(false))
    expect(leads).toBe(50)
    expect(await count({ dataDir })).toBe(50)
    const sqlite = new DatabaseSync(join(dataDir, 'leads.db'))
    expect(sqlite.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    sqlite.close()
    expect(readFileSync(join(kept, 'leads.db-wal'))).toEqual(log)
  })

  it('over a damaged database moves it aside when told to', async () => {
    const { dataDir } = await createLocation('sqlite')
    await fill({ dataDir }, 50)
    const file = await backUpNow({ dataDir })
    const path = join(dataDir, 'leads.db')
    const whole = readFileSync(path)
    const garbage = Buffer.from('garbage'.repeat(3_000))
    // No database at all, and one that opens but has a page overwritten.
    for (const damage of [garbage, Buffer.from(whole).fill(7, 8_192, 12_288)]) {
      writeFileSync(path, damage)
      await expect(restore({ dataDir }, file, await ask(false))).rejects.toThrow(
        /is damaged: .+\. With --replace it is moved aside/,
      )
      const { leads, kept = '' } = await restore({ dataDir }, file, await ask())
      expect(leads).toBe(50)
      expect(await count({ dataDir })).toBe(50)
      expect(readFileSync(join(kept, 'leads.db')).subarray(0, 16)).toEqual(damage.subarray(0, 16))
      rmSync(kept, { recursive: true })
    }
  })

  it.runIf(process.getuid?.() === 0)(
    'by root leaves everything to the site’s own user',
    async () => {
      const { dataDir } = await createLocation('sqlite')
      await fill({ dataDir }, 1)
      const file = await backUpNow({ dataDir })
      const nobody = 65_534
      for (const path of [dataDir, join(dataDir, 'leads.db')]) chownSync(path, nobody, nobody)
      const backupDir = join(dataDir, 'backups')
      const owners = (...paths: string[]) => new Set(paths.map((path) => statSync(path).uid))
      const { kept = '' } = await restore({ dataDir }, file, { ...(await ask()), backupDir })
      expect(owners(join(dataDir, 'leads.db'), backupDir, kept)).toEqual(new Set([nobody]))
      rmSync(join(dataDir, 'leads.db'))
      await restore({ dataDir }, file, { ...(await ask()), backupDir })
      expect(owners(join(dataDir, 'leads.db'))).toEqual(new Set([nobody]))
      expect(statSync(join(dataDir, 'leads.db')).mode & 0o777).toBe(0o600)
    },
  )
})

describe.runIf(engines.includes('postgres'))('on PostgreSQL', { timeout: 60_000 }, () => {
  async function create(leads: number) {
    const location = await createLocation('postgres')
    await fill(location, leads)
    const query = (text: string) => runSql(location.databaseUrl ?? '', text)
    return { location, query }
  }

  /** Runs a command with a program of ours before the real ones. */
  async function runWith(program: string, text: string, args: string[], databaseUrl: string) {
    const bin = await createDir()
    writeFileSync(join(bin, program), `#!/bin/sh\n${text}\n`)
    chmodSync(join(bin, program), 0o755)
    const env = {
      PATH: `${bin}:${process.env.PATH}`,
      DATABASE_URL: databaseUrl,
      BACKUP_DIR: await createDir(),
    }
    try {
      return execFileSync(process.execPath, args, { env, encoding: 'utf8', stdio: 'pipe' })
    } catch (error) {
      return (error as { stderr: string }).stderr
    }
  }

  it('a program that ends early changes nothing', async () => {
    const { location } = await create(200)
    const file = await backUpNow(location)
    const real = execFileSync('which', ['pg_restore'], { encoding: 'utf8' }).trim()
    const text = `case "$*" in
      *-L*|*--use-list*) ${real} "$@" | head -n 260; echo "pg_restore: error: out of memory" >&2; exit 1;;
      *) exec ${real} "$@";;
    esac`
    const args = ['restore.ts', file, '--replace']
    expect(await runWith('pg_restore', text, args, location.databaseUrl ?? '')).toMatch(
      /^Nothing was restored: .*out of memory/,
    )
    expect(await count(location)).toBe(200)
  })

  it('what others have built on our tables ends the restore and stays', async () => {
    const { location, query } = await create(3)
    const file = await backUpNow(location)
    await query('create view names as select name from leads')
    await expect(restore(location, file, await ask())).rejects.toThrow(
      /^cannot drop .+ because other objects depend on/,
    )
    expect(await query('select count(*)::int as n from names')).toEqual([{ n: 3 }])
  })

  it('tables and migrations of the owner’s own are neither backed up nor touched', async () => {
    const { location, query } = await create(1)
    const record = (version: string) =>
      query(`insert into supabase_migrations.schema_migrations (version, name, statements)
        values ('${version}', 'newsletter', '{"create table subscribers (id text, settings jsonb)"}')`)
    await query(`create table subscribers (email text); insert into subscribers values ('old')`)
    await record('20270101000000')
    const file = await backUpNow(location)
    await query(`insert into subscribers values ('new')`)
    await record('20270101000001')
    await query('truncate leads, deliveries')
    expect((await restore(location, file, await ask(false))).leads).toBe(1)
    expect(await query('select email from subscribers')).toEqual([
      { email: 'old' },
      { email: 'new' },
    ])
    const own = `select version from supabase_migrations.schema_migrations where name = 'newsletter' order by 1`
    expect(await query(own)).toEqual([{ version: '20270101000000' }, { version: '20270101000001' }])

    const fresh = await createLocation('postgres')
    await restore(fresh, file, await ask(false))
    expect(await runSql(fresh.databaseUrl ?? '', own)).toEqual([])
  })

  it('tables of another user are refused: the site could not use them afterwards', async () => {
    const { location, query } = await create(1)
    const file = await backUpNow(location)
    const role = await createRole(location.databaseUrl ?? '')
    await query(`alter table leads owner to ${role}`)
    await expect(restore(location, file, await ask())).rejects.toThrow(
      `The tables belong to ${role}.`,
    )
    expect(await count(location)).toBe(1)
  })

  // On a server of its own, because other tests make these roles, too.
  it.skipIf(process.env.TEST_DATABASE_URL)(
    'leads are closed again to those who have Supabase’s public key',
    async () => {
      const server = await startPostgres()
      onTestFinished(server.remove)
      const location = { databaseUrl: server.url, dataDir: '' }
      await fill(location, 1)
      const file = await backUpNow(location)
      await runSql(
        server.url,
        'create role anon; alter default privileges in schema public grant all on tables to anon',
      )
      await restore(location, file, await ask())
      const rights = `select table_name from information_schema.role_table_grants where grantee = 'anon'`
      expect(await runSql(server.url, rights)).toEqual([])
    },
  )

  it('what a stranger writes does not change the count', async () => {
    const { location } = await create(0)
    const db = await openDatabase(location)
    for (const address of ['1 Main\u2028St', '1 Main\u2028COPY public.leads '])
      await save(db, address)
    await db.close()
    const ask = { backupDir: await createDir(), keep: 3, now: nowAt }
    expect((await backUp(location, ask)).leads).toBe(2)
  })

  it.each([
    ['postgres://u:p%25w@h:5433/d', 'h 5433 u d p%w'],
    ['postgres://u:p%zz@h/d?sslmode=no-verify', 'h 5432 u d p%zz require'],
    ['postgres://u@h/d?password=secret&sslmode=verify-full', 'h 5432 u d secret verify-full'],
  ])(
    'the address %s reaches the programs, and not the list of processes',
    async (url, expected) => {
      const text = `echo "pg_dump: [$*] $PGHOST $PGPORT $PGUSER $PGDATABASE $PGPASSWORD $PGSSLMODE" >&2; exit 1`
      const said = await runWith('pg_dump', text, ['backup.ts'], url)
      expect(said).toContain(`] ${expected}\n`)
      expect(said.split(']')[0]).not.toMatch(/p%|secret/)
    },
  )
})
