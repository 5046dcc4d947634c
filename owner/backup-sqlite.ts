import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { readdir, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { openDatabase } from '#server/database.ts'
import { giveToOwner, makeOwnDir, publishFile, type RestoreRequest } from './backup-file.ts'
import { setAsideOldAlerts } from './old-alerts.ts'

const databaseFile = (dataDir: string) => join(dataDir, 'leads.db')

/** Writes a whole, checked copy of the database while the site runs. Returns how many leads it holds. */
export async function backUpSqlite(dataDir: string, file: string, workDir: string) {
  const source = databaseFile(dataDir)
  if (!existsSync(source)) throw new Error(`There is no database in ${dataDir} (DATA_DIR) yet.`)
  const sqlite = new DatabaseSync(source, { timeout: 10_000 })
  return writeBackup(sqlite, file, workDir).finally(() => sqlite.close())
}

async function writeBackup(sqlite: DatabaseSync, file: string, workDir: string) {
  const copy = join(workDir, 'copy.db')
  const packed = join(workDir, 'copy.gz')
  const unpacked = join(workDir, 'check.db')
  // SQLite would give a new file to all; an empty one keeps the rights it has.
  await writeFile(copy, '', { mode: 0o600 })
  // One reading of one moment. The step-by-step backup starts anew whenever the site writes, and
  // under load never ends. Nothing that was erased is in it either.
  sqlite.prepare('vacuum into ?').run(copy)
  await pack(copy, packed)
  await unpack(packed, unpacked)
  const leads = checkFile(unpacked)
  await publishFile(packed, file)
  return leads
}

/**
 * Writes a backup into the database, in one transaction. The file stays the same and is locked from
 * the first look on: a site that starts meanwhile waits for it, and cannot store a lead elsewhere.
 */
export async function restoreSqlite(
  dataDir: string,
  file: string,
  { replace, now, workDir, keepAs }: RestoreRequest,
) {
  const unpacked = databaseFile(workDir)
  try {
    await unpack(file, unpacked)
    checkFile(unpacked)
  } catch (error) {
    throw new Error(`${file} is damaged: ${(error as Error).message}.`)
  }
  const db = await openDatabase({ dataDir: workDir })
  const outcome = await setAsideOldAlerts(db, now).finally(() => db.close())

  const target = databaseFile(dataDir)
  const damagedDir = join(dataDir, `${basename(keepAs).split('.')[0]}-damaged`)
  await makeOwnDir(dataDir)
  // A log without its database: SQLite would delete it.
  let kept = existsSync(target) ? undefined : await moveAside(dataDir, damagedDir)
  let alone = await openAlone(target)
  if (alone.damage && replace) {
    kept = await moveAside(dataDir, damagedDir)
    alone.sqlite.close()
    alone = await openAlone(target)
  }
  const { sqlite, present, damage } = alone
  try {
    if (damage)
      throw new Error(
        `The database in ${dataDir} is damaged: ${damage}. With --replace it is moved aside, and the backup takes its place.`,
      )
    if (present > 0 && !replace)
      throw new Error(
        `The database in ${dataDir} holds ${present} leads. With --replace it is kept beside, and the backup takes its place.`,
      )
    if (present > 0) {
      await writeBackup(sqlite, keepAs, workDir)
      kept = keepAs
    }
    copyAll(unpacked, sqlite)
    return { ...outcome, kept }
  } finally {
    sqlite.close()
  }
}

/** Opens a database that nobody else has open, and keeps all others out until it is closed. */
async function openAlone(file: string) {
  if (!existsSync(file)) {
    await writeFile(file, '', { mode: 0o600 })
    await giveToOwner(file)
  }
  const sqlite = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  try {
    // Leaving the write-ahead log is allowed only to whoever is alone.
    sqlite.exec(`pragma locking_mode = exclusive; pragma journal_mode = delete`)
    sqlite.exec('begin exclusive; commit')
    return { sqlite, present: countLeads(sqlite), damage: findDamage(sqlite) }
  } catch (error) {
    const { message, errcode = 0 } = error as Error & { errcode?: number }
    // SQLITE_CORRUPT and SQLITE_NOTADB.
    if ([11, 26].includes(errcode & 0xff)) return { sqlite, present: 0, damage: message }
    sqlite.close()
    if (/locked/.test(message)) throw new Error(`The site is running on ${file}. Stop it first.`)
    throw error
  }
}

async function moveAside(dataDir: string, damagedDir: string): Promise<string | undefined> {
  const names = (await readdir(dataDir)).filter((name) => /^leads\.db(-.+)?$/.test(name))
  if (names.length === 0) return undefined
  await makeOwnDir(damagedDir)
  for (const name of names) await rename(join(dataDir, name), join(damagedDir, name))
  return damagedDir
}

/** All tables and rows of one database instead of those of the other; throws and changes nothing unless they are sound. */
function copyAll(from: string, sqlite: DatabaseSync): void {
  const list = (schema: string) =>
    sqlite
      .prepare(
        `select type, name, sql from ${schema}.sqlite_schema where name not like 'sqlite_%' order by type <> 'table'`,
      )
      .all()
  sqlite.prepare('attach ? as source').run(from)
  sqlite.exec('pragma secure_delete = on; begin exclusive')
  for (const { type, name } of list('main'))
    if (type === 'table' || type === 'view') sqlite.exec(`drop ${type} main."${name}"`)
  for (const { type, name, sql } of list('source')) {
    sqlite.exec(String(sql))
    if (type === 'table') sqlite.exec(`insert into main."${name}" select * from source."${name}"`)
  }
  checkSqlite(sqlite)
  sqlite.exec('commit')
}

function checkFile(file: string): number {
  const sqlite = new DatabaseSync(file)
  try {
    return checkSqlite(sqlite)
  } finally {
    sqlite.close()
  }
}

/** Throws unless every page and reference is sound. */
function checkSqlite(sqlite: DatabaseSync): number {
  const damage = findDamage(sqlite)
  if (damage) throw new Error(damage)
  if (sqlite.prepare('pragma main.foreign_key_check').all().length > 0)
    throw new Error('it has deliveries without their leads')
  if (!hasLeads(sqlite)) throw new Error('it holds no table of leads')
  return countLeads(sqlite)
}

function findDamage(sqlite: DatabaseSync): string | undefined {
  const finding = sqlite.prepare('pragma main.integrity_check').get()?.integrity_check
  return finding === 'ok'
    ? undefined
    : `its integrity check says ${String(finding).replaceAll('\n', ' ')}`
}

const hasLeads = (sqlite: DatabaseSync) =>
  sqlite.prepare(`select 1 from main.sqlite_schema where type = 'table' and name = 'leads'`).get()

const countLeads = (sqlite: DatabaseSync) =>
  hasLeads(sqlite) ? Number(sqlite.prepare('select count(*) as n from main.leads').get()?.n) : 0

const writePrivate = (file: string) => createWriteStream(file, { mode: 0o600 })
const pack = (from: string, to: string) =>
  pipeline(createReadStream(from), createGzip(), writePrivate(to))
const unpack = (from: string, to: string) =>
  pipeline(createReadStream(from), createGunzip(), writePrivate(to))
