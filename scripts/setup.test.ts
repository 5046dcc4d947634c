import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createDir } from '#testing/database.ts'

const lockfile = JSON.stringify({
  packages: {
    '': { name: 'site' },
    'node_modules/a': { version: '1.2.3' },
    'node_modules/a/node_modules/@b/c': { version: '4.5.6' },
    'node_modules/d': { version: '7.8.9', resolved: 'git+ssh://git@example.com/d.git' },
  },
})

/** A checkout with set-up, and a path with nothing on it but Node and an npm that writes down what it was asked for. */
function checkOut() {
  const folder = createDir()
  const scripts = ['setup.mjs', 'tools.mjs', 'say-skipped.mjs', 'browsers.mjs']
  for (const name of ['setup.mjs', ...scripts.map((script) => `scripts/${script}`)])
    cpSync(join(import.meta.dirname, '..', name), join(folder, name))
  for (const name of ['package.json', '.npmrc', 'site/index.html', 'vite.config.ts'])
    write(name, name)
  write('package-lock.json', lockfile)
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  for (const name of ['sh', 'mkdir', 'cp']) symlinkSync(`/bin/${name}`, join(bin, name))
  symlinkSync(process.execPath, join(bin, 'node'))
  stub('npm', `mkdir -p node_modules/.bin '${folder}'/dist; >node_modules/.bin/node`)

  function write(name: string, text: string) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  /** A program that writes down what it was asked for. */
  function stub(name: string, script = '') {
    write(`bin/${name}`, `#!/bin/sh\necho "${name} $*" >> '${folder}/asked'\n${script}\n`)
    chmodSync(join(bin, name), 0o755)
  }
  /** What everybody was asked for by this run. */
  function run(purpose: string, env: Record<string, string> = {}, options = {}) {
    const asked = join(folder, 'asked')
    rmSync(asked, { force: true })
    const { status, stdout, stderr } = start(['scripts/setup.mjs', ...purpose.split(' ')], {
      env: { PATH: bin, HOME: folder, ...env },
      ...options,
    })
    expect(stdout).toBe('')
    const lines = existsSync(asked) ? readFileSync(asked, 'utf8').trim().split('\n') : []
    return { status, stderr, asked: lines }
  }
  const start = (args: string[], options = {}) =>
    spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', ...options })
  /** The last words of `npm test`. */
  const readLastWords = () => start(['scripts/say-skipped.mjs']).stdout
  return { folder, bin, run, stub, write, start, readLastWords }
}

