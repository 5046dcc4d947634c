import { readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import {
  findBackupDir,
  formatStamp,
  isBackup,
  lendWorkDir,
  makeOwnDir,
} from './owner/backup-file.ts'
import { backUpPostgres } from './owner/backup-postgres.ts'
import { backUpSqlite } from './owner/backup-sqlite.ts'
import type { DatabaseLocation } from './server/database.ts'
import { readEnv } from './supabase/functions/submit-to-airtable/env.ts'

const help = `Copies the database while the site runs, and checks the copy.

  npm run backup                  into BACKUP_DIR (default: the folder backups in DATA_DIR)
  npm run backup -- --keep 30     keep the newest 30 (default 14), delete older ones

Bring one back: npm run restore -- FILE
`

/** Backs up, then deletes all but the newest. */
export async function backUp(
  { databaseUrl, dataDir }: DatabaseLocation,
  { backupDir, keep, now }: { backupDir: string; keep: number; now: number },
) {
  await makeOwnDir(backupDir)
  await removeAbandoned(backupDir, now)
  const file = join(backupDir, `leads-${formatStamp(now)}.${databaseUrl ? 'dump' : 'sqlite.gz'}`)
  const leads = await lendWorkDir(backupDir, (workDir) =>
    databaseUrl ? backUpPostgres(databaseUrl, file, workDir) : backUpSqlite(dataDir, file, workDir),
  )
  const names = (await readdir(backupDir)).filter(isBackup).sort()
  // The names sort by time. Names after this one's come from a clock that was wrong: they go first.
  const mine = names.indexOf(basename(file))
  const others = [...names.slice(mine + 1), ...names.slice(0, mine)]
  const older = others.slice(0, Math.max(0, names.length - keep))
  for (const name of older) await rm(join(backupDir, name))
  return { file, leads, bytes: (await stat(file)).size, deleted: older.length }
}

// A killed run leaves a copy of everyone's data behind.
async function removeAbandoned(backupDir: string, now: number): Promise<void> {
  for (const name of await readdir(backupDir)) {
    const path = join(backupDir, name)
    if (!name.startsWith('.unfinished-')) continue
    const { mtimeMs } = await stat(path)
    if (now - mtimeMs > abandonedMs) await rm(path, { recursive: true, force: true })
  }
}
const abandonedMs = 6 * 60 * 60_000

if (import.meta.main) {
  const say = (text: string) => process.stdout.write(`${text}\n`)
  try {
    const options = { keep: { type: 'string', default: '14' }, help: { type: 'boolean' } } as const
    const { values } = parseArgs({ options })
    if (values.help) say(help)
    else {
      if (!/^[1-9]\d{0,5}$/.test(values.keep))
        throw new Error(`--keep takes a whole number from 1, not "${values.keep}".`)
      const keep = Number(values.keep)
      const env = readEnv(process.env)
      const backupDir = findBackupDir(process.env, env.dataDir)
      const done = await backUp(env, { backupDir, keep, now: Date.now() })
      const kilobytes = Math.ceil(done.bytes / 1000)
      say(
        `Backed up ${done.leads === 1 ? '1 lead' : `${done.leads} leads`} to ${done.file} (${kilobytes} kB, checked).`,
      )
      if (done.deleted > 0) say(`Deleted ${done.deleted} older ones; the newest ${keep} are kept.`)
    }
  } catch (error) {
    process.stderr.write(`There is no new backup: ${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
