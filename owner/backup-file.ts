import { chown, mkdir, mkdtemp, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

export const formatStamp = (at: number) =>
  new Date(at)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')

/** Lends a folder for what is not whole yet, and takes it away whatever happens. */
export async function lendWorkDir<T>(backupDir: string, work: (dir: string) => Promise<T>) {
  await makeOwnDir(backupDir)
  const dir = await mkdtemp(join(backupDir, '.unfinished-'))
  return work(dir).finally(() => rm(dir, { recursive: true, force: true }))
}

export async function makeOwnDir(dir: string): Promise<void> {
  const made = await mkdir(dir, { recursive: true, mode: 0o700 })
  if (made) await giveToOwner(made)
}

/** What root makes in the site's folders must stay the site's. */
export async function giveToOwner(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return
  const { uid, gid } = await stat(dirname(path))
  await chown(path, uid, gid)
}

/** Gives a whole file its name; both are on the disk when it returns. */
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
