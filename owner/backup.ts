import { readdir, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { readEnv } from '#leads/settings.ts'
import {
  findBackupDir,
  formatStamp,
  isBackup,
  lendWorkDir,
  makeOwnDir,
  usePostgresTools,
} from './backup-file.ts'
import { backUpSqlite } from './backup-sqlite.ts'

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

export type CommandDeps = {
  variables: Record<string, string | undefined>
  now: number
  stdout: (text: string) => void
  stderr: (text: string) => void
}

/** The command; returns its exit code. */
export async function runBackup(args: string[], { variables, now, stdout, stderr }: CommandDeps) {
  try {
    const options = { keep: { type: 'string', default: '14' }, help: { type: 'boolean' } } as const
    const { values } = parseArgs({ args, options })
    if (values.help) {
      stdout(help)
      return 0
    }
    if (!/^[1-9]\d{0,5}$/.test(values.keep))
      throw new Error(`--keep takes a whole number from 1, not "${values.keep}".`)
    const keep = Number(values.keep)
    const { databaseUrl, dataDir } = readEnv(variables)
    if (databaseUrl) throw new Error(usePostgresTools)
    const backupDir = findBackupDir(variables, dataDir)
    const { file, leads, bytes, deleted } = await backUp(dataDir, { backupDir, keep, now })
    const kilobytes = Math.ceil(bytes / 1000)
    stdout(
      `Backed up ${leads === 1 ? '1 lead' : `${leads} leads`} to ${file} (${kilobytes} kB, checked).\n`,
    )
    if (deleted > 0) stdout(`Deleted ${deleted} older ones; the newest ${keep} are kept.\n`)
    return 0
  } catch (error) {
    stderr(`There is no new backup: ${(error as Error).message}\n`)
    return 1
  }
}

if (import.meta.main)
  process.exitCode = await runBackup(process.argv.slice(2), {
    variables: process.env,
    now: Date.now(),
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
  })
