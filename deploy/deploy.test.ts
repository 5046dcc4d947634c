import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createDir } from '#testing/database.ts'

const guide = readFileSync('docs/hosting.md', 'utf8')
const units = ['roofing-site.service', 'roofing-site-backup.service']
const readUnit = (name: string) => readFileSync(join('deploy', name), 'utf8')

it('the systemd units run files that exist', () => {
  for (const name of units) {
    const [, file = ''] = readUnit(name).match(/--env-file=\.env (\S+)$/m) ?? []
    expect([name, existsSync(file)]).toEqual([name, true])
  }
})

it('the command for Supabase secrets in docs/hosting.md leaves out machine settings', () => {
  const dir = createDir()
  const [, command = ''] = guide.match(/^(grep .*) > secrets\.txt$/m) ?? []
  const example = readFileSync('.env.example', 'utf8').replaceAll(/^([A-Z_]+)=$/gm, '$1=mine')
  writeFileSync(join(dir, '.env'), example)
  const kept = execFileSync('sh', ['-c', command], { cwd: dir, encoding: 'utf8' })
  const names = Array.from(kept.matchAll(/^\w+/gm), ([name]) => name)
  for (const name of ['AIRTABLE_TOKEN', 'ALLOWED_ORIGINS', 'PUBLIC_URL', 'SMTP_URL', 'TIME_ZONE'])
    expect(names).toContain(name)
  const machineSettings =
    /^((DESK_)?(PORT|HOST)|DATA_DIR|DATABASE_URL|BACKUP_DIR|TRUSTED_PROXIES|REDIRECT_FROM|SITES|(SUPABASE|VITE|COMPOSE|POSTGRES)_.*)$/
  expect(names.filter((name) => machineSettings.test(name))).toEqual([])
})
