import { chown, mkdir, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { readEnv } from '#leads/settings.ts'
import { hourMs } from '#leads/time-units.ts'
import { UserError } from '#leads/user-error.ts'
import { computeBackupDir } from '#server/backups.ts'
import { explainError } from './terminal.ts'

type Variables = Record<string, string | undefined>

export const formatStamp = (at: number) =>
  new Date(at)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')

export function readDataFolders(variables: Variables) {
  const { databaseUrl, dataDir, desk } = readEnv(variables)
  if (databaseUrl)
    throw new UserError(
      'Your leads are in PostgreSQL (DATABASE_URL), and this command works only with SQLite. Use pg_dump and pg_restore: see docs/backup.md.',
    )
  return { dataDir, backupDir: computeBackupDir(variables, dataDir), desk }
}

type Command<Result> = (args: string[], variables: Variables, now: number) => Promise<Result>

/** Wraps a command so that it returns an exit code and output. Error output starts with `failure`. */
export const createCommand =
  (failure: string, run: Command<string>): Command<{ code: number; text: string }> =>
  async (...args) => {
    try {
      return { code: 0, text: await run(...args) }
    } catch (error) {
      return { code: 1, text: `${failure}: ${explainError(error)}\n` }
    }
  }

export async function runProcess(command: ReturnType<typeof createCommand>): Promise<void> {
  const { code, text } = await command(process.argv.slice(2), process.env, Date.now())
  const output = code === 0 ? process.stdout : process.stderr
  output.write(text)
  process.exitCode = code
}

const abandonedMs = 6 * hourMs

/** Runs the work with a temporary folder, and then removes the folder, even if the work fails. */
export async function withTempDir<T>(backupDir: string, work: (dir: string) => Promise<T>) {
  await makeOwnDir(backupDir)
  // Remove folders of killed runs, because each may contain a copy of all leads.
  for (const name of await readdir(backupDir)) {
    const path = join(backupDir, name)
    if (name.startsWith('.unfinished-') && Date.now() - (await stat(path)).mtimeMs > abandonedMs)
      await rm(path, { recursive: true, force: true })
  }
  const dir = await mkdtemp(join(backupDir, '.unfinished-'))
  return work(dir).finally(() => rm(dir, { recursive: true, force: true }))
}

export async function makeOwnDir(dir: string): Promise<void> {
  const made = await mkdir(dir, { recursive: true, mode: 0o700 })
  if (made) await giveToOwner(made)
}

/** If root runs the command, gives the path to the owner of its folder, which is the site's user. */
export async function giveToOwner(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(dirname(path))
  await chown(path, uid, gid)
}

/** Renames a finished file and syncs both the file and its folder to disk. */
export async function publishFile(unnamed: string, file: string): Promise<void> {
  await syncPath(unnamed)
  await rename(unnamed, file)
  await giveToOwner(file)
  await syncPath(dirname(file))
}

async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}
