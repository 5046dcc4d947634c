// What the tests need beside npm's packages: where each is found and how it is had, in one place.
// Plain JavaScript, because setup.mjs calls it on whatever Node the machine has.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  findBrowser,
  findFirefox,
  findOnPath,
  findWebKit,
  findWindowedBrowser,
} from './browsers.mjs'

// import.meta.dirname would need 20.11.
const root = fileURLToPath(new URL('..', import.meta.url))
const missingFile = join(root, 'node_modules/.missing-tools.json')
const unpackedCaddy = join(root, 'node_modules/.caddy/usr/bin/caddy')

/** The folder of PostgreSQL's programs. Debian keeps them beside /usr/bin, by version, not in it. */
export const findPostgres = () =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => [...listVersions(join(folder, '../lib/postgresql')), folder])
    .find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))

const listVersions = (folder) =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(folder, version, 'bin'))

export const findCaddy = () =>
  findOnPath(['caddy']) ?? (existsSync(unpackedCaddy) ? unpackedCaddy : undefined)

/** What is not found comes from Debian's packages or, if there are none or they do not do, by `fetch`. */
const tools = [
  {
    name: 'Chromium',
    needs: 'all tests in browsers',
    find: findBrowser,
    // Ubuntu's is a snap, which no test can drive.
    packages: isUbuntu() ? undefined : ['chromium-headless-shell'],
    fetch: fetchPlaywrightBuild,
    get: 'apt-get install chromium-headless-shell, or set CHROMIUM_PATH',
  },
  {
    name: 'PostgreSQL',
    needs: 'tests on PostgreSQL',
    find: () => process.env.TEST_DATABASE_URL ?? findPostgres(),
    packages: ['postgresql'],
    get: 'apt-get install postgresql, or set TEST_DATABASE_URL',
  },
  {
    name: 'openssl',
    needs: 'the test of a site with a certificate',
    find: () => findOnPath(['openssl']),
    packages: ['openssl'],
    get: 'apt-get install openssl',
    isForProofs: true,
  },
  {
    name: 'systemd-analyze',
    needs: 'the test of the unit files',
    find: () => findOnPath(['systemd-analyze']),
    packages: ['systemd'],
    get: 'apt-get install systemd',
  },
  {
    name: 'C compiler',
    needs: 'the tests on a slow disk',
    find: () => findOnPath(['cc']),
    packages: ['gcc', 'libc6-dev'],
    get: 'apt-get install gcc libc6-dev',
    isForProofs: true,
  },
  {
    name: 'curl',
    needs: 'the tests of a rolling restart',
    find: () => findOnPath(['curl']),
    packages: ['curl'],
    get: 'apt-get install curl',
    isForProofs: true,
  },
  {
    name: 'root',
    needs: 'tests that mount disks and change owners',
    find: () => process.getuid?.() === 0,
    get: 'run as root',
  },
  {
    name: 'Caddy',
    needs: 'tests behind a proxy',
    find: findCaddy,
    fetch: unpackCaddy,
    get: 'apt-get install caddy',
    isForProofs: true,
  },
  {
    name: 'Chromium with windows',
    needs: 'the proof that phones ring',
    find: findWindowedBrowser,
    packages: isUbuntu() ? undefined : ['chromium'],
    get: 'apt-get install chromium, or install Chrome',
    isForProofs: true,
  },
  {
    name: 'Firefox',
    needs: 'the walk in Firefox',
    find: findFirefox,
    packages: ['firefox-esr'],
    get: 'apt-get install firefox-esr, or set FIREFOX_PATH',
    isForProofs: true,
  },
  {
    name: 'WebKit',
    needs: 'the walk in WebKit',
    find: findWebKit,
    packages: ['webkit2gtk-driver', 'xvfb'],
    get: 'apt-get install webkit2gtk-driver xvfb',
    isForProofs: true,
  },
]

/** Installs what is missing, unless that would need a password, and answers with what still is. */
export async function installTools({ forProofs, run }) {
  const rights = findRights()
  let isUpdated = false
  const update = async () => {
    if (rights && !isUpdated) await run('Reading package lists', [...rights, 'apt-get', 'update'])
    isUpdated = true
  }
  const missing = []
  for (const { name, needs, find, packages, fetch, get, isForProofs } of tools) {
    if (find() || (isForProofs && !forProofs)) continue
    if (rights && packages) {
      await update()
      const install = ['apt-get', 'install', '-y', '--no-install-recommends', ...packages]
      if ((await run(`Installing ${name}`, [...rights, ...install])) && find()) continue
    }
    if (fetch && (await fetch({ run, update, rights })) && find()) continue
    missing.push({ name, needs, get })
  }
  return missing
}

/** What goes before apt-get: nothing for root, else a sudo that asks for no password; or it may not be run. */
function findRights() {
  if (!findOnPath(['apt-get'])) return undefined
  if (process.getuid?.() === 0) return []
  const sudo = ['sudo', '-n', 'env', 'DEBIAN_FRONTEND=noninteractive']
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? sudo : undefined
}

function isUbuntu() {
  const file = '/etc/os-release'
  return existsSync(file) && /^ID=ubuntu$/m.test(readFileSync(file, 'utf8'))
}

function fetchPlaywrightBuild({ run, rights }) {
  const cli = join(root, 'node_modules/@playwright/test/cli.js')
  const deps = rights ? ['--with-deps'] : []
  return run(
    'Fetching Playwright’s Chromium',
    [process.execPath, cli, 'install', '--only-shell', ...deps, 'chromium'],
    // By default it tries for minutes where there is no way out.
    { env: { PLAYWRIGHT_DOWNLOAD_CONNECTION_TIMEOUT: '5000' } },
  )
}

// Unpacked, not installed: the installed package would start a web server on this machine.
async function unpackCaddy({ run, update }) {
  await update()
  const dir = mkdtempSync(join(tmpdir(), 'caddy-'))
  const target = join(root, 'node_modules/.caddy')
  try {
    if (!(await run('Fetching Caddy', ['apt-get', 'download', 'caddy'], { cwd: dir }))) return false
    const [file] = readdirSync(dir)
    // Awaited here: the folder must not go before its file is unpacked.
    return await run('Unpacking Caddy', ['dpkg-deb', '-x', join(dir, file), target])
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Of the set-up that ran last; the tests skip what needs them. */
export const readMissing = () =>
  existsSync(missingFile) ? JSON.parse(readFileSync(missingFile, 'utf8')) : []

export const writeMissing = (missing) => writeFileSync(missingFile, JSON.stringify(missing))

export const listSkipped = (missing) =>
  missing.map(({ name, needs, get }) => `Skipped: ${needs} — no ${name}. Get it: ${get}`).join('\n')
