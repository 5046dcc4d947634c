// Prepares the checkout before every npm command, and skips steps that are already done. This is plain JavaScript
// without dependencies, because Node 20 must be able to run it before anything is installed.
//   node scripts/setup.mjs           installs the packages for the site and the owner's commands
//   node scripts/setup.mjs start     also builds the site
//   node scripts/setup.mjs dev       also installs development packages
//   node scripts/setup.mjs test      also installs tools for the tests
//   node scripts/setup.mjs slow      also installs tools for the slow tests
//   node scripts/setup.mjs skipped   only lists the tests that are skipped because a tool is missing
import { execFile } from 'node:child_process'
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
import { promisify } from 'node:util'
import { fetchTools, installDebianPackages, listSkipped } from './tools.mjs'

// Print to stderr, because stdout belongs to the command that follows.
const print = (text) => text && process.stderr.write(`${text}\n`)

/** The installation of Debian packages, which runs at the same time as npm. */
let aptGet

async function main(wanted) {
  // Don't use import.meta.dirname, which needs Node 20.11.
  process.chdir(fileURLToPath(new URL('..', import.meta.url)))
  const { node } = process.versions
  if (Number.parseInt(node, 10) < 20)
    await fail(
      `This site needs Node 20 or newer, and this is Node ${node}. Install Node 24 from nodejs.org, then try again.`,
    )
  if (wanted.includes('skipped')) return print(listSkipped())
  const forTests = wanted.includes('test') || wanted.includes('slow')
  const tools = { slow: wanted.includes('slow'), run: tryToRun }
  // Run this at the same time as npm, to save time on a new machine.
  aptGet = forTests && installDebianPackages(tools)
  await installPackages({ needsDev: forTests || wanted.includes('dev') })
  await aptGet
  if (wanted.includes('start')) await buildSite()
  if (!forTests) return
  await fetchTools(tools)
  print(listSkipped())
  if (listSkipped() && process.env.CI)
    await fail('CI is set, so no test may be skipped. Install the missing tools listed above.')
}

async function installPackages({ needsDev }) {
  const stamp = computeStamp(['package-lock.json', '.npmrc'])
  const stampFile = 'node_modules/.setup-done'
  const done = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : ''
  // If the checkout has development packages, keep them.
  const withDev = needsDev || done.endsWith(' dev')
  if (done === (withDev ? `${stamp} dev` : stamp)) return
  rmSync(stampFile, { force: true })
  // The flags override NODE_ENV and prevent packages from running install scripts.
  const packages = withDev ? '--include=dev' : '--omit=dev'
  const quiet = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error']
  await runOrFail('Installing packages', ['npm', 'ci', packages, '--ignore-scripts', ...quiet])
  // npm 10 does not link the executable of this optional dependency.
  const pinnedNode = `node-${process.platform}-${process.arch}/bin/node`
  const link = 'node_modules/.bin/node'
  if (existsSync(`node_modules/${pinnedNode}`) && !existsSync(link)) {
    mkdirSync('node_modules/.bin', { recursive: true })
    symlinkSync(`../${pinnedNode}`, link)
  }
  // npm reports no error if an optional package fails to install.
  if (!existsSync(link) && Number.parseInt(process.versions.node, 10) < 24)
    await fail(
      'npm could not install Node 24 on this machine. Install it from nodejs.org, then try again.',
    )
  writeFileSync(stampFile, withDev ? `${stamp} dev` : stamp)
}

async function buildSite() {
  const sources = ['site', 'desk', 'leads', 'vite.config.ts', 'tsconfig.json', 'package-lock.json']
  const stamp = computeStamp([...sources, '.env', '.env.local'], listBuildVariables())
  const stampFile = 'dist/.setup-done'
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  // --ignore-scripts skips `prebuild`, which would run this file again.
  await runOrFail('Building the site', ['npm', 'run', '--silent', '--ignore-scripts', 'build'])
  writeFileSync(stampFile, stamp)
}

/** Hashes the files and variables that a step depends on. */
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

// The variables that the build writes into the page.
function listBuildVariables() {
  const isUsed = (name) => /^VITE_|^SUPABASE_ANON_KEY$|^PUBLIC_URL$/.test(name)
  const names = Object.keys(process.env).filter(isUsed).sort()
  return names.map((name) => `${name}=${process.env[name]}\n`).join('')
}

async function run(step, [command, ...args], { cwd, env } = {}) {
  print(`${step} …`)
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: Number.POSITIVE_INFINITY }
  const running = promisify(execFile)(command, args, options)
  running.child.stdin.end()
  // A failure rejects with an error that has a code.
  const { code = 0, stdout, stderr, message } = await running.catch((error) => error)
  return { succeeded: code === 0, output: `${stdout}${stderr}`.trim() || message }
}

/** On failure, prints the last two lines of output and continues. */
async function tryToRun(...args) {
  const { succeeded, output } = await run(...args)
  if (!succeeded) print(output.split('\n').slice(-2).join('\n'))
}

async function runOrFail(step, command) {
  const { succeeded, output } = await run(step, command)
  print(output)
  if (succeeded) return
  await fail(`\n\`${command.join(' ')}\` failed, so your command was not started.`)
}

async function fail(text) {
  // Wait for apt-get, because stopping it could leave a package half-installed.
  await aptGet
  print(text)
  process.exit(1)
}

await main(process.argv.slice(2))
