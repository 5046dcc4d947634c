import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { UserError } from '#leads/user-error.ts'
import { count } from '#leads/words.ts'
import { isBackup } from '#server/backups.ts'
import {
  createCommand,
  formatStamp,
  publishFile,
  readDataFolders,
  runProcess,
  withTempDir,
} from './backup-file.ts'
import { parseTyped } from './terminal.ts'

const help = `Copies the SQLite database while the site runs, and checks the copy.

  npm run backup                  write to BACKUP_DIR (default: the folder "backups" in DATA_DIR)
  npm run backup -- --keep 30     keep the newest 30 (default: 14) and delete older ones

To restore a backup: npm run restore -- FILE
`

/** Backs up the database, then deletes all but the newest `keep` backups. */
export async function backUp(
  dataDir: string,
  { backupDir, keep, now }: { backupDir: string; keep: number; now: number },
) {
  const source = join(dataDir, 'leads.db')
  if (!existsSync(source))
    throw new UserError(`There is no database in ${dataDir} (DATA_DIR). Start the site first.`)
  const file = join(backupDir, `leads-${formatStamp(now)}.sqlite.gz`)
  const sqlite = new DatabaseSync(source, { timeout: 10_000 })
  const leads = await withTempDir(backupDir, (workDir) =>
    writeBackup(sqlite, file, workDir),
  ).finally(() => sqlite.close())
  const names = (await readdir(backupDir)).filter(isBackup).sort()
  // Names sort by time. Names later than the new one come from a wrong clock, so delete those first.
  const mine = names.indexOf(basename(file))
  const others = [...names.slice(mine + 1), ...names.slice(0, mine)]
  const older = others.slice(0, Math.max(0, names.length - keep))
  for (const name of older) await rm(join(backupDir, name))
  return { file, leads, bytes: (await stat(file)).size, deleted: older.length }
}

/** Writes and checks a backup, even while the site runs. Returns the number of leads. */
export async function writeBackup(sqlite: DatabaseSync, file: string, workDir: string) {
  const copy = join(workDir, 'copy.db')
  const packed = join(workDir, 'copy.gz')
  // SQLite would create a world-readable file; an existing file keeps its permissions.
  await writeFile(copy, '', { mode: 0o600 })
  // SQLite's incremental backup restarts whenever the site writes and never ends under load. VACUUM avoids this and
  // omits the bytes of erased leads.
  sqlite.prepare('vacuum into ?').run(copy)
  await pipeline(createReadStream(copy), createGzip(), writePrivate(packed))
  const leads = await unpack(packed, join(workDir, 'check.db'))
  await publishFile(packed, file)
  return leads
}

const writePrivate = (file: string) => createWriteStream(file, { mode: 0o600 })

/** Throws if the backup is damaged. Returns the number of leads. */
export async function unpack(from: string, to: string): Promise<number> {
  await pipeline(createReadStream(from), createGunzip(), writePrivate(to))
  const sqlite = new DatabaseSync(to)
  try {
    return checkSqlite(sqlite)
  } finally {
    sqlite.close()
  }
}

/** Throws if the database is damaged or has no leads table. Returns the number of leads. */
export function checkSqlite(sqlite: DatabaseSync): number {
  checkPages(sqlite)
  if (sqlite.prepare('pragma main.foreign_key_check').all().length > 0)
    throw new UserError('the database has events or deliveries without a lead')
  const leads = countLeads(sqlite)
  if (leads === undefined) throw new UserError('the database has no leads table')
  return leads
}

export function checkPages(sqlite: DatabaseSync): void {
  const finding = String(sqlite.prepare('pragma main.integrity_check').get()?.integrity_check)
  if (finding !== 'ok')
    throw new UserError(`the integrity check found: ${finding.replaceAll('\n', ' ')}`)
}

/** Returns undefined if there is no leads table. */
export function countLeads(sqlite: DatabaseSync): number | undefined {
  const table = `select 1 from main.sqlite_schema where type = 'table' and name = 'leads'`
  if (!sqlite.prepare(table).get()) return undefined
  return Number(sqlite.prepare('select count(*) as n from main.leads').get()?.n)
}

export const runBackup = createCommand('The backup failed', async (args, variables, now) => {
  const options = { keep: { type: 'string', default: '14' }, help: { type: 'boolean' } } as const
  const { values } = parseTyped({ args, options })
  if (values.help) return help
  if (!/^[1-9]\d{0,5}$/.test(values.keep))
    throw new UserError(`--keep must be a whole number of at least 1, not "${values.keep}".`)
  const keep = Number(values.keep)
  const { dataDir, backupDir } = readDataFolders(variables)
  const { file, leads, bytes, deleted } = await backUp(dataDir, { backupDir, keep, now })
  const done = `Backed up ${count(leads, 'lead')} to ${file} (${Math.ceil(bytes / 1000)} kB, checked).\n`
  return deleted > 0 ? `${done}Deleted ${count(deleted, 'older backup')}.\n` : done
})

if (import.meta.main) await runProcess(runBackup)
