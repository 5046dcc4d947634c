// Prepares the checkout; runs before every npm command and skips steps that are done. Node 20 must be
// able to run it before anything is installed, so it is plain JavaScript without packages.
//   node scripts/setup.mjs           packages that the site and the owner's commands need
//   node scripts/setup.mjs start     also builds the site
//   node scripts/setup.mjs dev       also packages for development
//   node scripts/setup.mjs test      also tools for the tests
//   node scripts/setup.mjs slow      also tools for the slow tests
//   node scripts/setup.mjs skipped   only lists the tests that were skipped because a tool is missing
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { installTools, listSkipped } from './tools.mjs'

// Messages go to stderr, because stdout belongs to the command that follows.
const say = (text) => text && process.stderr.write(`${text}\n`)

const hintForContent = `
The mistake is in site/content.ts, at the line in the first message above. Put text between quotes '…',
and write an apostrophe inside it as \\'.`

function main(wanted) {
  // import.meta.dirname needs Node 20.11.
  process.chdir(fileURLToPath(new URL('..', import.meta.url)))
  if (wanted.includes('skipped')) return say(listSkipped())
  const forTests = wanted.includes('test') || wanted.includes('slow')
  installPackages({ withDev: forTests || wanted.includes('dev') })
  if (wanted.includes('start')) buildSite()
  if (!forTests) return
  installTools({ slow: wanted.includes('slow'), run: tryToRun })
  say(listSkipped())
  if (listSkipped() && process.env.CI) fail('With CI set, no test may be skipped.')
}

function installPackages({ withDev }) {
  const stamp = computeStamp(['package-lock.json', '.npmrc'])
  const stampFile = 'node_modules/.setup-done'
  const done = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : ''
  if (done === `${stamp} dev` || (done === stamp && !withDev)) return
  rmSync(stampFile, { force: true })
  // The flags override NODE_ENV, and no package may run code at installation.
  const packages = withDev ? '--include=dev' : '--omit=dev'
  const quiet = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error']
  runOrFail('Installing packages', ['npm', 'ci', packages, '--ignore-scripts', ...quiet])
  // npm 10 does not link the bin of an optional dependency.
  const pinnedNode = `node-${process.platform}-${process.arch}/bin/node`
  const link = 'node_modules/.bin/node'
  if (existsSync(`node_modules/${pinnedNode}`) && !existsSync(link)) {
    mkdirSync('node_modules/.bin', { recursive: true })
    symlinkSync(`../${pinnedNode}`, link)
  }
  // npm skips optional packages that fail to install, without an error.
  if (!existsSync(link) && Number.parseInt(process.versions.node, 10) < 24)
    fail('npm could not install Node 24 on this machine. Install it from nodejs.org and try again.')
  writeFileSync(stampFile, withDev ? `${stamp} dev` : stamp)
}

function buildSite() {
  const sources = ['site', 'desk', 'leads', 'vite.config.ts', 'tsconfig.json', 'package-lock.json']
  const stamp = computeStamp([...sources, '.env', '.env.local'], listBuildVariables())
  const stampFile = 'dist/.setup-done'
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  // --ignore-scripts skips `prebuild`, which would run this file again.
  const npm = ['npm', 'run', '--silent', '--ignore-scripts']
  runOrFail('Building the site', [...npm, 'build', '--', '--logLevel', 'warn'])
  writeFileSync(stampFile, stamp)
}

/** A hash of the files and variables that a step depends on. */
function computeStamp(files, variables = '') {
  const hash = createHash('sha256').update(variables)
  for (const file of files.flatMap(listFiles)) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
}

function listFiles(path) {
  if (!existsSync(path)) return []
  if (statSync(path).isFile()) return [path]
  const names = readdirSync(path).sort()
  return names.flatMap((name) => listFiles(join(path, name)))
}

// The built page contains its address, its backend, and its keys.
function listBuildVariables() {
  const isUsed = (name) => /^VITE_|^SUPABASE_ANON_KEY$|^PUBLIC_URL$/.test(name)
  const names = Object.keys(process.env).filter(isUsed).sort()
  return names.map((name) => `${name}=${process.env[name]}\n`).join('')
}

function run(what, [command, ...args], { cwd, env } = {}) {
  say(`${what} …`)
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: Number.POSITIVE_INFINITY,
  })
  const output = `${stdout ?? ''}${stderr ?? ''}${error?.message ?? ''}`.trim()
  return { isDone: status === 0, output }
}

/** On failure, prints the last two lines of output and goes on. */
function tryToRun(...args) {
  const { isDone, output } = run(...args)
  if (!isDone) say(output.split('\n').slice(-2).join('\n'))
}

function runOrFail(what, command) {
  const { isDone, output } = run(what, command)
  say(output)
  if (isDone) return
  if (/^site\/content\.ts[(:]/m.test(output)) say(hintForContent)
  fail(`\n\`${command.join(' ')}\` failed. Nothing was started.`)
}

function fail(text) {
  say(text)
  process.exit(1)
}

main(process.argv.slice(2))
