import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { copyFile, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { openDatabase } from '../server/database.ts'
import { syncDir, syncFile } from './backup-file.ts'
import { setAsideOldAlerts } from './old-alerts.ts'

const databaseFile = (dataDir: string) => join(dataDir, 'leads.db')

/** Writes a whole, checked copy of the database while the site runs. Returns how many leads it holds. */
export async function backUpSqlite(dataDir: string, file: string, workDir: string) {
  const source = databaseFile(dataDir)
  if (!existsSync(source)) throw new Error(`There is no database in ${dataDir} (DATA_DIR) yet.`)
  const copy = join(workDir, 'copy.db')
  const packed = join(workDir, 'copy.gz')
  const unpacked = join(workDir, 'check.db')
  // SQLite would give a new file to all; an empty one keeps the rights it has.
  await writeFile(copy, '', { mode: 0o600 })
  const sqlite = new DatabaseSync(source, { timeout: 10_000 })
  try {
    // One reading of one moment. The step-by-step backup starts anew whenever the site writes, and
    // under load never ends. Nothing that was erased is in it either.
    sqlite.prepare('vacuum into ?').run(copy)
  } finally {
    sqlite.close()
  }
  await pack(copy, packed)
  await unpack(packed, unpacked)
  const leads = checkSqlite(unpacked)
  await rename(packed, file)
  await syncDir(dirname(file))
  return leads
}

/** Puts a backup in the place of the database, which is kept beside. Until the last step nothing has changed. */
export async function restoreSqlite(
  dataDir: string,
  file: string,
  { replace, now, stamp }: { replace: boolean; now: number; stamp: string },
) {
  const target = databaseFile(dataDir)
  const workDir = join(dataDir, 'restoring')
  await rm(workDir, { recursive: true, force: true })
  await mkdir(workDir, { recursive: true, mode: 0o700 })
  try {
    const unpacked = databaseFile(workDir)
    try {
      await unpack(file, unpacked)
      checkSqlite(unpacked)
    } catch (error) {
      throw new Error(`${file} is damaged: ${(error as Error).message}.`)
    }
    const present = existsSync(target) ? takeAlone(target) : 0
    if (present > 0 && !replace)
      throw new Error(
        `The database in ${dataDir} holds ${present} leads. With --replace it is kept beside, and the backup takes its place.`,
      )
    const db = await openDatabase({ dataDir: workDir })
    const outcome = await setAsideOldAlerts(db, now).finally(() => db.close())
    await syncFile(unpacked)
    const kept = present > 0 ? join(dataDir, `leads-before-restore-${stamp}.db`) : undefined
    if (kept) {
      await copyFile(target, kept)
      await syncFile(kept)
    }
    await rename(unpacked, target)
    await syncDir(dataDir)
    return { ...outcome, kept }
  } finally {
    await rm(workDir, { recursive: true, force: true })
  }
}

/** Counts the leads of a database that nobody else has open, and leaves all of it in one file. */
function takeAlone(file: string): number {
  const sqlite = new DatabaseSync(file)
  try {
    // Leaving the write-ahead log is allowed only to whoever is alone.
    sqlite.exec('pragma journal_mode = delete')
    return countLeads(sqlite)
  } catch (error) {
    if (/locked/.test((error as Error).message))
      throw new Error(`The site is running on ${file}. Stop it first.`)
    throw error
  } finally {
    sqlite.close()
  }
}

/** Throws unless every page and reference is sound. */
function checkSqlite(file: string): number {
  const sqlite = new DatabaseSync(file)
  try {
    const [{ integrity_check: finding } = {}] = sqlite.prepare('pragma integrity_check').all()
    if (finding !== 'ok') throw new Error(`its integrity check says ${finding}`)
    if (sqlite.prepare('pragma foreign_key_check').all().length > 0)
      throw new Error('it has deliveries without their leads')
    if (!hasLeads(sqlite)) throw new Error('it holds no table of leads')
    return countLeads(sqlite)
  } finally {
    sqlite.close()
  }
}

const hasLeads = (sqlite: DatabaseSync) =>
  sqlite.prepare(`select 1 from sqlite_master where type = 'table' and name = 'leads'`).get()

const countLeads = (sqlite: DatabaseSync) =>
  hasLeads(sqlite) ? Number(sqlite.prepare('select count(*) as n from leads').get()?.n) : 0

// `flush`: on the disk before the stream ends.
const writeSynced = (file: string) => createWriteStream(file, { mode: 0o600, flush: true })
const pack = (from: string, to: string) =>
  pipeline(createReadStream(from), createGzip(), writeSynced(to))
const unpack = (from: string, to: string) =>
  pipeline(createReadStream(from), createGunzip(), writeSynced(to))
