// Runs before every npm script that needs it, on whatever Node the machine has (20 or newer), so it
// is plain JavaScript and imports nothing. What is already done is not done again.
//   node setup.mjs         packages
//   node setup.mjs start   packages and the built site
//   node setup.mjs test    packages, and browsers and Caddy for the tests
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

// import.meta.dirname would need 20.11.
process.chdir(fileURLToPath(new URL('.', import.meta.url)))
const purpose = process.argv[2]
// Not on stdout, which belongs to the script that follows (`npm run -s leads -- --json`).
const say = (text) => process.stderr.write(`${text}\n`)

once('node_modules/.setup-done', ['package-lock.json', '.npmrc'], '', () => {
  say('Installing packages (once, about a minute) …')
  // The build and the pinned Node are dev packages, which NODE_ENV=production would leave out.
  run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error'])
})

if (purpose === 'start') {
  const pages = ['site', 'public', 'index.html', '404.html']
  const build = ['vite.config.ts', 'prerender.ts', 'site-headers.ts', 'package-lock.json']
  const lead = 'supabase/functions/submit-to-airtable/lead.ts'
  const files = [...pages, ...build, lead, '.env', '.env.local']
  once('dist/.setup-done', files, buildVariables(), () => {
    say('Building the site …')
    run('npm', ['run', '--silent', 'build', '--', '--logLevel', 'warn'])
  })
}

if (purpose === 'test') {
  const { findBrowser, findFirefox, findWebKit } = await import('./e2e/browser.mjs')
  if (!findBrowser()) installBrowser()
  if (!findFirefox()) addBrowser('Firefox', 'firefox-esr')
  if (!findWebKit()) addBrowser('WebKit', 'webkit2gtk-driver', 'xvfb')
  const hasCaddy = !spawnSync('caddy', ['version']).error
  if (!hasCaddy && !existsSync('node_modules/.caddy/usr/bin/caddy')) unpackCaddy()
}

/** Does the work unless it was done before from the same files and variables; the stamp is their hash. */
function once(stampFile, files, variables, work) {
  const hash = createHash('sha256').update(variables)
  for (const file of files.flatMap(listFiles)) hash.update(file).update(readFileSync(file))
  const stamp = hash.digest('hex')
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  work()
  writeFileSync(stampFile, stamp)
}

// The page is built for one address, one backend and one maps key: other values need another build.
function buildVariables() {
  const names = Object.keys(process.env).filter((name) =>
    /^VITE_|^SUPABASE_ANON_KEY$|^PUBLIC_URL$/.test(name),
  )
  return names
    .sort()
    .map((name) => `${name}=${process.env[name]}\n`)
    .join('')
}

function listFiles(path) {
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [path]
  const names = readdirSync(path).sort()
  return names.flatMap((name) => listFiles(join(path, name)))
}

function run(command, args) {
  const shell = process.platform === 'win32'
  const stdio = ['inherit', 'pipe', 'inherit']
  const options = { stdio, shell, encoding: 'utf8', maxBuffer: 2 ** 26 }
  const { status, error, stdout } = spawnSync(command, args, options)
  process.stderr.write(stdout ?? '')
  if (status === 0) return
  if (/^site\/content\.ts[(:]/m.test(stdout ?? ''))
    say(
      "\nThe mistake is in site/content.ts, in the line of the first message above. Words stand between '…',\nand an apostrophe among them is written \\'.",
    )
  say(
    `\n\`${command} ${args.join(' ')}\` failed${error ? `: ${error.message}` : ''}. Nothing was started.`,
  )
  process.exit(status ?? 1)
}

function installBrowser() {
  say('Installing a browser for the tests (once) …')
  const playwright = spawnSync('npx', ['playwright', 'install', '--with-deps', 'chromium'], {
    stdio: 'ignore',
    timeout: 300_000,
  })
  if (playwright.status === 0) return
  // Where Playwright's own build cannot be had, a distribution's package can.
  try {
    apt('update')
    apt('install', '-y', '--no-install-recommends', 'chromium')
  } catch {
    say(
      'No Chromium or Chrome found, and none could be installed. Install one, or set CHROMIUM_PATH.',
    )
    process.exit(1)
  }
}

function apt(...args) {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo']
  const [command, ...rest] = [...sudo, 'apt-get', '-qq', ...args]
  execFileSync(command, rest, {
    stdio: 'inherit',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}

const mayInstall = () =>
  spawnSync('apt-get', ['--version']).status === 0 &&
  (process.getuid?.() === 0 || spawnSync('sudo', ['-n', 'true']).status === 0)

// One that is good to have: nobody is asked for a password, and without it its tests are skipped.
function addBrowser(name, ...packages) {
  if (mayInstall()) {
    say(`Installing ${name} for the tests (once) …`)
    const install = () => apt('install', '-y', '--no-install-recommends', ...packages)
    try {
      try {
        install()
      } catch {
        apt('update')
        install()
      }
      return
    } catch {
      // Said below.
    }
  }
  say(`${name} is not here and cannot be installed: its tests are skipped.`)
}

// Unpacked, not installed: the installed package would start a web server on this machine.
function unpackCaddy() {
  say('Fetching Caddy for the tests (once) …')
  const dir = mkdtempSync(join(tmpdir(), 'caddy-'))
  const download = () =>
    execFileSync('apt-get', ['-qq', 'download', 'caddy'], { cwd: dir, stdio: 'pipe' })
  try {
    try {
      download()
    } catch (error) {
      if (!mayInstall()) throw error
      apt('update')
      download()
    }
    const [file] = readdirSync(dir)
    execFileSync('dpkg-deb', ['-x', join(dir, file), 'node_modules/.caddy'])
  } catch {
    say('Caddy is not installed and cannot be fetched here: tests behind a proxy are skipped.')
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
