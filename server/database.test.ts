import { chmodSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type KyselyPlugin, sql } from 'kysely'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { eraseLead, isErasing, removeTraces } from '#leads/store/erase-lead.ts'
import { copyMigrations, createLocation, engines, openLocation, runSql } from '#testing/database.ts'
import { countLeads, listLeads, storeLead } from '#testing/saved-leads.ts'
import { migrationsDir, openDatabase } from './database.ts'

describe.each(engines)('opening a database on %s', (engine) => {
  it('applies the migrations once across processes and keeps existing data', async () => {
    const location = await createLocation(engine)
    const together = await Promise.all(Array.from({ length: 5 }, () => openDatabase(location)))
    for (const db of together) {
      expect(await listLeads(db, { limit: 1 })).toEqual([])
      await db.close()
    }
    const dir = copyMigrations({
      '20990101000000_more.sql': 'create table more (id text); alter table leads add note text',
      'notes.txt': 'no migration',
    })
    const later = await openDatabase(location, dir)
    await sql`insert into more values ('kept')`.execute(later.kysely)
    await later.close()
    const again = await openLocation(location, dir)
    expect((await sql`select id from more`.execute(again.kysely)).rows).toEqual([{ id: 'kept' }])
  })

  it('names the migration that failed and rolls it back', async () => {
    const location = await createLocation(engine)
    const file = '20990101000000_broken.sql'
    const broken = copyMigrations({ [file]: 'create table half (id text); create tabel wrong' })
    await expect(openDatabase(location, broken)).rejects.toThrow(
      /^The migration 20990101000000_broken\.sql failed: [^\n]+\.$/,
    )
    const fixed = copyMigrations({ [file]: 'create table half (id text)' })
    const db = await openLocation(location, fixed)
    expect((await sql`select * from half`.execute(db.kysely)).rows).toEqual([])
  })

  it.each(['alter table leads drop column source', 'drop table desk_crew'])(
    'refuses a database after %s',
    async (change) => {
      const location = await createLocation(engine)
      const db = await openDatabase(location)
      await sql.raw(change).execute(db.kysely)
      await db.close()
      await expect(openDatabase(location)).rejects.toThrow(
        /^The database is missing a table or column that this version needs: [^\n]*(source|desk_crew)[^\n]*\.$/,
      )
    },
  )

  it('refuses a database from a newer version and changes nothing', async () => {
    const location = await createLocation(engine)
    const file = '20990101000000_more.sql'
    const newer = copyMigrations({ [file]: 'alter table leads add more text' })
    await (await openDatabase(location, newer)).close()
    await expect(openDatabase(location)).rejects.toThrow(
      /^The database was upgraded by a newer version of this program \(unknown migration 20990101000000_more\)\. [^\n]+\.$/,
    )
    const db = await openLocation(location, newer)
    expect((await sql`select more from leads`.execute(db.kysely)).rows).toEqual([])
  })
})

