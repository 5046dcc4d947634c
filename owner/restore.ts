import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { UserError } from '#leads/user-error.ts'
import { openDatabase } from '#server/database.ts'
import { checkPages, checkSqlite, countLeads, unpack, writeBackup } from './backup.ts'
import {
  createCommand,
  findPlaces,
  formatStamp,
  giveToOwner,
  lendWorkDir,
  makeOwnDir,
} from './backup-file.ts'
import { setAsideOldAlerts } from './old-alerts.ts'
import { count } from './terminal.ts'
import { parseTyped } from './usage.ts'

const help = `Brings a backup back. Stop the site first.

  npm run restore -- FILE             into an empty DATA_DIR
  npm run restore -- FILE --replace   in the place of what is there, of which a backup is made
`

/**
 * Writes a backup into the database, in one transaction. The file stays the same and is locked from
 * the first look on: a site that starts meanwhile waits for it, and cannot store a lead elsewhere.
 */
export const restore = (
  dataDir: string,
  file: string,
  { backupDir, replace, now }: { backupDir: string; replace: boolean; now: number },
) =>
  lendWorkDir(backupDir, async (workDir) => {
    const unpacked = join(workDir, 'leads.db')
    const leads = await unpack(file, unpacked).catch((error) => {
      throw new UserError(`${file} is no sound backup: ${error.message}.`)
    })
    const db = await openDatabase({ dataDir: workDir })
    const outcome = await setAsideOldAlerts(db, now).finally(() => db.close())

    await makeOwnDir(dataDir)
    const sqlite = await openAlone(join(dataDir, 'leads.db'))
    try {
      const present = countLeads(sqlite) ?? 0
      if (present > 0 && !replace)
        throw new UserError(
          `The database in ${dataDir} holds ${present} leads. With --replace it is kept beside, and the backup takes its place.`,
        )
      // An ordinary backup: it can be restored, and is deleted in its turn.
      const keepAs = join(backupDir, `leads-${formatStamp(now)}-before-restore.sqlite.gz`)
      if (present > 0) await writeBackup(sqlite, keepAs, workDir)
      copyAll(unpacked, sqlite)
      return { leads, ...outcome, kept: present > 0 ? keepAs : undefined }
    } finally {
      sqlite.close()
    }
  })

const moveAway = 'Move leads.db and leads.db-wal to another folder, and run this again.'

/** Opens a database that nobody else has open, and keeps all others out until it is closed. */
async function openAlone(file: string): Promise<DatabaseSync> {
  // SQLite would delete it.
  if (!existsSync(file) && existsSync(`${file}-wal`))
    throw new UserError(`${file}-wal is left of a database and may hold leads. ${moveAway}`)
  if (!existsSync(file)) {
    await writeFile(file, '', { mode: 0o600 })
    await giveToOwner(file)
  }
  const sqlite = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  try {
    // Only who is alone may leave the write-ahead log.
    sqlite.exec('pragma locking_mode = exclusive; pragma journal_mode = delete')
    sqlite.exec('begin exclusive; commit')
    checkPages(sqlite)
    return sqlite
  } catch (error) {
    sqlite.close()
    const { message } = error as Error
    if (/locked/.test(message))
      throw new UserError(`The site is running on ${file}. Stop it first.`)
    throw new UserError(`${file} is damaged: ${message}. ${moveAway}`)
  }
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

/** The command; returns its exit code. */
export const runRestore = createCommand('Nothing was restored', async (args, variables, now) => {
  const options = {
    replace: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  } as const
  const { values, positionals } = parseTyped({ args, options, allowPositionals: true })
  if (values.help) return help
  const [file, ...rest] = positionals
  if (!file || rest.length > 0) throw new UserError('Name one backup: npm run restore -- FILE')
  const { dataDir, backupDir } = findPlaces(variables)
  const request = { backupDir, replace: values.replace, now }
  const outcome = await restore(dataDir, file, request)
  const { leads, newestAt, setAsideLeads, phones, kept } = outcome
  const newest = newestAt ? `, the newest of ${new Date(newestAt).toISOString()}` : ''
  const lines = [
    `Brought back ${count(leads, 'lead')}${newest}.`,
    ...(kept ? [`What was there before is in ${kept}.`] : []),
    'Leads that came later are not in it; look for them in Airtable.',
    'Whoever was erased since then is back: erase again.',
    ...(phones > 0
      ? ['Phones ring no more: on each, sign in to the desk and press “Ring this phone” again.']
      : []),
  ]
  if (setAsideLeads.length > 0)
    lines.push(
      `\nOf ${count(setAsideLeads.length, 'lead')} an alert or reminder waited that does not go out now: it may have gone out since, or was for a phone. See whether somebody has called (npm run leads -- show ID):`,
      ...setAsideLeads.map((id) => `  ${id}`),
    )
  return lines.map((line) => `${line}\n`).join('')
})

if (import.meta.main) process.exitCode = await runRestore(process.argv.slice(2))
