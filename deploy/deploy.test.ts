import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createDir } from '#testing/database.ts'

const read = (file: string) => readFileSync(file, 'utf8')
const units = ['roofing-site.service', 'roofing-site-backup.service']

it('the systemd units run files that exist', () => {
  for (const name of units) {
    const [, file = ''] = read(join('deploy', name)).match(/--env-file=\.env (\S+)$/m) ?? []
    expect([name, existsSync(file)]).toEqual([name, true])
  }
})

it('the command for Supabase secrets in docs/hosting.md leaves out machine settings', () => {
  const dir = createDir()
  const [, command = ''] = read('docs/hosting.md').match(/^(grep .*) > secrets\.txt$/m) ?? []
  const example = read('.env.example').replaceAll(/^([A-Z_]+)=$/gm, '$1=mine')
  writeFileSync(join(dir, '.env'), example)
  const kept = execFileSync('sh', ['-c', command], { cwd: dir, encoding: 'utf8' })
  const names = Array.from(kept.matchAll(/^\w+/gm), ([name]) => name)
  for (const name of ['AIRTABLE_TOKEN', 'ALLOWED_ORIGINS', 'PUBLIC_URL', 'SMTP_URL'])
    expect(names).toContain(name)
  const machineSettings =
    /^((DESK_)?(PORT|HOST)|DATA_DIR|DATABASE_URL|BACKUP_DIR|TRUSTED_PROXIES|REDIRECT_FROM|SITES|(SUPABASE|VITE|COMPOSE|POSTGRES)_.*)$/
  expect(names.filter((name) => machineSettings.test(name))).toEqual([])
})

it('the Dockerfile copies paths that exist and that .dockerignore allows', () => {
  const lines = read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)
  const copied = [...lines].flatMap(([, paths = '']) => paths.split(' '))
  const ignored = read('.dockerignore').split('\n')
  expect(copied).toContain('server')
  for (const path of copied) {
    expect([path, existsSync(path)]).toEqual([path, true])
    const isAllowed = ignored.some(
      (line) => line === `!${path}` || `!${path}`.startsWith(`${line}/`),
    )
    expect([path, isAllowed]).toEqual([path, true])
  }
  expect(ignored).toContain('*')
  const allowed = ignored.filter((line) => line.startsWith('!')).map((line) => line.slice(1))
  expect(allowed.filter((path) => !existsSync(path))).toEqual([])
  expect(allowed.filter((path) => /^\.env|node_modules|dist|data/.test(path))).toEqual([])
})

it('both Caddyfiles forward requests the same way, with the same limits for site and desk', () => {
  const readBlocks = (file: string) => {
    const blocks = read(file).matchAll(
      /^(?<indent>\t?)(\(limits\)|reverse_proxy [^\n]*) \{\n(?<body>.*?)^\k<indent>\}/gms,
    )
    const lines = [...blocks].flatMap(({ groups }) => groups?.body?.split('\n') ?? [])
    return lines.map((line) => line.trim()).filter((line) => line && !line.startsWith('#'))
  }
  const older = readBlocks('deploy/Caddyfile')
  expect(older.filter((line) => line === 'import limits')).toHaveLength(2)
  const newer = older
    .join('\n')
    .replace('buffer_requests\nmax_buffer_size 32KiB', 'request_buffers 32KiB')
    .replace(/lb_retry_match \{\nexpression .*\n\}\n/, '')
  expect(newer).not.toBe(older.join('\n'))
  expect(readBlocks('deploy/Caddyfile.container').join('\n')).toBe(newer)
})
