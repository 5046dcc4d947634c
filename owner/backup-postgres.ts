import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import pg from 'pg'
import { migrationsDir, openDatabase, ownTables } from '../server/database.ts'
import { publishFile, type RestoreRequest } from './backup-file.ts'
import { AlertsNotSetAside, setAsideOldAlerts } from './old-alerts.ts'

const records = 'supabase_migrations.schema_migrations'

/** Writes a whole, checked dump of our tables while the site runs. Returns how many leads it holds. */
export async function backUpPostgres(url: string, file: string, workDir: string) {
  const dump = join(workDir, 'dump')
  // Empty, so that it has our rights and not those pg_dump would give it.
  await writeFile(dump, '', { mode: 0o600 })
  const only = [...ownTables.map((table) => `public.${table}`), records]
  const tables = only.map((table) => `--table=${table}`)
  const args = ['--no-password', '--format=custom', ...asOurs, ...tables, `--file=${dump}`]
  await runTool('pg_dump', args, url)
  const leads = await unpack(dump, join(workDir, 'check.sql'))
  await publishFile(dump, file)
  return leads
}

/**
 * Restores into the database of the address in one transaction. From its start nobody else can write
 * to our tables, so what is kept beside is all there was.
 */
export async function restorePostgres(
  url: string,
  file: string,
  { replace, now, workDir, keepAs }: RestoreRequest,
) {
  const dump = await readDump(file, workDir).catch((error: Error) => {
    throw new Error(`${file} is damaged: ${error.message.replace(/\.$/, '')}.`)
  })
  // The tilde comes after all letters.
  if (dump.newest > `${versions.at(-1)}_~`)
    throw new Error(
      `${file} was written by a newer version of this program (its migration ${dump.newest} is not known here). Restore it with that version.`,
    )
  const strangers = dump.tables.filter((table) => !ownTables.includes(table))
  if (strangers.length > 0)
    throw new Error(`${file} also holds ${strangers.join(', ')}, which this product does not know.`)
  const { leads: present, tables, owners, others } = await lookAt(url)
  if (owners.length > 0)
    throw new Error(
      `The tables belong to ${owners.join(', ')}. Restore as that user, or the site loses them.`,
    )
  if (others > 0)
    throw new Error(
      `The site is running: ${others} other connections use this database. Stop it first.`,
    )
  if (present > 0 && !replace)
    throw new Error(
      `The database holds ${present} leads. With --replace it is dumped beside, and the backup takes its place.`,
    )
  const kept = replace && tables.includes('public.leads') ? keepAs : undefined
  const quiet = ['--no-psqlrc', '--no-password', '--quiet', '--output=/dev/null']
  // Without a commit the end of its input takes everything back.
  const psql = startTool('psql', [...quiet, '--set=ON_ERROR_STOP=1', '--file=-'], url)
  const say = (...lines: string[]) => psql.child.stdin.write(`${lines.join('\n')}\n`)
  try {
    say(
      'begin;',
      dump.records,
      // Somebody who reads for hours shall not let the visitors of a running site wait for hours.
      `set local lock_timeout = '20s';`,
      ...(tables.length > 0 ? [`lock table ${tables.join(', ')} in exclusive mode;`] : []),
      ...(tables.includes('public.leads') && !replace ? [refuseLeads] : []),
      '\\echo ready',
    )
    await Promise.race([once(psql.child.stdout, 'data'), psql.done])
    if (kept) await backUpPostgres(url, kept, workDir)
    say(
      // Not "cascade": a view or key of the owner's ends the restore, and stays.
      ...(tables.length > 0 ? [`drop table ${tables.join(', ')};`] : []),
      `\\i '${dump.script.replaceAll("'", "''")}'`,
      closeToPublic(dump.tables),
      // Nobody sends before old alerts are set aside.
      `update public.deliveries set leased_until = ${now + 600_000};`,
      mergeRecords,
      'commit;',
    )
    psql.child.stdin.end()
    await psql.done
  } finally {
    psql.child.kill()
  }
  try {
    const db = await openDatabase({ databaseUrl: url, dataDir: '' })
    const outcome = await setAsideOldAlerts(db, now).finally(() => db.close())
    return { ...outcome, kept }
  } catch (error) {
    const reason = (error as Error).message.replace(/\.$/, '')
    const before = kept ? ` What was there before is in ${kept}.` : ''
    throw new AlertsNotSetAside(
      `The backup is in place, but not ready: ${reason}.${before} Restore it again before the site starts.`,
    )
  }
}

const versions = readdirSync(migrationsDir)
  .flatMap((name) => name.match(/^\d+/)?.[0] ?? [])
  .sort()
// A Supabase project has its owner's migrations, too. Ours are those we know, and of others those
// that do something to our tables.
const isOurs = `(version in (${versions.map((version) => `'${version}'`).join(', ')})
  or array_to_string(statements, ' ') ~* '\\m(table|exists|only|into|update|from|on)\\s+(public\\.)?"?(${ownTables.join('|')})\\M')`

const refuseLeads = `do $$ begin
  if exists (select from public.leads) then raise 'The site is running: a lead has just come. Stop it first.'; end if;
end $$;`

// Migrations of ours since the backup are undone with the tables; they will be applied again.
const mergeRecords = `
create schema if not exists supabase_migrations;
create table if not exists ${records} (version text primary key);
alter table ${records} add column if not exists statements text[], add column if not exists name text;
delete from ${records} where ${isOurs} and version not in (select version from pg_temp.backed_up);
insert into ${records} (version, statements, name)
  select version, statements, name from pg_temp.backed_up where ${isOurs} on conflict do nothing;`

