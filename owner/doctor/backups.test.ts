import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readEnv } from '#leads/settings.ts'
import { createDir } from '#testing/database.ts'
import { checkBackups } from './backups.ts'

test('backups: none, an empty one, an old one, a fresh one', () => {
  const dataDir = createDir()
  const now = Date.parse('2026-11-15T12:00:00Z')
  const check = (given = {}) => checkBackups(readEnv({ DATA_DIR: dataDir }), given, now)
  const write = (folder: string, name: string, hoursAgo: number, text = 'x') => {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), text)
    const at = (now - hoursAgo * 3_600_000) / 1000
    utimesSync(join(folder, name), at, at)
  }
  const folder = join(dataDir, 'backups')
  expect(check()).toMatchObject({ state: 'to do' })
  write(folder, 'leads-20261115T110000Z.sqlite.gz', 1, '')
  write(folder, 'notes.txt', 1)
  expect(check()).toMatchObject({ state: 'to do' })
  write(folder, 'leads-20261114T100000Z.sqlite.gz', 26)
  const says = expect.stringContaining('26 hours old')
  expect(check()).toMatchObject({ state: 'to do', says })
  write(folder, 'leads-20261114T130000Z.sqlite.gz', 23)
  expect(check()).toMatchObject({ state: 'ok' })
  const elsewhere = { BACKUP_DIR: join(dataDir, 'elsewhere') }
  expect(check(elsewhere)).toMatchObject({ state: 'to do' })
  write(elsewhere.BACKUP_DIR, 'leads-20261115T110000Z.sqlite.gz', 1)
  expect(check(elsewhere)).toMatchObject({ state: 'ok' })
})

test.each([{ VITE_SUPABASE_URL: 'https://b.test' }, { DATABASE_URL: 'postgres://a@b.test/c' }])(
  'of leads elsewhere are out of sight: %o',
  (given) => {
    expect(checkBackups(readEnv(given), given, 0)).toMatchObject({ state: 'cannot tell' })
  },
)
