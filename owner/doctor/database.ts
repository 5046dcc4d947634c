import { existsSync, readdirSync, type StatsFs, statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { formatDuration } from '#leads/alerts/clock.ts'
import type { Env } from '#leads/settings.ts'
import { findBackupDir, isBackup } from '../backup-file.ts'
import { type Check, cannotTell, findErrorCode, ok, toDo } from './check.ts'
import { findBackend, type Given } from './settings.ts'

export type ReadStatfs = (path: string) => Promise<Pick<StatsFs, 'type' | 'bavail' | 'bsize'>>

/** Where leads are kept, whether one could be stored, and whether it would still be there tomorrow. */
export async function checkDatabase(
  { databaseUrl, dataDir }: Env,
  given: Given,
  readStatfs: ReadStatfs = statfs,
): Promise<Check[]> {
  if (databaseUrl !== undefined) return checkPostgres(databaseUrl)
  if (findBackend(given) !== undefined)
    return [
      cannotTell(
        'database',
        'Leads are stored at the backend of VITE_SUPABASE_URL.',
        '.env: DATABASE_URL with its connection string lets doctor look',
      ),
    ]
  if (!existsSync(join(dataDir, 'leads.db')))
    return [toDo('database', `There is no database in ${dataDir} yet.`, 'npm start   makes it')]
  return [...checkSqlite(dataDir), ...(await checkDisk(dataDir, readStatfs))]
}

// What a lead brings at least; the migrations give everything else a default.
const columns =
  'id, name, email, phone, address, service_type, received_at, client_address, body_hash'
const probe = () => ['doctor', crypto.randomUUID(), 'x'.repeat(2_000)] as const

function checkSqlite(dataDir: string): Check[] {
  const file = join(dataDir, 'leads.db')
  let sqlite: DatabaseSync | undefined
  try {
    sqlite = new DatabaseSync(file, { timeout: 2_000 })
    const mode = sqlite.prepare('pragma journal_mode').get()?.journal_mode
    const [word, id, filler] = probe()
    sqlite.exec('begin immediate')
    sqlite
      .prepare(`insert into leads (${columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)`)
      .run(id, word, word, word, filler, '', 0, word, word)
    sqlite.exec('rollback')
    return [
      mode === 'wal'
        ? ok('database', `SQLite in ${dataDir} takes a lead; every commit is synced.`)
        : toDo(
            'database',
            `SQLite in ${dataDir} is in the mode ${mode}, in which a power cut may take leads.`,
            'npm start   puts it right',
          ),
    ]
  } catch (error) {
    const { errstr = '', message = '' } = error as { errstr?: string; message?: string }
    if (/no such table|no column/.test(message))
      return [toDo('database', 'The database is of an earlier version.', 'npm start   migrates it')]
    return [
      toDo(
        'database',
        `The database in ${dataDir} takes no lead: ${errstr || findErrorCode(error)}.`,
        'Check DATA_DIR in .env, its rights and its disk',
      ),
    ]
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

async function checkDisk(dataDir: string, readStatfs: ReadStatfs): Promise<Check[]> {
  const { type, bavail, bsize } = await readStatfs(dataDir)
  // Some kernels hand the number over with its sign.
  const place = checkPlace(type >>> 0)
  return [...place, checkRoom(bavail * bsize, place.length === 0)]
}

/** Nothing where all is well: the line about the room says so, too. */
function checkPlace(kind: number): Check[] {
  const move = '.env: DATA_DIR on a disk of this machine that outlives restarts'
  if (process.platform !== 'linux' || kind === fuse)
    return [cannotTell('disk', 'Whether DATA_DIR is on a disk of this machine.')]
  if (forgetful[kind])
    return [toDo('disk', `DATA_DIR is ${forgetful[kind]}: a restart takes all leads.`, move)]
  if (remote[kind])
    return [
      toDo(
        'disk',
        `DATA_DIR is on a network file system (${remote[kind]}), where SQLite is not safe.`,
        move,
      ),
    ]
  return []
}

function checkRoom(freeBytes: number, isInPlace: boolean): Check {
  const freeGb = freeBytes / 1e9
  if (freeBytes < leastFreeBytes)
    return toDo('disk', `The disk has ${freeGb.toFixed(1)} GB left.`, 'Make room: 1 GB at least')
  const subject = isInPlace ? 'DATA_DIR is on a disk of this machine; the disk' : 'The disk'
  return ok('disk', `${subject} has ${freeGb.toFixed(0)} GB left.`)
}

const postgresTimeoutMs = 5_000

async function checkPostgres(url: string): Promise<Check[]> {
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
    const [word, id, filler] = probe()
    await client.query('begin')
    await client.query(`insert into leads (${columns}) values ($1,$2,$3,$4,$5,$6,$7,$8,$9)`, [
      id,
      word,
      word,
      word,
      filler,
      '',
      0,
      word,
      word,
    ])
    await client.query('rollback')
    return [
      lax.length === 0
        ? ok('database', `PostgreSQL ${version} takes a lead; every commit is synced.`)
        : toDo(
            'database',
            `PostgreSQL ${version} has ${lax.join(' and ')} switched off: a power cut may take leads.`,
            `In psql: ${lax.map((name) => `alter system set ${name} = on;`).join(' ')} select pg_reload_conf();`,
          ),
    ]
  } catch (error) {
    const code = findErrorCode(error)
    // undefined_table, undefined_column
    if (code === '42P01' || code === '42703')
      return [
        toDo(
          'database',
          'The tables are missing or of an earlier version.',
          'npm start   migrates',
        ),
      ]
    return [
      toDo(
        'database',
        `PostgreSQL takes no lead (${code}).`,
        '.env: check DATABASE_URL; is the server up?',
      ),
    ]
  } finally {
    // A server that hangs would not say goodbye either.
    client.end().catch(() => {})
  }
}

const dayMs = 86_400_000

/** The newest of the files that `npm run backup` leaves. */
export function checkBackups({ databaseUrl, dataDir }: Env, given: Given, now: number): Check {
  if (databaseUrl !== undefined || findBackend(given) !== undefined)
    return cannotTell(
      'backups',
      'Leads are backed up where their PostgreSQL is, if at all.',
      'Look at its own backups, or dump it every night: docs/hosting.md, Backup and restore',
    )
  const folder = findBackupDir(given, dataDir)
  const next = 'npm run backup   and every night from now on'
  const backups = existsSync(folder)
    ? readdirSync(folder)
        .filter(isBackup)
        .map((name) => statSync(join(folder, name)))
        .filter(({ size }) => size > 0)
    : []
  if (backups.length === 0) return toDo('backups', `There is no backup in ${folder}.`, next)
  const newest = backups.reduce((a, b) => (a.mtimeMs > b.mtimeMs ? a : b))
  const age = formatDuration(now - newest.mtimeMs)
  if (now - newest.mtimeMs > dayMs)
    return toDo('backups', `The newest backup in ${folder} is ${age} old.`, next)
  const isBeside = existsSync(dataDir) && statSync(dataDir).dev === newest.dev
  return ok(
    'backups',
    `The newest backup is ${age} old${isBeside ? ", on the database's own disk: keep copies elsewhere" : ''}.`,
  )
}
