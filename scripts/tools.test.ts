import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkOut } from '#testing/set-up.ts'

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
