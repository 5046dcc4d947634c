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
  makeOwnDir,
  withTempDir,
} from './backup-file.ts'
import { setAsideOldAlerts } from './old-alerts.ts'
import { count, parseTyped } from './terminal.ts'

const help = `Brings a backup back. Stop the site first.

  npm run restore -- FILE             into an empty DATA_DIR
  npm run restore -- FILE --replace   in the place of what is there, of which a backup is made
`

/**
 * Writes a backup into the database in one transaction. The database file is locked all the time, so
 * a site that starts meanwhile waits instead of storing leads elsewhere.
 */
export const restore = (
  dataDir: string,
  file: string,
  { backupDir, replace, now }: { backupDir: string; replace: boolean; now: number },
) =>
  withTempDir(backupDir, async (workDir) => {
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
      // An ordinary backup, which can be restored and is deleted like the others.
      const keepAs = join(backupDir, `leads-${formatStamp(now)}-before-restore.sqlite.gz`)
      if (present > 0) await writeBackup(sqlite, keepAs, workDir)
      copyAll(unpacked, sqlite)
      return { leads, ...outcome, kept: present > 0 ? keepAs : undefined }
    } finally {
      sqlite.close()
    }
  })

const moveAway = 'Move leads.db and leads.db-wal to another folder, and run this again.'

/** Opens the database exclusively, and fails if the site has it open. */
async function openAlone(file: string): Promise<DatabaseSync> {
  // SQLite would delete the log.
  if (!existsSync(file) && existsSync(`${file}-wal`))
    throw new UserError(`${file}-wal is left of a database and may hold leads. ${moveAway}`)
  if (!existsSync(file)) {
    await writeFile(file, '', { mode: 0o600 })
    await giveToOwner(file)
  }
  const sqlite = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  try {
    // SQLite allows leaving the write-ahead log only to the sole connection.
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

/** Replaces all tables. Throws and changes nothing if the result is damaged. */
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

/** Returns the exit code. */
export const runRestore = createCommand('Nothing was restored', async (args, variables, now) => {
  const options = {
    replace: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  } as const
  const { values, positionals } = parseTyped({ args, options, allowPositionals: true })
  if (values.help) return help
  const [file, ...rest] = positionals
  if (!file || rest.length > 0) throw new UserError('Name one backup: npm run restore -- FILE')
  const { dataDir, backupDir, desk } = findPlaces(variables)
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
      ? [
          'Push devices were removed. On each phone, sign in to the desk and turn on notifications again.',
        ]
      : []),
  ]
  if (setAsideLeads.length > 0)
    lines.push(
      `\n${count(setAsideLeads.length, 'lead')} had an alert or reminder pending. It is not sent now, because it may have been sent since, or was for a phone. Check on the desk whether someone has called:`,
      ...setAsideLeads.map((id) => `  ${desk ? `${desk.url}/#/lead/` : ''}${id}`),
    )
  return lines.map((line) => `${line}\n`).join('')
})

if (import.meta.main) process.exitCode = await runRestore(process.argv.slice(2))
