import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { hourMs } from '#leads/time-units.ts'
import { openDatabase } from '#server/database.ts'
import { createDir } from '#testing/database.ts'
import { storeLead, testTime } from '#testing/saved-leads.ts'
import { backUp, runBackup } from './backup.ts'
import { runRestore } from './restore.ts'

async function createEmpty() {
  const dataDir = createDir()
  await openDatabase({ dataDir }).then((db) => db.close())
  return { dataDir, backupDir: join(createDir(), 'backups') }
}

it('deletes all but the newest backups, and no other files', async () => {
  const { dataDir, backupDir } = await createEmpty()
  for (let day = 0; day < 4; day++)
    await backUp(dataDir, { backupDir, keep: 3, now: testTime + day * 24 * hourMs })
  writeFileSync(join(backupDir, 'notes.txt'), '')
  // A killed run leaves this behind.
  mkdirSync(join(backupDir, '.unfinished-1'))
  utimesSync(join(backupDir, '.unfinished-1'), 0, 0)
  const last = await backUp(dataDir, { backupDir, keep: 3, now: testTime + 96 * hourMs })
  expect(last.deleted).toBe(1)
  expect(statSync(last.file).mode & 0o077).toBe(0)
  expect(readdirSync(backupDir).sort()).toEqual([
    'leads-2026-11-17T12-00-00Z.sqlite.gz',
    'leads-2026-11-18T12-00-00Z.sqlite.gz',
    'leads-2026-11-19T12-00-00Z.sqlite.gz',
    'notes.txt',
  ])
})

it('deletes backups with future dates first, and keeps those made after the clock was corrected', async () => {
  const { dataDir, backupDir } = await createEmpty()
  for (const year of [2031, 2032])
    await backUp(dataDir, { backupDir, keep: 2, now: Date.parse(`${year}-01-01T00:00:00Z`) })
  const first = await backUp(dataDir, { backupDir, keep: 2, now: testTime })
  const second = await backUp(dataDir, { backupDir, keep: 2, now: testTime + hourMs })
  expect(readdirSync(backupDir).map((name) => join(backupDir, name))).toEqual([
    first.file,
    second.file,
  ])
})

it('prints what backup and restore did, or why they failed', async () => {
  const dataDir = createDir()
  const run = async (command: typeof runBackup, args: string[], more = {}) => {
    const { code, text } = await command(args, { DATA_DIR: dataDir, ...more }, testTime)
    return `${code} ${text}`
  }
  const db = await openDatabase({ dataDir })
  const id = await storeLead(db, { at: testTime - 2 * hourMs })
  await db.close()
  expect(await run(runBackup, ['--keep', '2'])).toMatch(
    /^0 Backed up 1 lead to \S+\/backups\/leads-2026-11-15T12-00-00Z\.sqlite\.gz \(\d+ kB, checked\)\.\n$/,
  )
  const file = join(dataDir, 'backups', 'leads-2026-11-15T12-00-00Z.sqlite.gz')
  const output = await run(runRestore, [file, '--replace'])
  expect(output).toContain('0 Restored 1 lead. The newest is from 2026-11-15T10:00:00.000Z.\n')
  expect(output).toContain(id)
  expect(output).not.toMatch(/Jane|jane@/)

  const postgres = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
  expect(await run(runBackup, [], postgres)).toMatch(/^1 The backup failed: .* pg_dump/)
  expect(await run(runRestore, [file], postgres)).toMatch(/^1 Nothing was changed: .* pg_restore/)
  expect(await run(runBackup, ['--keep', '0'])).toMatch(/^1 .*--keep must be/)
  expect(await run(runBackup, [], { DATA_DIR: createDir() })).toMatch(
    /^1 .* Start the site first\.\n$/,
  )
  expect(await run(runRestore, [])).toMatch(/^1 .*Enter one file/)
  const finish = '--after-pg-restore'
  expect(await run(runRestore, [finish])).toMatch(/^1 Nothing was changed: Set DATABASE_URL/)
  expect(await run(runRestore, [finish, file])).toMatch(/^1 .*takes no file/)
})
