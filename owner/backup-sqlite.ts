import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { UserError } from '#leads/user-error.ts'
import { publishFile } from './backup-file.ts'

/** Writes a whole, checked copy of the database while the site runs. Returns how many leads it holds. */
export async function backUpSqlite(dataDir: string, file: string, workDir: string) {
  const source = join(dataDir, 'leads.db')
  if (!existsSync(source)) throw new UserError(`There is no database in ${dataDir} (DATA_DIR) yet.`)
  const sqlite = new DatabaseSync(source, { timeout: 10_000 })
  return writeBackup(sqlite, file, workDir).finally(() => sqlite.close())
}

export async function writeBackup(sqlite: DatabaseSync, file: string, workDir: string) {
  const copy = join(workDir, 'copy.db')
  const packed = join(workDir, 'copy.gz')
  // SQLite would give a new file to all; an empty one keeps the rights it has.
  await writeFile(copy, '', { mode: 0o600 })
  // One reading of one moment. The step-by-step backup starts again whenever the site writes, and
  // under load never ends. Nothing that was erased is in it either.
  sqlite.prepare('vacuum into ?').run(copy)
  await pipeline(createReadStream(copy), createGzip(), writePrivate(packed))
  const leads = await unpack(packed, join(workDir, 'check.db'))
  await publishFile(packed, file)
  return leads
}

const writePrivate = (file: string) => createWriteStream(file, { mode: 0o600 })

/** Throws unless what was packed is sound; returns how many leads it holds. */
export async function unpack(from: string, to: string): Promise<number> {
  await pipeline(createReadStream(from), createGunzip(), writePrivate(to))
  const sqlite = new DatabaseSync(to)
  try {
    return checkSqlite(sqlite)
  } finally {
    sqlite.close()
  }
}

/** Throws unless every page and reference is sound. */
export function checkSqlite(sqlite: DatabaseSync): number {
  const damage = findDamage(sqlite)
  if (damage) throw new UserError(damage)
  if (sqlite.prepare('pragma main.foreign_key_check').all().length > 0)
    throw new UserError('it has deliveries without their leads')
  if (!hasLeads(sqlite)) throw new UserError('it holds no table of leads')
  return countLeads(sqlite)
}

export function findDamage(sqlite: DatabaseSync): string | undefined {
  const finding = String(sqlite.prepare('pragma main.integrity_check').get()?.integrity_check)
  if (finding !== 'ok') return `its integrity check says ${finding.replaceAll('\n', ' ')}`
}

const hasLeads = (sqlite: DatabaseSync) =>
  sqlite.prepare(`select 1 from main.sqlite_schema where type = 'table' and name = 'leads'`).get()

export const countLeads = (sqlite: DatabaseSync) =>
  hasLeads(sqlite) ? Number(sqlite.prepare('select count(*) as n from main.leads').get()?.n) : 0
