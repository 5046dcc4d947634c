import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { formatDuration } from '#leads/alerts/clock.ts'
import type { Env } from '#leads/settings.ts'
import { findBackupDir, isBackup } from '#server/backups.ts'
import { cannotTell, type Finding, ok, toDo } from './check.ts'
import { findBackend, type Given } from './settings.ts'

const dayMs = 86_400_000

/** The newest of the files that `npm run backup` leaves. */
export function checkBackups({ databaseUrl, dataDir }: Env, given: Given, now: number): Finding {
  if (databaseUrl !== undefined || findBackend(given) !== undefined)
    return cannotTell(
      'backups',
      'Leads are backed up where their PostgreSQL is, if at all.',
      'Look at its own backups, or dump it every night: docs/hosting.md, Backup and restore',
    )
  const folder = findBackupDir(given, dataDir)
  const next = 'npm run backup   and every night from now on'
  const [newest] = (existsSync(folder) ? readdirSync(folder) : [])
    .filter(isBackup)
    .map((name) => statSync(join(folder, name)))
    .filter(({ size }) => size > 0)
    .sort((a, b) => b.mtimeMs - a.mtimeMs)
  if (!newest) return toDo('backups', `There is no backup in ${folder}.`, next)
  const age = formatDuration(now - newest.mtimeMs)
  if (now - newest.mtimeMs > dayMs)
    return toDo('backups', `The newest backup in ${folder} is ${age} old.`, next)
  const isBeside = existsSync(dataDir) && statSync(dataDir).dev === newest.dev
  const warning = isBeside ? ", on the database's own disk: keep copies elsewhere" : ''
  return ok('backups', `The newest backup is ${age} old${warning}.`)
}
