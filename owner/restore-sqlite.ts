import { existsSync } from 'node:fs'
import { readdir, rename, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { UserError } from '#leads/user-error.ts'
import { openDatabase } from '#server/database.ts'
import { giveToOwner, makeOwnDir } from './backup-file.ts'
import { checkSqlite, countLeads, findDamage, unpack, writeBackup } from './backup-sqlite.ts'
import { setAsideOldAlerts } from './old-alerts.ts'

/** `keepAs`: the backup of what was there before. */
type Request = { replace: boolean; now: number; workDir: string; keepAs: string }

/**
 * Writes a backup into the database, in one transaction. The file stays the same and is locked from
 * the first look on: a site that starts meanwhile waits for it, and cannot store a lead elsewhere.
 */
export async function restoreSqlite(
  dataDir: string,
  file: string,
  { replace, now, workDir, keepAs }: Request,
) {
  const unpacked = join(workDir, 'leads.db')
  await unpack(file, unpacked).catch((error) => {
    throw new UserError(`${file} is damaged: ${error.message}.`)
  })
  const db = await openDatabase({ dataDir: workDir })
  const outcome = await setAsideOldAlerts(db, now).finally(() => db.close())

  const target = join(dataDir, 'leads.db')
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
      throw new UserError(
        `The database in ${dataDir} is damaged: ${damage}. With --replace it is moved aside, and the backup takes its place.`,
      )
    if (present > 0 && !replace)
      throw new UserError(
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
    // Only who is alone may leave the write-ahead log.
    sqlite.exec('pragma locking_mode = exclusive; pragma journal_mode = delete')
    sqlite.exec('begin exclusive; commit')
    return { sqlite, present: countLeads(sqlite), damage: findDamage(sqlite) }
  } catch (error) {
    const { message, errcode = 0 } = error as Error & { errcode?: number }
    // SQLITE_CORRUPT and SQLITE_NOTADB.
    if ([11, 26].includes(errcode & 0xff)) return { sqlite, present: 0, damage: message }
    sqlite.close()
    if (/locked/.test(message))
      throw new UserError(`The site is running on ${file}. Stop it first.`)
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
