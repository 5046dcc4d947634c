// Finds and installs the programs that tests need in addition to npm packages.
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

/** Finds Chromium for the browser tests. Prefers Debian's headless shell, which loads pages three times as fast. */
export const findBrowser = () =>
  process.env.CHROMIUM_PATH ||
  [findOnPath(['chromium-headless-shell']), findWindowedBrowser(), ...listPlaywrightBuilds()].find(
    canStart,
  )

/** Finds a Chromium that can show notifications, unlike the headless shell. */
export const findWindowedBrowser = () =>
  [...chromeNames.map((name) => findOnPath([name])), ...macApps].find(canStart)

export const findFirefox = () =>
  [process.env.FIREFOX_PATH, findOnPath(['firefox-esr', 'firefox'])].find(isExecutable)

/** Finds WebKitGTK's driver, which also needs Xvfb, a virtual screen. */
export const findWebKit = () => findOnPath(['Xvfb']) && findOnPath(['WebKitWebDriver'])

export const findCaddy = () => findOnPath(['caddy']) ?? [unpackedCaddy].find(isExecutable)

function findOnPath(names) {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find(isExecutable)
}

// Ubuntu's chromium-browser may be a script that only prints how to install a snap.
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
  { ...debian('systemd-analyze', 'the test of the systemd units', 'systemd'), slow: true },
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

function debian(name, tests, ...packages) {
  const hint = `apt-get install ${packages.join(' ')}`
  return { name, tests, find: () => findOnPath([name]), packages, hint }
}

const listMissing = (slow) => tools.filter((tool) => (slow || !tool.slow) && !tool.find())

/** Installs the Debian packages for missing tools if that needs no password. */
export async function installDebianPackages({ slow, run }) {
  const missing = listMissing(slow)
  const sudo = findSudo()
  if (missing.length === 0 || !sudo) return
  const noQuestions = ['env', 'DEBIAN_FRONTEND=noninteractive']
  const aptGet = (step, ...args) => run(step, [...sudo, ...noQuestions, 'apt-get', '-qq', ...args])
  await aptGet('Updating package lists', 'update')
  for (const { name, packages } of missing)
    if (packages)
      await aptGet(`Installing ${name}`, 'install', '-y', '--no-install-recommends', ...packages)
}

/** Fetches tools that are still missing, and records which tests are skipped. Needs node_modules. */
export async function fetchTools({ slow, run }) {
  for (const { fetch } of listMissing(slow)) await fetch?.(run)
  const skipped = listMissing(slow).map(
    ({ tests, hint }) => `Skipped ${tests}. To run them: ${hint}`,
  )
  writeFileSync(skippedFile, skipped.join('\n'))
}

/** Returns the list that the last setup recorded. */
export const listSkipped = () => (existsSync(skippedFile) ? readFileSync(skippedFile, 'utf8') : '')

/**
 * Returns what to put before apt-get: nothing for root, otherwise sudo. Undefined if there is no apt-get, or if sudo
 * needs a password.
 */
function findSudo() {
  if (!findOnPath(['apt-get'])) return undefined
  if (process.getuid?.() === 0) return []
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n'] : undefined
}

function fetchPlaywrightBuild(run) {
  const cli = join(root, 'node_modules/@playwright/test/cli.js')
  const command = [process.execPath, cli, 'install', '--only-shell', 'chromium']
  if (findSudo()) command.push('--with-deps')
  // Without this timeout, Playwright retries for minutes on machines that cannot reach its server.
  return run('Fetching Chromium', command, {
    env: { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '5000' },
  })
}

// Unpack the package without installing it, because that would start a web server.
async function unpackCaddy(run) {
  const dir = mkdtempSync(join(tmpdir(), 'caddy-'))
  await run('Fetching Caddy', ['apt-get', '-qq', 'download', 'caddy'], { cwd: dir })
  for (const file of readdirSync(dir))
    await run('Unpacking Caddy', [
      'dpkg-deb',
      '-x',
      join(dir, file),
      join(root, 'node_modules/.caddy'),
    ])
  rmSync(dir, { recursive: true })
}
