import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { waitUntil } from '#testing/processes.ts'
import { checkOut, lockfile } from '#testing/set-up.ts'

const build = expect.stringMatching(/^npm run .*build/)
// The packages and Node.
const install = Array(2).fill(expect.stringMatching(/^npm ci --omit=dev /))
const installAll = Array(2).fill(expect.stringMatching(/^npm ci --include=dev /))

test('the first start installs what it runs and builds, the second does neither', () => {
  const { run } = checkOut()
  expect(run('start').asked).toEqual([...install, build])
  expect(run('start').asked).toEqual([])
})

test('npm is told where each package is, under whatever name its registry has; Node apart from the rest', () => {
  const { folder, run, stub, write } = checkOut()
  stub(
    'npm',
    `mkdir -p node_modules/.bin; >node_modules/.bin/node; cp package-lock.json "${folder}/told \${PWD##*/}"`,
  )
  write('node_modules/of-an-earlier-install/index.js', '')
  const asked = expect.stringContaining('--replace-registry-host=always')
  expect(run('').asked).toEqual([asked, asked])
  const readTold = (name: string) =>
    JSON.parse(readFileSync(join(folder, `told ${name}`), 'utf8')).packages
  expect(readTold('packages')).toEqual({
    '': { name: 'site', dependencies: { a: '1.2.3' }, devDependencies: { d: '7.8.9' } },
    'node_modules/a': {
      version: '1.2.3',
      resolved: 'https://registry.invalid/a/-/a-1.2.3.tgz',
    },
    'node_modules/a/node_modules/@b/c': {
      version: '4.5.6',
      resolved: 'https://registry.invalid/@b/c/-/c-4.5.6.tgz',
    },
    'node_modules/d': { version: '7.8.9', resolved: 'git+ssh://git@example.com/d.git' },
  })
  expect(readTold('Node 24')).toEqual({
    '': { name: 'site', optionalDependencies: { 'node-any-cpu': '24.0.0' } },
    'node_modules/node-any-cpu': {
      version: '24.0.0',
      resolved: 'https://registry.invalid/node-any-cpu/-/node-any-cpu-24.0.0.tgz',
    },
  })
  expect(readFileSync(join(folder, 'package-lock.json'), 'utf8')).toBe(lockfile)
  expect(readdirSync(join(folder, 'node_modules')).sort()).toEqual(['.bin', '.setup-done'])
})

test('where the packages’ folder is a link it stays one, and what an ended install left goes', () => {
  const { folder, run, write } = checkOut()
  mkdirSync(join(folder, 'elsewhere'))
  symlinkSync('elsewhere', join(folder, 'node_modules'))
  write('node_modules/.installing-left/file', '')
  expect(run('').status).toBe(0)
  expect(readlinkSync(join(folder, 'node_modules'))).toBe('elsewhere')
  expect(readdirSync(join(folder, 'elsewhere')).sort()).toEqual(['.bin', '.setup-done'])
})

test.skipIf(process.platform !== 'linux')(
  'those that come at once take turns, also after one is killed, and the work is done once',
  async () => {
    const { folder, bin, stub } = checkOut()
    // Node's install waits for a word.
    stub(
      'npm',
      `case "$PWD" in *Node*) >'${folder}/begun'; until test -e '${folder}/go' -o ! -e '${folder}'; do sleep 0.05; done;; esac
       mkdir -p node_modules/.bin; mkdir '${folder}/dist'; >node_modules/.bin/node`,
    )
    symlinkSync('/bin/sleep', join(bin, 'sleep'))
    const start = () => {
      const setup = spawn(process.execPath, ['scripts/setup.mjs', 'start'], {
        cwd: folder,
        env: { PATH: bin },
      })
      onTestFinished(() => void setup.kill('SIGKILL'))
      let said = ''
      setup.stderr.on('data', (text) => {
        said += text
      })
      return { setup, ended: once(setup, 'close'), read: () => said }
    }
    const killed = start()
    await waitUntil(() => existsSync(join(folder, 'begun')))
    const others = [start(), start(), start()]
    await waitUntil(() => others.every(({ read }) => read().includes('Another set-up')))
    killed.setup.kill('SIGKILL')
    await waitUntil(() => others.some(({ read }) => read().includes('Installing')))
    writeFileSync(join(folder, 'go'), '')
    for (const { ended } of others) expect(await ended).toEqual([0, null])
    const said = others.map(({ read }) => read()).join('')
    // Without the lines that say how long it takes.
    expect(said.match(/^Installing Node.* …$/gm)).toHaveLength(1)
    expect(said.match(/^Building.* …$/gm)).toHaveLength(1)
  },
)

