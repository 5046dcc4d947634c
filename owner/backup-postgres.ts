import { spawn } from 'node:child_process'
import { rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import pg from 'pg'
import { openDatabase, ownTables } from '../server/database.ts'
import { syncDir, syncFile } from './backup-file.ts'
import { setAsideOldAlerts } from './old-alerts.ts'

// The product's tables, and where their migrations are recorded.
const schemas = ['public', 'supabase_migrations']

/** Writes a whole, checked dump while the site runs. Returns how many leads it holds. */
export async function backUpPostgres(url: string, file: string, workDir: string) {
  const dump = join(workDir, 'dump')
  // Empty, so that it has our rights and not those pg_dump would give it.
  await writeFile(dump, '', { mode: 0o600 })
  const only = schemas.map((schema) => `--schema=${schema}`)
  const args = ['--format=custom', '--no-owner', '--no-privileges', ...only, `--file=${dump}`]
  await runTool('pg_dump', [...args, connectTo(url)], url)
  await syncFile(dump)
  const leads = await checkDump(dump)
  await rename(dump, file)
  await syncDir(dirname(file))
  return leads
}

/** Restores into the database of the address: all or nothing. What is there is dumped beside first. */
export async function restorePostgres(
  url: string,
  file: string,
  {
    replace,
    now,
    workDir,
    keepAs,
  }: { replace: boolean; now: number; workDir: string; keepAs: string },
) {
  const damaged = (error: Error) => {
    throw new Error(`${file} is damaged: ${error.message.replace(/\.$/, '')}.`)
  }
  await checkDump(file).catch(damaged)
  const contents = await listContents(file).catch(damaged)
  const { leads: present, tables, others } = await lookAt(url)
  if (others > 0)
    throw new Error(
      `The site is running: ${others} other connections use this database. Stop it first.`,
    )
  if (present > 0 && !replace)
    throw new Error(
      `The database holds ${present} leads. With --replace it is dumped beside, and the backup takes its place.`,
    )
  const strange = tables.filter(
    (table) => !ownTables.includes(table) && !contents.tables.has(table),
  )
  if (strange.length > 0)
    throw new Error(
      `The database also holds ${strange.join(', ')}, which this product does not know. Restore into a database of its own.`,
    )
  const kept = present > 0 ? keepAs : undefined
  if (kept) await backUpPostgres(url, kept, workDir)

  const list = join(workDir, 'contents')
  await writeFile(list, contents.withoutSchemas)
  const prepare = [
    ...tables.map((table) => `drop table public.${pg.escapeIdentifier(table)} cascade;`),
    'create schema if not exists supabase_migrations;',
    'drop table if exists supabase_migrations.schema_migrations cascade;',
  ]
  const unpack = startTool('pg_restore', [
    '--no-owner',
    '--no-privileges',
    `-L${list}`,
    '-f-',
    file,
  ])
  const quiet = ['--no-psqlrc', '--quiet', '--output=/dev/null', '--set=ON_ERROR_STOP=1']
  const fill = startTool('psql', [...quiet, '--single-transaction', '-f-', connectTo(url)], url)
  fill.child.stdin.write(`${prepare.join('\n')}\n`)
  await Promise.all([
    unpack.done,
    fill.done,
    // psql that ends early has said why; the broken pipe is only what follows.
    pipeline(unpack.child.stdout, fill.child.stdin).catch(() => {}),
  ])
  const db = await openDatabase({ databaseUrl: url, dataDir: '' })
  const outcome = await setAsideOldAlerts(db, now).finally(() => db.close())
  return { ...outcome, kept }
}

async function lookAt(url: string) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    const rows = async (text: string) => (await client.query(text)).rows
    const tables = await rows(`select tablename from pg_tables where schemaname = 'public'`)
    const names = tables.map(({ tablename }) => String(tablename))
    // Of this user only: Supabase's own programs are always there, under other names.
    const [activity] = await rows(
      `select count(*) as others from pg_stat_activity where datname = current_database()
       and usename = current_user and pid <> pg_backend_pid()`,
    )
    const [counted] = names.includes('leads')
      ? await rows('select count(*) as leads from public.leads')
      : []
    return { tables: names, others: Number(activity?.others), leads: Number(counted?.leads ?? 0) }
  } finally {
    await client.end().catch(() => {})
  }
}

async function listContents(file: string) {
  const lines = (await runTool('pg_restore', ['--list', file])).split('\n')
  const tables = lines.flatMap((line) => line.match(/ TABLE public (\S+)/)?.[1] ?? [])
  const withoutSchemas = lines.filter((line) => !/\d SCHEMA - /.test(line)).join('\n')
  return { tables: new Set(tables), withoutSchemas }
}

/** Reads all of it, as a restore would. */
async function checkDump(file: string): Promise<number> {
  const { child, done } = startTool('pg_restore', ['-f-', file])
  const counting = countLeadLines(child.stdout)
  await done
  const leads = await counting
  if (leads === undefined) throw new Error('it holds no table of leads')
  return leads
}

async function countLeadLines(text: Readable): Promise<number | undefined> {
  let leads: number | undefined
  let isCounting = false
  for await (const line of createInterface({ input: text })) {
    if (line.startsWith('COPY public.leads ')) {
      isCounting = true
      leads = 0
    } else if (line === '\\.') isCounting = false
    else if (isCounting) leads = (leads ?? 0) + 1
  }
  return leads
}

/** The address without its password, which every user of the machine could read in the list of processes. */
function connectTo(url: string): string {
  const bare = new URL(url)
  bare.password = ''
  return `--dbname=${bare.href}`
}

function startTool(command: string, args: readonly string[], url?: string) {
  const PGPASSWORD = url ? decodeURIComponent(new URL(url).password) : ''
  const env = { ...process.env, ...(PGPASSWORD && { PGPASSWORD }) }
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
      const [reason = `ended with ${code}`] = said.trim().split('\n')
      if (code === 0) resolve()
      else reject(new Error(reason.startsWith(command) ? reason : `${command}: ${reason}`))
    })
  })
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