describe('packages and site', () => {
  const build = expect.stringMatching(/^npm run .*build/)

  test('the first start installs what it runs and builds, the second does neither', () => {
    const { run } = checkOut()
    expect(run('start').asked).toEqual([expect.stringMatching(/^npm ci --omit=dev /), build])
    expect(run('start').asked).toEqual([])
  })

  test('npm is told where each package is, under whatever name its registry has', () => {
    const { folder, run, stub, write } = checkOut()
    stub(
      'npm',
      `mkdir -p node_modules/.bin; >node_modules/.bin/node; cp package-lock.json '${folder}'/told`,
    )
    write('node_modules/of-an-earlier-install/index.js', '')
    expect(run('').asked).toEqual([expect.stringContaining('--replace-registry-host=always')])
    expect(JSON.parse(readFileSync(join(folder, 'told'), 'utf8')).packages).toEqual({
      '': { name: 'site' },
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
    expect(readFileSync(join(folder, 'package-lock.json'), 'utf8')).toBe(lockfile)
    expect(readdirSync(join(folder, 'node_modules')).sort()).toEqual(['.bin', '.setup-done'])
  })

  test('Node 24 is on the path where npm 10 has taken its link away', () => {
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
      expect.stringMatching(/^npm ci .*--prefer-offline$/),
      expect.not.stringMatching(/--replace-registry-host|--prefer-offline/),
    ])
  })

  test('tests install the packages for them as well, and a start after that takes none away', () => {
    const { run } = checkOut()
    run('')
    expect(run('dev').asked).toEqual([expect.stringMatching(/^npm ci --include=dev /)])
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
    expect(run('start').asked).toEqual([expect.stringMatching(/^npm ci /), build])
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
})

// What shows that a tool is there, and the packages that bring it.
const tools = [
  { name: 'Chromium', programs: ['chromium-headless-shell'], packages: 'chromium-headless-shell' },
  { name: 'PostgreSQL', programs: ['initdb', 'postgres'], packages: 'postgresql' },
  { name: 'openssl', programs: ['openssl'], packages: 'openssl' },
  { name: 'systemd-analyze', programs: ['systemd-analyze'], packages: 'systemd' },
  { name: 'C compiler', programs: ['cc'], packages: 'gcc libc6-dev' },
  { name: 'curl', programs: ['curl'], packages: 'curl' },
  { name: 'Chromium with windows', programs: ['chromium'], packages: 'chromium' },
  { name: 'Firefox', programs: ['firefox-esr'], packages: 'firefox-esr' },
  { name: 'WebKit', programs: ['WebKitWebDriver', 'Xvfb'], packages: 'webkit2gtk-driver xvfb' },
]
describe('the tools of the tests', () => {
  /** A machine that has all of them but one, and a stand-in for apt-get. */
  function checkOutWithout(missing?: string, aptGet = '') {
    const machine = checkOut()
    machine.run('dev')
    const present = tools.filter(({ name }) => name !== missing)
    for (const program of present.flatMap(({ programs }) => programs)) machine.stub(program)
    if (missing !== 'Caddy') machine.stub('caddy')
    machine.stub('apt-get', aptGet)
    // For an ordinary user, who is asked for no password.
    machine.stub('sudo', 'test "$2" = true || { shift 3; "$@"; }')
    return machine
  }
  const ignoreProbes = (asked: string[]) => asked.filter((line) => !line.endsWith(' --version'))
  const ordinary = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}
  const letOrdinaryUserWrite = (folder: string) =>
    expect(spawnSync('chmod', ['-R', 'a+rwX', folder]).status).toBe(0)

  // One with windows does for Chromium without: that one alone is never missing.
  test.each(tools.slice(1))(
    '$name, when it alone is missing, is installed once',
    ({ name, programs, packages }) => {
      const bring = programs.map((program) => `cp bin/npm bin/${program}`).join('; ')
      const { run } = checkOutWithout(name, `case "$*" in install*) ${bring};; esac`)
      const { asked, stderr } = run('prove')
      expect(stderr).toContain(`Installing ${name} …`)
      expect(asked.filter((line) => line.startsWith('apt-get'))).toEqual([
        'apt-get update',
        `apt-get install -y --no-install-recommends ${packages}`,
      ])
      expect(run('prove').asked.filter((line) => line.startsWith('apt-get'))).toEqual([])
    },
  )

  test('both of Chromium are installed where neither is, each once', () => {
    const { run, folder } = checkOutWithout(
      'Chromium',
      'case "$*" in *" chromium"*) for one in $*; do :; done; cp bin/npm bin/$one;; esac',
    )
    rmSync(join(folder, 'bin/chromium'))
    const { asked } = run('prove')
    expect(asked.filter((line) => line.startsWith('apt-get install'))).toEqual([
      'apt-get install -y --no-install-recommends chromium-headless-shell',
      'apt-get install -y --no-install-recommends chromium',
    ])
  })

  test('Caddy is unpacked, so that no server starts here', () => {
    const { run, stub, folder } = checkOutWithout('Caddy', 'test $1 != download || >caddy.deb')
    stub('dpkg-deb', `test -e $2 && mkdir -p $3/usr/bin && >$3/usr/bin/caddy`)
    expect(ignoreProbes(run('prove').asked)).toEqual(
      expect.arrayContaining([
        'apt-get download caddy',
        expect.stringMatching(/^dpkg-deb -x .*caddy\.deb /),
      ]),
    )
    expect(existsSync(join(folder, 'node_modules/.caddy/usr/bin/caddy'))).toBe(true)
    expect(run('prove').stderr).not.toContain('Caddy')
  })

  test('what only proofs need is not installed for tests', () => {
    const { asked, status } = checkOutWithout('Firefox').run('test')
    expect([asked.filter((line) => line.startsWith('apt-get')), status]).toEqual([[], 0])
  })

  test('without any way to install, everything is skipped, and the last words say how to get it', () => {
    const { run, readLastWords } = checkOut()
    const { status } = run('prove')
    expect(status).toBe(0)
    const words = readLastWords()
    for (const { name } of [...tools, { name: 'Caddy' }])
      expect(words).toContain(` — no ${name}. Get it: `)
    expect(words).toContain(
      'Skipped: all tests in browsers — no Chromium. Get it: apt-get install chromium-headless-shell, or set CHROMIUM_PATH\n',
    )
  })

  test('with CI set, what would be skipped is a failure', () => {
    const { run } = checkOut()
    const { status, stderr } = run('test', { CI: 'true' })
    expect(status).toBe(1)
    expect(stderr).toContain('nothing may be skipped')
  })

  test('an ordinary user who would have to give a password is not asked for one', () => {
    const { folder, run, stub } = checkOutWithout('PostgreSQL')
    stub('sudo', 'exit 1')
    letOrdinaryUserWrite(folder)
    const { asked, status } = run('prove', {}, ordinary)
    expect(asked.filter((line) => /^(sudo|apt-get)/.test(line))).toEqual(['sudo -n true'])
    expect(status).toBe(0)
  })

  test('where no package brings a Chromium, Playwright’s own does', () => {
    const { folder, run, write } = checkOutWithout('Chromium', 'exit 100')
    const build = join(folder, '.cache/ms-playwright/chromium_headless_shell-1/chrome-linux')
    write(
      'node_modules/@playwright/test/cli.js',
      `const { mkdirSync, copyFileSync } = require('node:fs')
       mkdirSync('${build}', { recursive: true })
       copyFileSync('bin/curl', '${build}/headless_shell')`,
    )
    expect(run('test').stderr).not.toContain('no Chromium')
  })

  test('a Chromium that cannot start is none', () => {
    const { run, stub, folder } = checkOutWithout('Chromium', 'exit 100')
    rmSync(join(folder, 'bin/chromium'))
    stub('chromium-browser', 'echo install the snap; exit 1')
    expect(run('test').stderr).toContain('no Chromium')
  })
})
