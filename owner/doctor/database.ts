import { existsSync, type StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { Env } from '#leads/settings.ts'
import { cannotTell, type Finding, findErrorCode, ok, toDo } from './check.ts'
import { findBackend, type Given } from './settings.ts'

export type ReadStatfs = (path: string) => Promise<Pick<StatsFs, 'type' | 'bavail' | 'bsize'>>

/** Where leads are kept, whether one could be stored, and whether it would still be there tomorrow. */
export async function checkDatabase(
  { databaseUrl, dataDir }: Env,
  given: Given,
  readStatfs: ReadStatfs = statfs,
): Promise<Finding> {
  if (databaseUrl !== undefined) return checkPostgres(databaseUrl)
  if (findBackend(given) !== undefined)
    return cannotTell(
      'database',
      'Leads are stored at the backend of VITE_SUPABASE_URL.',
      '.env: DATABASE_URL with its connection string lets doctor look',
    )
  if (!existsSync(join(dataDir, 'leads.db')))
    return toDo('database', `There is no database in ${dataDir} yet.`, 'npm start   makes it')
  return [checkSqlite(dataDir), await checkDisk(dataDir, readStatfs)]
}

/** A lead that is stored and taken back. What it leaves out has a default. */
const makeProbe = () => ({
  id: crypto.randomUUID(),
  name: 'doctor',
  email: 'doctor',
  phone: 'doctor',
  address: 'x'.repeat(2_000),
  service_type: '',
  received_at: 0,
  client_address: 'doctor',
  body_hash: 'doctor',
})
const formatInsert = (probe: object, placeholder: (at: number) => string) => {
  const columns = Object.keys(probe)
  return `insert into leads (${columns}) values (${columns.map((_, at) => placeholder(at))})`
}

function checkSqlite(dataDir: string): Finding {
  let sqlite: DatabaseSync | undefined
  try {
    sqlite = new DatabaseSync(join(dataDir, 'leads.db'), { timeout: 2_000 })
    const mode = sqlite.prepare('pragma journal_mode').get()?.journal_mode
    const probe = makeProbe()
    sqlite.exec('begin immediate')
    sqlite.prepare(formatInsert(probe, () => '?')).run(...Object.values(probe))
    sqlite.exec('rollback')
    if (mode === 'wal')
      return ok('database', `SQLite in ${dataDir} takes a lead; every commit is synced.`)
    const says = `SQLite in ${dataDir} is in the mode ${mode}, in which a power cut may take leads.`
    return toDo('database', says, 'npm start   puts it right')
  } catch (error) {
    const { errstr = '', message = '' } = error as { errstr?: string; message?: string }
    if (/no such table|no column/.test(message))
      return toDo('database', 'The database is of an earlier version.', 'npm start   migrates it')
    const says = `The database in ${dataDir} takes no lead: ${errstr || findErrorCode(error)}.`
    return toDo('database', says, 'Check DATA_DIR in .env, its rights and its disk')
  } finally {
    sqlite?.close()
  }
}

// The kernel's numbers for file systems (statfs(2)).
const forgetful: Record<number, string> = {
  16914836: 'in memory (tmpfs)',
  2240043254: 'in memory (ramfs)',
  2035054128: 'inside a container (overlay)',
}
const remote: Record<number, string> = {
  26985: 'NFS',
  4283649346: 'SMB',
  4266872130: 'SMB',
  20859: 'SMB',
  16914839: '9p',
}
const fuse = 0x65735546

// A lead takes about 2 kB; this is room for years of them and for backups.
const leastFreeBytes = 1e9

async function checkDisk(dataDir: string, readStatfs: ReadStatfs): Promise<Finding> {
  const { type, bavail, bsize } = await readStatfs(dataDir)
  // Some kernels hand the number over with its sign.
  const place = checkPlace(type >>> 0)
  const freeGb = (bavail * bsize) / 1e9
  if (bavail * bsize < leastFreeBytes) {
    const says = `The disk has ${freeGb.toFixed(1)} GB left.`
    return [place, toDo('disk', says, 'Make room: 1 GB at least')]
  }
  const subject = place ? 'The disk' : 'DATA_DIR is on a disk of this machine; the disk'
  return [place, ok('disk', `${subject} has ${freeGb.toFixed(0)} GB left.`)]
}

function checkPlace(kind: number): Finding {
  const move = '.env: DATA_DIR on a disk of this machine that outlives restarts'
  if (process.platform !== 'linux' || kind === fuse)
    return cannotTell('disk', 'Whether DATA_DIR is on a disk of this machine.')
  if (forgetful[kind])
    return toDo('disk', `DATA_DIR is ${forgetful[kind]}: a restart takes all leads.`, move)
  const says = `DATA_DIR is on a network file system (${remote[kind]}), where SQLite is not safe.`
  return remote[kind] !== undefined && toDo('disk', says, move)
}

const postgresTimeoutMs = 5_000

async function checkPostgres(url: string): Promise<Finding> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: postgresTimeoutMs,
    query_timeout: postgresTimeoutMs,
  })
  client.on('error', () => {})
  try {
    await client.connect()
    const show = async (name: string) => {
      const { rows } = await client.query(`show ${name}`)
      return String(rows[0]?.[name])
    }
    const [version] = (await show('server_version')).split(' ')
    const lax: string[] = []
    for (const name of ['fsync', 'full_page_writes', 'synchronous_commit'])
      if ((await show(name)) === 'off') lax.push(name)
    const probe = makeProbe()
    await client.query('begin')
    const insert = formatInsert(probe, (at) => `$${at + 1}`)
    await client.query(insert, Object.values(probe))
    await client.query('rollback')
    if (lax.length === 0)
      return ok('database', `PostgreSQL ${version} takes a lead; every commit is synced.`)
    return toDo(
      'database',
      `PostgreSQL ${version} has ${lax.join(' and ')} switched off: a power cut may take leads.`,
      `In psql: ${lax.map((name) => `alter system set ${name} = on;`).join(' ')} select pg_reload_conf();`,
    )
  } catch (error) {
    const code = findErrorCode(error)
    const old = 'The tables are missing or of an earlier version.'
    // undefined_table, undefined_column
    if (code === '42P01' || code === '42703') return toDo('database', old, 'npm start   migrates')
    const next = '.env: check DATABASE_URL; is the server up?'
    return toDo('database', `PostgreSQL takes no lead (${code}).`, next)
  } finally {
    // A server that hangs would not say goodbye either.
    client.end().catch(() => {})
  }
}
