import { open } from 'node:fs/promises'
import { join } from 'node:path'

/** `leads-2026-11-15T03-00-00Z.sqlite.gz` or `.dump`: the names sort by time. */
export const isBackup = (name: string) => /^leads-[\dTZ-]+\.(sqlite\.gz|dump)$/.test(name)

export const formatStamp = (at: number) =>
  new Date(at)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(':', '-')

export const findBackupDir = (variables: Record<string, string | undefined>, dataDir: string) =>
  variables.BACKUP_DIR?.trim() || join(dataDir, 'backups')

export async function syncFile(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  await handle.sync().finally(() => handle.close())
}

/** A new name is not on the disk before its folder is. */
export async function syncDir(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}
