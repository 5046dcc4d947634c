import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findBackupDir, formatStamp, lendWorkDir } from './owner/backup-file.ts'
import { restorePostgres } from './owner/backup-postgres.ts'
import { restoreSqlite } from './owner/backup-sqlite.ts'
import { AlertsNotSetAside } from './owner/old-alerts.ts'
import type { DatabaseLocation } from './server/database.ts'
import { readEnv } from './supabase/functions/submit-to-airtable/env.ts'

const help = `Brings a backup back. Stop the site first.

  npm run restore -- FILE             into an empty DATA_DIR or an empty database of DATABASE_URL
  npm run restore -- FILE --replace   in the place of what is there, of which a backup is made
`

export async function restore(
  { databaseUrl, dataDir }: DatabaseLocation,
  file: string,
  { backupDir, replace, now }: { backupDir: string; replace: boolean; now: number },
) {
  const engine = await findEngine(file)
  if (engine === 'postgres' && !databaseUrl)
    throw new Error(`${file} is of PostgreSQL: set DATABASE_URL to where it shall go.`)
  if (engine === 'sqlite' && databaseUrl)
    throw new Error(`${file} is of SQLite, but DATABASE_URL names a PostgreSQL.`)
  const ending = databaseUrl ? 'dump' : 'sqlite.gz'
  // An ordinary backup: it can be restored, and is deleted in its turn.
  const keepAs = join(backupDir, `leads-${formatStamp(now)}-before-restore.${ending}`)
  return lendWorkDir(backupDir, (workDir) => {
    const ask = { replace, now, workDir, keepAs }
    return databaseUrl ? restorePostgres(databaseUrl, file, ask) : restoreSqlite(dataDir, file, ask)
  })
}

async function findEngine(file: string): Promise<'sqlite' | 'postgres'> {
  const handle = await open(file).catch(() => {
    throw new Error(`${file} cannot be read.`)
  })
  const { buffer } = await handle.read(Buffer.alloc(5), 0, 5).finally(() => handle.close())
  if (buffer.toString('latin1') === 'PGDMP') return 'postgres'
  if (buffer[0] === 0x1f && buffer[1] === 0x8b) return 'sqlite'
  throw new Error(`${file} is no backup of this product.`)
}

if (import.meta.main) {
  const say = (text: string) => process.stdout.write(`${text}\n`)
  try {
    const options = { replace: { type: 'boolean' }, help: { type: 'boolean' } } as const
    const { values, positionals } = parseArgs({ options, allowPositionals: true })
    const [file, ...rest] = positionals
    if (values.help) say(help)
    else {
      if (!file || rest.length > 0) throw new Error('Name one backup: npm run restore -- FILE')
      const env = readEnv(process.env)
      const { leads, newestAt, setAsideLeads, kept } = await restore(env, file, {
        backupDir: findBackupDir(process.env, env.dataDir),
        replace: values.replace ?? false,
        now: Date.now(),
      })
      const newest =
        newestAt === undefined ? '' : `, the newest of ${new Date(newestAt).toISOString()}`
      say(`Brought back ${leads === 1 ? '1 lead' : `${leads} leads`}${newest}.`)
      if (kept) say(`What was there before is in ${kept}.`)
      say('Leads that came later are not in it; look for them in Airtable.')
      say('Whoever was erased since then is back: erase again.')
      if (setAsideLeads.length > 0) {
        say(
          `\nOf ${setAsideLeads.length} leads older than an hour an alert or reminder waited. It may have gone out since, so it does not ring now. See whether somebody has called (npm run leads -- show ID):`,
        )
        for (const id of setAsideLeads) say(`  ${id}`)
      }
    }
  } catch (error) {
    const start = error instanceof AlertsNotSetAside ? '' : 'Nothing was restored: '
    process.stderr.write(`${start}${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
