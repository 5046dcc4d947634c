import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** Matches names such as `leads-2026-11-15T03-00-00Z.sqlite.gz`, which sort by time. */
export const isBackup = (name: string) =>
  /^leads-[\dTZ-]+(-before-restore)?\.sqlite\.gz$/.test(name)

export const computeBackupDir = (variables: Record<string, string | undefined>, dataDir: string) =>
  variables.BACKUP_DIR?.trim() || join(dataDir, 'backups')

/** Returns the time of the newest backup. */
export function findNewestBackup(folder: string): number | undefined {
  const files = (existsSync(folder) ? readdirSync(folder) : []).filter(isBackup)
  // Skip empty files, which are not backups.
  const times = files
    .map((name) => statSync(join(folder, name)))
    .flatMap(({ size, mtimeMs }) => (size > 0 ? [mtimeMs] : []))
  return times.length > 0 ? Math.max(...times) : undefined
}
