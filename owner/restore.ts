import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { UserError } from '#leads/user-error.ts'
import { createCommand, findPlaces } from './backup-command.ts'
import { formatStamp, lendWorkDir } from './backup-file.ts'
import { restoreSqlite } from './restore-sqlite.ts'
import { count } from './terminal.ts'
import { parseTyped } from './usage.ts'

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
    throw new UserError(`${file} cannot be read.`)
  })
  const { buffer } = await handle.read(Buffer.alloc(2), 0, 2).finally(() => handle.close())
  if (buffer.readUInt16BE() !== 0x1f8b) throw new UserError(`${file} is no backup of this product.`)
}

/** The command; returns its exit code. */
export const runRestore = createCommand('Nothing was restored', async (args, deps) => {
  const options = {
    replace: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  } as const
  const { values, positionals } = parseTyped({ args, options, allowPositionals: true })
  if (values.help) return help
  const [file, ...rest] = positionals
  if (!file || rest.length > 0) throw new UserError('Name one backup: npm run restore -- FILE')
  const { dataDir, backupDir } = findPlaces(deps.variables)
  const request = { backupDir, replace: values.replace, now: deps.now }
  const { leads, newestAt, setAsideLeads, kept } = await restore(dataDir, file, request)
  const newest = newestAt ? `, the newest of ${new Date(newestAt).toISOString()}` : ''
  const lines = [
    `Brought back ${count(leads, 'lead')}${newest}.`,
    ...(kept ? [`What was there before is in ${kept}.`] : []),
    'Leads that came later are not in it; look for them in Airtable.',
    'Whoever was erased since then is back: erase again.',
  ]
  if (setAsideLeads.length > 0)
    lines.push(
      `\nOf ${setAsideLeads.length} leads older than an hour an alert or reminder waited. It may have gone out since, so it does not go out now. See whether somebody has called (npm run leads -- show ID):`,
      ...setAsideLeads.map((id) => `  ${id}`),
    )
  return lines.map((line) => `${line}\n`).join('')
})

if (import.meta.main) process.exitCode = await runRestore(process.argv.slice(2))
