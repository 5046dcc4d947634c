import { existsSync, type StatsFs } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import { formatDuration } from '#leads/alerts/clock.ts'
import type { Env } from '#leads/settings.ts'
import { openPostgres } from '#leads/store/postgres.ts'
import { listDevices, ringsAtOnce } from '#leads/store/push-devices.ts'
import type { Tables } from '#leads/store/tables.ts'
import { findBackupDir, findNewestBackup } from '#server/backups.ts'
import { createSqliteDialect } from '#server/sqlite-dialect.ts'
import { cannotTell, type Finding, findErrorCode, ok, toDo } from './check.ts'
import { findBackend, type Given } from './settings.ts'

export type ReadStatfs = (path: string) => Promise<Pick<StatsFs, 'type' | 'bavail' | 'bsize'>>

/** Where leads are kept, whether one could be stored, and whether it would still be there tomorrow. */
export async function checkDatabase(
  { databaseUrl, dataDir }: Env,
  given: Given,
  readStatfs: ReadStatfs = statfs,
): Promise<Finding> {
  if (databaseUrl !== undefined)
    return checkStoring('PostgreSQL', () => openPostgres(databaseUrl, { leads: 1, others: 1 }))
  if (findBackend(given) !== undefined)
    return cannotTell(
      'Leads are stored at the backend of VITE_SUPABASE_URL.',
      '.env: DATABASE_URL with its connection string lets doctor look',
    )
  if (!existsSync(join(dataDir, 'leads.db')))
    return toDo(`There is no database in ${dataDir} yet.`, 'npm start   makes it')
  return [
    await checkStoring(`SQLite in ${dataDir}`, () => openAsItIs(dataDir)),
    checkPlace(await readStatfs(dataDir)),
  ]
}

/** The site would migrate it; doctor changes nothing. */
function openAsItIs(dataDir: string) {
  const sqlite = new DatabaseSync(join(dataDir, 'leads.db'), { timeout: 2_000 })
  const kysely = new Kysely<Tables>({ dialect: createSqliteDialect(sqlite, 2_000) })
  return { kysely, close: async () => sqlite.close() }
}

type Open = () => { kysely: Kysely<Tables>; close: () => Promise<void> }

async function checkStoring(engine: string, open: Open): Promise<Finding> {
  let db: ReturnType<Open> | undefined
  const isTaken = new Error('it could be written, and is not to stay')
  try {
    db = open()
    await db.kysely.transaction().execute(async (trx) => {
      await trx.insertInto('write_checks').values({ id: 'doctor', filler: '' }).execute()
      throw isTaken
    })
  } catch (error) {
    if (error === isTaken) return ok(`${engine} takes a lead.`)
    const { errstr = findErrorCode(error) } = error as { errstr?: string }
    return toDo(
      `${engine} takes no lead (${errstr}).`,
      'npm start   migrates an older one. Else check DATABASE_URL or DATA_DIR in .env, the server, its rights and its disk',
    )
  } finally {
    // Not waited for: a server that hangs would not say goodbye either.
    db?.close().catch(() => {})
  }
}

/** How many phones ring for a new lead; none where nobody can tell. */
export async function countPhones({ databaseUrl, dataDir }: Env): Promise<number> {
  if (databaseUrl === undefined && !existsSync(join(dataDir, 'leads.db'))) return 0
  const db = databaseUrl ? openPostgres(databaseUrl, { leads: 1, others: 1 }) : openAsItIs(dataDir)
  try {
    const devices = await listDevices(db)
    return devices.filter(ringsAtOnce).length
  } catch {
    // The database's own line says what is wrong with it.
    return 0
  } finally {
    db.close().catch(() => {})
  }
}

// The kernel's numbers for file systems (statfs(2)).
const badPlaces: Record<number, string> = {
  16914836: 'in memory (tmpfs): a restart takes all leads',
  2035054128: 'inside a container (overlay): a restart takes all leads',
  26985: 'on a network file system (NFS), where SQLite is not safe',
  4283649346: 'on a network file system (SMB), where SQLite is not safe',
  4266872130: 'on a network file system (SMB), where SQLite is not safe',
}

// A lead takes about 2 kB; this is room for years of them and for backups.
const leastFreeGb = 1

function checkPlace({ type, bavail, bsize }: Awaited<ReturnType<ReadStatfs>>): Finding {
  // Some kernels hand the number over with its sign.
  const bad = badPlaces[type >>> 0]
  if (bad) return toDo(`DATA_DIR is ${bad}.`, '.env: DATA_DIR on a disk of this machine that stays')
  const freeGb = (bavail * bsize) / 1e9
  if (freeGb < leastFreeGb)
    return toDo(`The disk has ${freeGb.toFixed(1)} GB left.`, 'Make room: 1 GB at least')
  return ok(`The disk has ${freeGb.toFixed(0)} GB left.`)
}

const dayMs = 86_400_000

/** The newest of the files that `npm run backup` leaves. */
export function checkBackups({ databaseUrl, dataDir }: Env, given: Given, now: number): Finding {
  if (databaseUrl !== undefined || findBackend(given) !== undefined)
    return cannotTell(
      'Leads are backed up where their PostgreSQL is, if at all.',
      'Look at its own backups, or dump it every night: docs/backup.md',
    )
  const folder = findBackupDir(given, dataDir)
  const next = 'npm run backup   and every night from now on'
  const newestAt = findNewestBackup(folder)
  if (newestAt === undefined) return toDo(`There is no backup in ${folder}.`, next)
  const ageMs = now - newestAt
  const says = `The newest backup in ${folder} is ${formatDuration(ageMs)} old.`
  return ageMs > dayMs ? toDo(says, next) : ok(says)
}
