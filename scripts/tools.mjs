// Programs that tests need besides npm packages: how to find each, and how to install it.
import { spawnSync } from 'node:child_process'
import {
  accessSync,
  constants,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const skippedFile = join(root, 'node_modules/.skipped-tests')
const unpackedCaddy = join(root, 'node_modules/.caddy/usr/bin/caddy')
const chromeNames = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const macApps = ['Google Chrome', 'Chromium'].map(
  (app) => `/Applications/${app}.app/Contents/MacOS/${app}`,
)

/** Chromium for the browser tests. The headless shell comes first, because it loads pages 3 times faster. */
export const findBrowser = () =>
  process.env.CHROMIUM_PATH ||
  [findOnPath(['chromium-headless-shell']), findWindowedBrowser(), ...listPlaywrightBuilds()].find(
    canStart,
  )

/** A Chromium that can show notifications; the headless shell cannot. */
export const findWindowedBrowser = () =>
  [...chromeNames.map((name) => findOnPath([name])), ...macApps].find(canStart)

export const findFirefox = () =>
  [process.env.FIREFOX_PATH, findOnPath(['firefox-esr', 'firefox'])].find(isExecutable)

/** WebKitGTK's driver, which also needs a screen to draw on. */
export const findWebKit = () => findOnPath(['Xvfb']) && findOnPath(['WebKitWebDriver'])

export const findCaddy = () => findOnPath(['caddy']) ?? [unpackedCaddy].find(isExecutable)

function findOnPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

// Ubuntu's chromium-browser is a script that only asks to install a snap.
const canStart = (path) => isExecutable(path) && spawnSync(path, ['--version']).status === 0

function isExecutable(path) {
  try {
    accessSync(path ?? '', constants.X_OK)
    return true
  } catch {
    return false
  }
}

function listPlaywrightBuilds() {
  const cache = process.env.PLAYWRIGHT_BROWSERS_PATH || join(homedir(), '.cache/ms-playwright')
  const list = (folder, pattern) =>
    (existsSync(folder) ? readdirSync(folder) : [])
      .filter((name) => pattern.test(name))
      .map((name) => join(folder, name))
  return list(cache, /^chromium_headless_shell-/)
    .flatMap((build) => list(build, /^chrome-/))
    .flatMap((folder) => list(folder, /^(chrome-headless-shell|headless_shell)$/))
}

const tools = [
  {
    name: 'Chromium',
    tests: 'all browser tests',
    find: findBrowser,
    packages: ['chromium-headless-shell'],
    fetch: fetchPlaywrightBuild,
    hint: 'apt-get install chromium-headless-shell, or set CHROMIUM_PATH',
  },
  {
    name: 'root',
    tests: 'tests that mount disks or change owners',
    find: () => process.getuid?.() === 0,
    hint: 'run npm as root',
  },
  { ...debian('openssl', 'the test of a site with a certificate'), slow: true },
  { ...debian('systemd-analyze', 'the test of the unit files', 'systemd'), slow: true },
  { ...debian('cc', 'tests on a slow disk', 'gcc', 'libc6-dev'), slow: true },
  {
    name: 'Caddy',
    tests: 'tests behind a proxy',
    find: findCaddy,
    fetch: unpackCaddy,
    hint: 'apt-get install caddy',
    slow: true,
  },
  {
    ...debian('chromium', 'the test of push notifications', 'chromium'),
    find: findWindowedBrowser,
    slow: true,
  },
  { ...debian('firefox-esr', 'tests in Firefox', 'firefox-esr'), find: findFirefox, slow: true },
  {
    ...debian('WebKitWebDriver', 'tests in WebKit', 'webkit2gtk-driver', 'xvfb'),
    find: findWebKit,
    slow: true,
  },
]

function debian(name, tests, ...names) {
  const packages = names.length > 0 ? names : [name]
  const hint = `apt-get install ${packages.join(' ')}`
  return { name, tests, find: () => findOnPath([name]), packages, hint }
}

/** Installs missing tools unless that needs a password, and records the tests that must be skipped. */
export function installTools({ slow, run }) {
  const sudo = findSudo()
  const noQuestions = ['env', 'DEBIAN_FRONTEND=noninteractive']
  const aptGet = (what, ...args) =>
    sudo && run(what, [...sudo, ...noQuestions, 'apt-get', '-qq', ...args])
  const skipped = []
  let isUpdated = false
  for (const { name, tests, find, packages, fetch, hint, slow: isSlow } of tools) {
    if (find() || (isSlow && !slow)) continue
    if (!isUpdated) aptGet('Updating package lists', 'update')
    isUpdated = true
    if (packages)
      aptGet(`Installing ${name}`, 'install', '-y', '--no-install-recommends', ...packages)
    if (!find()) fetch?.({ run, sudo })
    if (!find()) skipped.push(`Skipped ${tests}. To run them: ${hint}`)
  }
  writeFileSync(skippedFile, skipped.join('\n'))
}

/** What the last setup recorded. */
export const listSkipped = () => (existsSync(skippedFile) ? readFileSync(skippedFile, 'utf8') : '')

/** The prefix for apt-get: empty for root, sudo if it needs no password, otherwise undefined. */
function findSudo() {
  if (!findOnPath(['apt-get'])) return undefined
  if (process.getuid?.() === 0) return []
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : undefined
}

function fetchPlaywrightBuild({ run, sudo }) {
  const cli = join(root, 'node_modules/@playwright/test/cli.js')
  const command = [process.execPath, cli, 'install', '--only-shell', 'chromium']
  if (sudo) command.push('--with-deps')
  // Without this, it retries for minutes on a machine that has no access to the download.
  run('Fetching Chromium', command, { env: { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '5000' } })
}

// Unpacked, because the installed package would start a web server on this machine.
function unpackCaddy({ run }) {
  const dir = mkdtempSync(join(tmpdir(), 'caddy-'))
  run('Fetching Caddy', ['apt-get', '-qq', 'download', 'caddy'], { cwd: dir })
  for (const file of readdirSync(dir))
    run('Unpacking Caddy', ['dpkg-deb', '-x', join(dir, file), join(root, 'node_modules/.caddy')])
  rmSync(dir, { recursive: true })
}
