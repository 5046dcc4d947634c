import { readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { UserError } from '#leads/user-error.ts'
import { isBackup } from '#server/backups.ts'
import { createCommand, findPlaces } from './backup-command.ts'
import { formatStamp, lendWorkDir, makeOwnDir } from './backup-file.ts'
import { backUpSqlite } from './backup-sqlite.ts'
import { count } from './terminal.ts'
import { parseTyped } from './usage.ts'

const help = `Copies the SQLite database while the site runs, and checks the copy.

  npm run backup                  into BACKUP_DIR (default: the folder backups in DATA_DIR)
  npm run backup -- --keep 30     keep the newest 30 (default 14), delete older ones

Bring one back: npm run restore -- FILE
`

/** Backs up, then deletes all but the newest. */
export async function backUp(
  dataDir: string,
  { backupDir, keep, now }: { backupDir: string; keep: number; now: number },
) {
  await makeOwnDir(backupDir)
  await removeAbandoned(backupDir, now)
  const file = join(backupDir, `leads-${formatStamp(now)}.sqlite.gz`)
  const leads = await lendWorkDir(backupDir, (workDir) => backUpSqlite(dataDir, file, workDir))
  const names = (await readdir(backupDir)).filter(isBackup).sort()
  // The names sort by time. Names after this one's come from a clock that was wrong: they go first.
  const mine = names.indexOf(basename(file))
  const others = [...names.slice(mine + 1), ...names.slice(0, mine)]
  const older = others.slice(0, Math.max(0, names.length - keep))
  for (const name of older) await rm(join(backupDir, name))
  return { file, leads, bytes: (await stat(file)).size, deleted: older.length }
}

const abandonedMs = 6 * 60 * 60_000

// A killed run leaves a copy of everyone's data behind.
async function removeAbandoned(backupDir: string, now: number): Promise<void> {
  const names = (await readdir(backupDir)).filter((name) => name.startsWith('.unfinished-'))
  for (const path of names.map((name) => join(backupDir, name))) {
    const { mtimeMs } = await stat(path)
    if (now - mtimeMs > abandonedMs) await rm(path, { recursive: true, force: true })
  }
}

/** The command; returns its exit code. */
export const runBackup = createCommand('There is no new backup', async (args, deps) => {
  const options = { keep: { type: 'string', default: '14' }, help: { type: 'boolean' } } as const
  const { values } = parseTyped({ args, options })
  if (values.help) return help
  if (!/^[1-9]\d{0,5}$/.test(values.keep))
    throw new UserError(`--keep takes a whole number from 1, not "${values.keep}".`)
  const keep = Number(values.keep)
  const { dataDir, backupDir } = findPlaces(deps.variables)
  const { file, leads, bytes, deleted } = await backUp(dataDir, { backupDir, keep, now: deps.now })
  const done = `Backed up ${count(leads, 'lead')} to ${file} (${Math.ceil(bytes / 1000)} kB, checked).\n`
  return deleted > 0 ? `${done}Deleted ${deleted} older ones; the newest ${keep} are kept.\n` : done
})

if (import.meta.main) process.exitCode = await runBackup(process.argv.slice(2))
