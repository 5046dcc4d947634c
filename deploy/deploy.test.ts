import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const guide = readFileSync('docs/hosting.md', 'utf8')
const units = ['roofing-site.service', 'roofing-site@.service', 'roofing-site-backup.service']
const readUnit = (name: string) => readFileSync(join('deploy', name), 'utf8')

function createDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'deploy-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  return dir
}

it('every file of deploy/ that the guide names is there, and every npm script', () => {
  const files = [...guide.matchAll(/(?:repo|current|`)\/?(deploy\/[\w@.-]*\w)/g)].map(
    ([, file]) => file,
  )
  expect(files.length).toBeGreaterThan(6)
  for (const file of files)
    if (file !== 'deploy/roofing-site-backup')
      expect([file, existsSync(file ?? '')]).toEqual([file, true])
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const [, name = ''] of guide.matchAll(/npm run (?:-s )?([\w:-]*\w)/g))
    expect(Object.keys(scripts)).toContain(name)
})

it('the guide’s command for Supabase’s secrets lets through only what is the owner’s', () => {
  const dir = createDir()
  const [, command = ''] = guide.match(/^(grep .*) > secrets\.txt$/m) ?? []
  const example = readFileSync('.env.example', 'utf8').replaceAll(/^([A-Z_]+)=$/gm, '$1=mine')
  writeFileSync(join(dir, '.env'), example)
  const kept = execFileSync('sh', ['-c', command], { cwd: dir, encoding: 'utf8' })
  const names = kept
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0])
  for (const name of ['AIRTABLE_TOKEN', 'ALLOWED_ORIGINS', 'PUBLIC_URL', 'SMTP_URL', 'TIME_ZONE'])
    expect(names).toContain(name)
  const staying =
    /^(PORT|HOST|DATA_DIR|DATABASE_URL|BACKUP_DIR|TRUSTED_PROXIES|SUPABASE_.*|VITE_.*)$/
  expect(names.filter((name) => staying.test(name ?? ''))).toEqual([])
})

it('the scripts are sound shell', () => {
  for (const script of ['upgrade', 'rolling-restart'])
    execFileSync('sh', ['-n', join('deploy', script)], { stdio: 'pipe' })
})

it('all units are hardened alike', () => {
  const [first, ...others] = units.map((name) => {
    const [, rest = ''] = readUnit(name).split('NoNewPrivileges=')
    return rest.split('\n[Install]')[0]?.trim()
  })
  expect(first).toContain('ProtectSystem=strict')
  for (const other of others) expect(other).toBe(first)
})

it('a site that cannot start yet is started again for ever', () => {
  for (const name of ['roofing-site.service', 'roofing-site@.service']) {
    const [, unit = '', service = ''] = readUnit(name).split(/^\[\w+\]$/m)
    expect(unit).toMatch(/^StartLimitIntervalSec=0$/m)
    expect(service).toMatch(/^Restart=always$/m)
  }
})

it.skipIf(!existsSync('/usr/bin/systemd-analyze'))('systemd understands the units', () => {
  const dir = createDir()
  const files = [...units, 'roofing-site-backup.timer'].map((name) => {
    const file = join(dir, name.replace('@', '@3001'))
    const node = '/opt/roofing-site/current/node_modules/.bin/node'
    writeFileSync(file, readUnit(name).replace(node, process.execPath))
    return file
  })
  // It says what it does not know on stderr, and may still end with 0.
  const said = execFileSync('sh', ['-c', 'systemd-analyze verify "$@" 2>&1', 'sh', ...files], {
    encoding: 'utf8',
  })
  expect(said).not.toMatch(/roofing/)
})