test('a machine for which npm has no Node 24 needs its own', () => {
  const { run, stub } = checkOut()
  // With nothing to put there, npm makes no folder.
  stub('npm', 'case "$PWD" in *Node*);; *) mkdir -p node_modules;; esac')
  expect(run('')).toMatchObject({ status: 0, asked: install })
})

test('Node 24 is on the path', () => {
  const { folder, run, stub } = checkOut()
  const pinned = `node-${process.platform}-${process.arch}/bin`
  stub('npm', `mkdir -p node_modules/.bin node_modules/${pinned}; >node_modules/${pinned}/node`)
  run('')
  expect(readlinkSync(join(folder, 'node_modules/.bin/node'))).toBe(`../${pinned}/node`)
})

test('where the packages are elsewhere, the registry is asked', () => {
  const { run, stub } = checkOut()
  const script =
    'case "$*" in *--replace-registry-host*) exit 1;; esac; mkdir -p node_modules/.bin; >node_modules/.bin/node'
  stub('npm', script)
  const { status, asked } = run('')
  expect(status).toBe(0)
  expect(asked).toEqual([
    ...Array(2).fill(expect.stringMatching(/^npm ci .*--prefer-offline$/)),
    expect.not.stringMatching(/--replace-registry-host|--prefer-offline/),
  ])
})

test('tests install the packages for them as well, and a start after that takes none away', () => {
  const { run } = checkOut()
  run('')
  expect(run('dev').asked).toEqual(installAll)
  expect(run('').asked).toEqual([])
  expect(run('dev').asked).toEqual([])
})

test('by the name it had before 1.0 it does the same', () => {
  const { start, bin, folder } = checkOut()
  expect(start(['setup.mjs', 'start'], { env: { PATH: bin } }).status).toBe(0)
  expect(existsSync(join(folder, 'dist/.setup-done'))).toBe(true)
})

test('other packages are installed again; other sources, settings or addresses only built', () => {
  const { run, write } = checkOut()
  run('start')
  write('package-lock.json', `${lockfile}\n`)
  expect(run('start').asked).toEqual([...install, build])
  for (const name of ['site/index.html', 'vite.config.ts', '.env']) {
    write(name, 'changed')
    expect(run('start').asked).toEqual([build])
  }
  for (const name of ['VITE_SUPABASE_URL', 'SUPABASE_ANON_KEY', 'PUBLIC_URL'])
    expect(run('start', { [name]: 'https://www.example.com' }).asked).toEqual([build])
})

test('a build that fails on the words names their file', () => {
  const { folder, run, stub } = checkOut()
  run('start')
  stub('npm', `echo "site/content.ts(11,12): error TS1005: ',' expected."; exit 2`)
  rmSync(join(folder, 'dist'), { recursive: true })
  const { status, stderr } = run('start')
  expect(status).toBe(2)
  expect(stderr).toContain("site/content.ts(11,12): error TS1005: ',' expected.")
  expect(stderr).toContain('The mistake is in site/content.ts')
  expect(stderr).toContain('Nothing was started')
})

test('every command of a fresh clone installs first', () => {
  const manifest = readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')
  const scripts: Record<string, string> = JSON.parse(manifest).scripts
  const hooks = Object.keys(scripts).filter((name) =>
    scripts[name]?.startsWith('node scripts/setup.mjs'),
  )
  const commands = Object.keys(scripts).filter(
    (name) => !hooks.includes(name) && !name.startsWith('post'),
  )
  expect(commands.length).toBeGreaterThan(10)
  expect(hooks.sort()).toEqual(commands.map((name) => `pre${name}`).sort())
})