// As in the migrations: Supabase gives every new table of "public" to all who have the public key.
const closeToPublic = (tables: readonly string[]) => `do $$ declare public_role text; begin
  for public_role in select rolname from pg_roles where rolname in ('anon', 'authenticated') loop
    execute format('revoke all on ${tables.map((table) => `public.${table}`).join(', ')} from %I', public_role);
  end loop;
end $$;`

async function lookAt(url: string) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const rows = async (text: string, values: unknown[] = []) =>
      (await client.query(text, values)).rows
    const own = await rows(
      `select 'public.' || tablename as name, tableowner as owner, tableowner <> current_user as is_others
       from pg_tables where schemaname = 'public' and tablename = any($1)`,
      [ownTables],
    )
    const tables: string[] = own.map(({ name }) => name)
    const owners = own.flatMap(({ is_others, owner }) => (is_others ? [String(owner)] : []))
    // Of this user only: Supabase's own programs are always there, under other names.
    const [activity] = await rows(
      `select count(*) as others from pg_stat_activity where datname = current_database()
       and usename = current_user and pid <> pg_backend_pid()`,
    )
    const [counted] = tables.includes('public.leads')
      ? await rows('select count(*) as leads from public.leads')
      : []
    return {
      tables,
      owners: [...new Set(owners)],
      others: Number(activity?.others),
      leads: Number(counted?.leads ?? 0),
    }
  } finally {
    await client.end().catch(() => {})
  }
}

/** Reads all of a dump: as a script, apart from it the records of migrations, and what it is of. */
async function readDump(file: string, workDir: string) {
  const read = (...args: string[]) => runTool('pg_restore', [...asOurs, ...args, file])
  const lines = (await read('--list')).split('\n')
  const list = join(workDir, 'list')
  await writeFile(
    list,
    lines.filter((line) => !/ SCHEMA - | supabase_migrations /.test(line)).join('\n'),
  )
  const script = join(workDir, 'restore.sql')
  await unpack(file, script, [`--use-list=${list}`])
  const records = await read('--schema=supabase_migrations', '--table=schema_migrations', '-f-')
  const settings = await read('--data-only', '--schema=public', '--table=settings', '-f-')
  return {
    script,
    // The database has such a table already, perhaps with records that are not ours.
    records: records.replace(
      /^(CREATE TABLE|COPY) supabase_migrations\.schema_migrations /gm,
      '$1 pg_temp.backed_up ',
    ),
    tables: lines.flatMap((line) => line.match(/ TABLE public (\S+)/)?.[1] ?? []),
    newest: settings.match(/^newest_migration\t(\S+)$/m)?.[1] ?? '',
  }
}

/** Reads all of a dump and leaves it as a script. Returns how many leads it holds. */
async function unpack(dump: string, script: string, more: readonly string[] = []) {
  await runTool('pg_restore', [...asOurs, ...more, `--file=${script}`, dump])
  let leads: number | undefined
  let isCounting = false
  // As bytes: "readline" would also end a line at U+2028, which an address may hold.
  for await (const line of createInterface({ input: createReadStream(script, 'latin1') })) {
    if (line.startsWith('COPY public.leads ')) {
      isCounting = true
      leads = 0
    } else if (line === '\\.') isCounting = false
    else if (isCounting) leads = (leads ?? 0) + 1
  }
  if (leads === undefined) throw new Error('it holds no table of leads')
  return leads
}

const asOurs = ['--no-owner', '--no-privileges']

/** Where to connect to, as variables: every user of the machine can read the arguments of a process. */
function toVariables(url: string): Record<string, string> {
  const { host, port, user, database, password } = new pg.Client({ connectionString: url })
  const query = new URL(url).searchParams
  const sslmode = query.get('sslmode')?.replace('no-verify', 'require')
  const given = {
    PGHOST: host,
    PGPORT: String(port),
    PGUSER: user,
    PGDATABASE: database,
    PGPASSWORD: password,
    PGSSLMODE: sslmode,
    PGSSLROOTCERT: query.get('sslrootcert'),
    PGSSLCERT: query.get('sslcert'),
    PGSSLKEY: query.get('sslkey'),
  }
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  )
}

function startTool(command: string, args: readonly string[], url?: string) {
  const env = { ...process.env, ...(url && toVariables(url)) }
  const child = spawn(command, args, { env, stdio: 'pipe' })
  child.stdin.on('error', () => {})
  let said = ''
  child.stderr.on('data', (data) => {
    said += data
  })
  const done = new Promise<void>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const missing = `${command} is not installed (on Debian: apt-get install postgresql-client)`
      reject(new Error(error.code === 'ENOENT' ? missing : error.message))
    })
    child.once('close', (code) => {
      const [line = `ended with ${code}`] = said.trim().split('\n')
      const reason = line.startsWith(command) ? line : `${command}: ${line}`
      if (code === 0) resolve()
      else reject(new Error(reason.replace(/^psql:.+?: ERROR: +/, '')))
    })
  })
  // Whoever waits for it hears of it; nobody has to.
  done.catch(() => {})
  return { child, done }
}

async function runTool(command: string, args: readonly string[], url?: string): Promise<string> {
  const { child, done } = startTool(command, args, url)
  let text = ''
  child.stdout.on('data', (data) => {
    text += data
  })
  await done
  return text
}