describe('opening SQLite', () => {
  it('syncs at every commit, enforces foreign keys, and skips the migrations for PostgreSQL', async () => {
    const db = await openLocation(await createLocation('sqlite'))
    const read = async (query: string) => (await sql.raw(query).execute(db.kysely)).rows
    expect(await read('pragma journal_mode')).toEqual([{ journalMode: 'wal' }])
    expect(await read('pragma synchronous')).toEqual([{ synchronous: 2 }])
    expect(await read('pragma foreign_keys')).toEqual([{ foreignKeys: 1 }])
    const others = `select name from schema_migrations where name like '%.postgres'`
    expect(await read(others)).toEqual([])
  })

  it('leaves no trace of an erased lead in the file', async () => {
    const location = await createLocation('sqlite')
    const db = await openLocation(location)
    await sql`pragma synchronous = off`.execute(db.kysely)
    const ids: string[] = []
    for (let number = 0; number < 200; number++) {
      const name = number % 2 === 0 ? 'Erased' : 'Kept'
      ids.push(await storeLead(db, { lead: { name, address: 'x'.repeat((number * 37) % 290) } }))
      // A row that grows can move to another page and leave its old bytes behind.
      const grow = db.kysely.updateTable('leads').set({ caller: 'y'.repeat(300) })
      await grow.where('id', '=', ids.at(-8) ?? '').execute()
    }
    for (const id of ids.filter((_, number) => number % 2 === 0)) await eraseLead(db, id)
    const [file, log] = ['leads.db', 'leads.db-wal'].map((name) =>
      readFileSync(join(location.dataDir, name), 'latin1'),
    )
    expect(file).toContain('Kept')
    for (const text of [file, log]) expect(text?.match(/Erased/g)).toBeNull()
  })

  it('remembers that another program keeps traces of an erased lead in the log', async () => {
    const location = await createLocation('sqlite')
    const db = await openLocation(location)
    const id = await storeLead(db, { lead: { name: 'Erased' } })
    const file = join(location.dataDir, 'leads.db')
    const reader = new DatabaseSync(file)
    reader.exec('begin')
    reader.prepare('select id from leads').all()
    await eraseLead(db, id)
    expect(await isErasing(db)).toBe(true)
    expect(readFileSync(`${file}-wal`, 'latin1')).toContain('Erased')
    await removeTraces(db)
    expect(await isErasing(db)).toBe(true)
    reader.close()
    await removeTraces(db)
    expect(await isErasing(db)).toBe(false)
    for (const part of [file, `${file}-wal`])
      expect(readFileSync(part, 'latin1')).not.toContain('Erased')
  })

  it.each(['vacuum', 'checkpoint'])(
    'repeats both steps for a lead erased during the %s',
    async (step) => {
      const db = await openLocation(await createLocation('sqlite'))
      const [first, second] = [await storeLead(db), await storeLead(db)]
      const steps: string[] = []
      let erasing: Promise<void> | undefined
      const plugin: KyselyPlugin = {
        transformQuery: ({ node }) => {
          const text = node.kind === 'RawNode' ? node.sqlFragments.join('') : ''
          const found = ['vacuum', 'checkpoint'].find((one) => text.includes(one))
          if (found) steps.push(found)
          // By the next microtask, this step holds the connection, so the second lead is erased right after the step.
          if (found === step) erasing ??= Promise.resolve().then(() => eraseLead(watched, second))
          return node
        },
        transformResult: async ({ result }) => result,
      }
      const watched = { ...db, kysely: db.kysely.withPlugin(plugin) }
      await eraseLead(watched, first)
      await erasing
      expect(steps.filter((one) => one === 'vacuum')).toHaveLength(2)
      expect(steps.at(-1)).toBe('checkpoint')
      expect(await isErasing(db)).toBe(false)
    },
  )

  it('acquires the write lock at the start of a transaction', async () => {
    const location = await createLocation('sqlite')
    const one = await openLocation(location)
    const other = await openLocation({ ...location, lockWaitMs: 0 })
    const write = (kysely: typeof one.kysely, id: string) =>
      kysely.insertInto('settings').values({ name: id, value: '' }).execute()
    await one.kysely.transaction().execute(async (trx) => {
      await trx.selectFrom('settings').select('name').execute()
      await expect(write(other.kysely, 'other')).rejects.toThrow('database is locked')
    })
  })

  it('makes the data readable only by its owner', async () => {
    const { dataDir } = await createLocation('sqlite')
    chmodSync(dataDir, 0o755)
    for (const dir of [dataDir, join(dataDir, 'new', 'data')]) {
      await openLocation({ dataDir: dir })
      for (const file of ['leads.db', 'leads.db-wal'])
        expect(statSync(join(dir, file)).mode & 0o077).toBe(0)
    }
    expect(statSync(join(dataDir, 'new', 'data')).mode & 0o077).toBe(0)
  })
})

describe('opening Postgres', () => {
  it('shares its migration records with the Supabase CLI', async () => {
    const location = await createLocation('postgres')
    const url = location.databaseUrl ?? ''
    // Create the Supabase CLI's table as it is after a migration.
    await runSql(
      url,
      `create schema supabase_migrations;
       create table supabase_migrations.schema_migrations (version text not null primary key);
       insert into supabase_migrations.schema_migrations values ('20990101000000')`,
    )
    const dir = copyMigrations({ '20990101000000_done_by_cli.sql': 'would fail' })
    await (await openDatabase(location, dir)).close()
    const records = await runSql(
      url,
      'select version, name from supabase_migrations.schema_migrations order by version',
    )
    expect(records.map(({ version }) => version)).toEqual(
      readdirSync(dir).map((file) => file.split('_')[0]),
    )
    expect(records[0]?.name).toBe('tables')
  })

  it('ignores migrations that the owner added on Supabase', async () => {
    const location = await createLocation('postgres')
    await (await openDatabase(location)).close()
    await runSql(
      location.databaseUrl ?? '',
      `insert into supabase_migrations.schema_migrations (version, name, statements)
       values ('20990101000000', 'newsletter', '{create table subscribers (id text)}'),
         ('20990101000001', 'preferences', '{alter table subscribers add settings jsonb}')`,
    )
    expect(await countLeads(await openLocation(location))).toBe(0)
  })

  it('hides every table from the public key', async () => {
    const { databaseUrl } = await createLocation('postgres')
    const client = new pg.Client({ connectionString: databaseUrl })
    await client.connect()
    onTestFinished(() => client.end())
    // Create Supabase's roles and default grants, but do not commit them: roles belong to the whole server, so
    // migrations in other tests would see them.
    await client.query(
      `begin; create role anon; create role authenticated;
       alter default privileges in schema public grant all on tables to anon, authenticated`,
    )
    for (const file of readdirSync(migrationsDir).sort())
      await client.query(readFileSync(join(migrationsDir, file), 'utf8'))
    const { rows: tables } = await client.query(
      `select relname, relrowsecurity, has_table_privilege('anon', oid, 'select, insert, update, delete') as open
       from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    )
    expect(tables.length).toBeGreaterThanOrEqual(4)
    for (const { relname, relrowsecurity, open } of tables)
      expect([relname, relrowsecurity, open]).toEqual([relname, true, false])
    await client.query('set role anon')
    await expect(client.query('select * from leads')).rejects.toThrow('permission denied')
  })
})
