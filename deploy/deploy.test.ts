import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createDir } from '#testing/database.ts'
import { spawnProcess } from '#testing/server-process.ts'

const guide = readFileSync('docs/hosting.md', 'utf8')
const units = ['roofing-site.service', 'roofing-site@.service', 'roofing-site-backup.service']
const readUnit = (name: string) => readFileSync(join('deploy', name), 'utf8')

it('units from before 1.0 start the site and back it up by the old names', async () => {
  const dir = createDir()
  writeFileSync(join(dir, '.env'), `DATA_DIR=${dir}\nHOST=127.0.0.1\nPORT=0\n`)
  const run = (name: string) =>
    spawnProcess(process.execPath, [`--env-file=${join(dir, '.env')}`, name], {})
  const site = run('server.ts')
  expect((await fetch(`${await site.findUrl()}/healthz`)).status).toBe(200)
  expect(await site.kill('SIGTERM')).toBe(0)
  expect(await run('backup.ts').exited).toBe(0)
  expect(readdirSync(join(dir, 'backups'))).toHaveLength(1)
})

it('units name files that are there', () => {
  for (const name of units) {
    const [, file = ''] = readUnit(name).match(/--env-file=\.env (\S+)$/m) ?? []
    expect([name, existsSync(file)]).toEqual([name, true])
  }
})

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
  const names = Array.from(kept.matchAll(/^\w+/gm), ([name]) => name)
  for (const name of ['AIRTABLE_TOKEN', 'ALLOWED_ORIGINS', 'PUBLIC_URL', 'SMTP_URL', 'TIME_ZONE'])
    expect(names).toContain(name)
  const staying =
    /^((DESK_)?(PORT|HOST)|DATA_DIR|DATABASE_URL|BACKUP_DIR|ASSETS_DIR|TRUSTED_PROXIES|REDIRECT_FROM|SITES|(SUPABASE|VITE|COMPOSE|POSTGRES)_.*)$/
  expect(names.filter((name) => staying.test(name))).toEqual([])
})

it('all units are hardened alike', () => {
  const [first, ...others] = units.map((name) => {
    const [, rest = ''] = readUnit(name).split('NoNewPrivileges=')
    return rest.split('\n[Install]')[0]?.trim()
  })
  expect(first).toContain('ProtectSystem=strict')
  for (const other of others) expect(other).toBe(first)
})

it('a site that cannot start yet is started again forever', () => {
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
    // It looks for the program. This one is everywhere, and its path has no space as a checkout's may.
    writeFileSync(file, readUnit(name).replace(node, '/bin/sh'))
    return file
  })
  // It says what it does not know on stderr, and may still end with 0.
  const said = execFileSync('sh', ['-c', 'systemd-analyze verify "$@" 2>&1', 'sh', ...files], {
    encoding: 'utf8',
  })
  expect(said).not.toMatch(/roofing/)
})
