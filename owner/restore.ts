import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readEnv } from '#leads/settings.ts'
import type { CommandDeps } from './backup.ts'
import { findBackupDir, formatStamp, lendWorkDir, usePostgresTools } from './backup-file.ts'
import { restoreSqlite } from './backup-sqlite.ts'

const help = `Brings a backup back. Stop the site first.

  npm run restore -- FILE             into an empty DATA_DIR
  npm run restore -- FILE --replace   in the place of what is there, of which a backup is made
`

export async function restore(
  dataDir: string,
  file: string,
  { backupDir, replace, now }: { backupDir: string; replace: boolean; now: number },
) {
  await checkKind(file)
  // An ordinary backup: it can be restored, and is deleted in its turn.
  const keepAs = join(backupDir, `leads-${formatStamp(now)}-before-restore.sqlite.gz`)
  return lendWorkDir(backupDir, (workDir) =>
    restoreSqlite(dataDir, file, { replace, now, workDir, keepAs }),
  )
}

async function checkKind(file: string): Promise<void> {
  const handle = await open(file).catch(() => {
    throw new Error(`${file} cannot be read.`)
  })
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2).finally(() => handle.close())
  if (buffer[0] !== 0x1f || buffer[1] !== 0x8b)
    throw new Error(`${file} is no backup of this product.`)
}

/** The command; returns its exit code. */
export async function runRestore(args: string[], { variables, now, stdout, stderr }: CommandDeps) {
  const say = (text: string) => stdout(`${text}\n`)
  try {
    const options = { replace: { type: 'boolean' }, help: { type: 'boolean' } } as const
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    if (values.help) {
      stdout(help)
      return 0
    }
    const [file, ...rest] = positionals
    if (!file || rest.length > 0) throw new Error('Name one backup: npm run restore -- FILE')
    const { databaseUrl, dataDir } = readEnv(variables)
    if (databaseUrl) throw new Error(usePostgresTools)
    const { leads, newestAt, setAsideLeads, kept } = await restore(dataDir, file, {
      backupDir: findBackupDir(variables, dataDir),
      replace: values.replace ?? false,
      now,
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
    return 0
  } catch (error) {
    stderr(`Nothing was restored: ${(error as Error).message}\n`)
    return 1
  }
}

if (import.meta.main)
  process.exitCode = await runRestore(process.argv.slice(2), {
    variables: process.env,
    now: Date.now(),
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
  })
