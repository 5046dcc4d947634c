import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type Env, readEnv } from '#leads/settings.ts'
import { UserError } from '#leads/user-error.ts'
import { count } from '#leads/words.ts'
import { openDatabase } from '#server/database.ts'
import { checkPages, checkSqlite, countLeads, unpack, writeBackup } from './backup.ts'
import {
  createCommand,
  formatStamp,
  giveToOwner,
  makeOwnDir,
  readDataFolders,
  runProcess,
  withTempDir,
} from './backup-file.ts'
import { cancelOldAlerts } from './old-alerts.ts'
import { parseTyped } from './terminal.ts'

const help = `Restores a backup. Stop the site first.

  npm run restore -- FILE             restore into an empty DATA_DIR
  npm run restore -- FILE --replace   back up the current database, then replace it
  npm run restore -- --after-pg-restore
                                      after pg_restore into DATABASE_URL: cancel old alerts, sign everyone out
`

/**
 * Writes a backup into the existing database file in one transaction. The file stays locked, so a site that starts in
 * the meantime waits. If we replaced the file, that site could store leads in the deleted file.
 */
export const restore = (
  dataDir: string,
  file: string,
  { backupDir, replace, now }: { backupDir: string; replace: boolean; now: number },
) =>
  withTempDir(backupDir, async (workDir) => {
    const unpacked = join(workDir, 'leads.db')
    await unpack(file, unpacked).catch((error) => {
      throw new UserError(
        error.code === 'ENOENT'
          ? `There is no file ${resolve(file)}. Check its name. By default, backups are in ${resolve(backupDir)}.`
          : `${file} is not a valid backup: ${error.message}.`,
      )
    })
    const db = await openDatabase({ dataDir: workDir })
    const outcome = await cancelOldAlerts(db, now).finally(() => db.close())

    await makeOwnDir(dataDir)
    const sqlite = await openExclusively(join(dataDir, 'leads.db'))
    try {
      const present = countLeads(sqlite) ?? 0
      if (present > 0 && !replace)
        throw new UserError(
          `The database in ${dataDir} already has ${count(present, 'lead')}. Add --replace to back it up and then replace it.`,
        )
      // This is an ordinary backup: it can be restored, and `npm run backup` later deletes it.
      const previousFile = join(backupDir, `leads-${formatStamp(now)}-before-restore.sqlite.gz`)
      if (present > 0) await writeBackup(sqlite, previousFile, workDir)
      copyAll(unpacked, sqlite)
      return { ...outcome, kept: present > 0 ? previousFile : undefined }
    } finally {
      sqlite.close()
    }
  })

/** Fails if the site has the database open. */
async function openExclusively(file: string): Promise<DatabaseSync> {
  // SQLite would delete a write-ahead log whose database file is missing.
  if (!existsSync(file) && existsSync(`${file}-wal`))
    throw new UserError(
      `${file} is missing, but ${file}-wal exists and may contain leads. Move ${file}-wal to another folder, and run this again.`,
    )
  if (!existsSync(file)) {
    await writeFile(file, '', { mode: 0o600 })
    await giveToOwner(file)
  }
  const sqlite = new DatabaseSync(file, { enableForeignKeyConstraints: false })
  try {
    // SQLite can leave WAL mode only if no other connection is open.
    sqlite.exec('pragma locking_mode = exclusive; pragma journal_mode = delete')
    sqlite.exec('begin exclusive; commit')
    checkPages(sqlite)
    return sqlite
  } catch (error) {
    sqlite.close()
    const { message } = error as Error
    if (/locked/.test(message))
      throw new UserError(`The site is still using ${file}. Stop it first.`)
    throw new UserError(
      `${file} is damaged: ${message}. Move leads.db and leads.db-wal to another folder, and run this again.`,
    )
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

async function finishPgRestore({ databaseUrl, dataDir }: Env, now: number) {
  if (!databaseUrl) throw new UserError('Set DATABASE_URL to the restored database.')
  const db = await openDatabase({ databaseUrl, dataDir })
  return cancelOldAlerts(db, now).finally(() => db.close())
}

export const runRestore = createCommand('Nothing was changed', async (args, variables, now) => {
  const options = {
    replace: { type: 'boolean', default: false },
    'after-pg-restore': { type: 'boolean' },
    help: { type: 'boolean' },
  } as const
  const { values, positionals } = parseTyped({ args, options, allowPositionals: true })
  if (values.help) return help
  const [file, ...rest] = positionals
  const { replace, 'after-pg-restore': afterPgRestore } = values
  if (afterPgRestore) {
    if (file || replace)
      throw new UserError('--after-pg-restore takes no file and no other option.')
    const env = readEnv(variables)
    return formatOutcome(await finishPgRestore(env, now), env.desk)
  }
  if (!file || rest.length > 0) throw new UserError('Enter one file: npm run restore -- FILE')
  const { dataDir, backupDir, desk } = readDataFolders(variables)
  return formatOutcome(await restore(dataDir, file, { backupDir, replace, now }), desk)
})

type Outcome = Awaited<ReturnType<typeof cancelOldAlerts>> & { kept?: string | undefined }

function formatOutcome(outcome: Outcome, desk: Env['desk']) {
  const { leads, newestAt, cancelledLeads, phones, kept } = outcome
  const newest = newestAt ? ` The newest is from ${new Date(newestAt).toISOString()}.` : ''
  const lines = [
    `Restored ${count(leads, 'lead')}.${newest}`,
    ...(kept ? [`The previous database is in ${kept}.`] : []),
    'Leads received after the backup are missing. Look for them in Airtable.',
    'Leads erased after the backup are back. Erase them again on the desk.',
    'People removed after the backup can sign in again, and owners who became crew members are owners again. Check the list under People on the desk.',
    ...(phones > 0
      ? ['Notifications are off. On each device, sign in to the desk and turn them on again.']
      : []),
  ]
  if (cancelledLeads.length > 0)
    lines.push(
      `\n${count(cancelledLeads.length, 'lead')} had a pending alert or reminder, which was canceled because it may have been sent already. Check on the desk whether someone has called:`,
      ...cancelledLeads.map((id) => `  ${desk ? `${desk.url}/#/lead/` : ''}${id}`),
    )
  return lines.map((line) => `${line}\n`).join('')
}

if (import.meta.main) await runProcess(runRestore)
