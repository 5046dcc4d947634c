// Runs before every npm script that needs it, on whatever Node the machine has (20 or newer), so it
// is plain JavaScript and imports no package. What is already done is not done again.
//   node scripts/setup.mjs         the packages that the site and the owner's commands run with
//   node scripts/setup.mjs start   also the built site
//   node scripts/setup.mjs dev     also the packages for development
//   node scripts/setup.mjs test    also the tools that tests need
//   node scripts/setup.mjs prove   also those that proofs need
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Not on stdout, which belongs to the script that follows (`npm run -s leads -- --json`).
const say = (text) => process.stderr.write(`${text}\n`)

async function main(wanted) {
  // import.meta.dirname would need 20.11.
  process.chdir(fileURLToPath(new URL('..', import.meta.url)))
  const forProofs = wanted.includes('prove')
  const forTests = forProofs || wanted.includes('test')
  await takeTurn()
  await installPackages({ all: forTests || wanted.includes('dev') })
  if (wanted.includes('start')) await buildSite()
  if (forTests) await prepareTools(forProofs)
}

/**
 * One set-up of this folder at a time: two would take away what the other builds with. Whoever has the
 * turn listens on a socket of no file system, which the kernel takes away with the process, however that ends.
 */
async function takeTurn() {
  const name = createHash('sha256').update(process.cwd()).digest('hex')
  // At its full length: Node 20 would fill up a shorter one, and Node 24 would not.
  const path = `\0setup-${name}`.padEnd(108, '\0')
  const server = createServer((waiting) => waiting.unref()).unref()
  for (;;)
    try {
      await once(server.listen(path), 'listening')
      return
    } catch (error) {
      // Only Linux has such sockets; elsewhere it goes on without.
      if (error.code !== 'EADDRINUSE') return
      const other = connect(path, () => say('Another set-up of this folder is at work: waiting …'))
      // Refused: it has just ended.
      await once(other, 'close').catch(() => {})
    }
}

async function installPackages({ all }) {
  const stamp = computeStamp(['package-lock.json', '.npmrc'])
  const stampFile = 'node_modules/.setup-done'
  const done = existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : ''
  if (done === `${stamp} all` || (done === stamp && !all)) return
  remove(stampFile)
  // What NODE_ENV says does not count.
  const choice = all ? '--include=dev' : '--omit=dev'
  const quiet = ['--no-audit', '--no-fund', '--no-progress', '--loglevel=error']
  const ci = ['npm', 'ci', choice, '--ignore-scripts', ...quiet]
  if (!(await installWithAddresses(ci))) await runOrEnd('Asking the registry for the packages', ci)
  // It stays behind with Node's own .bin; and where the registry was asked, npm 10 makes none.
  const pinned = `node-${process.platform}-${process.arch}/bin/node`
  const link = 'node_modules/.bin/node'
  if (existsSync(`node_modules/${pinned}`) && !existsSync(link)) symlinkSync(`../${pinned}`, link)
  // npm leaves out what does not fit the machine, and says nothing.
  if (!existsSync(link) && Number.parseInt(process.versions.node, 10) < 24)
    end('npm has no Node 24 for this machine. Install it from nodejs.org, then try again.')
  writeFileSync(stampFile, all ? `${stamp} all` : stamp)
}

/** Node is two thirds of all there is to unpack, and npm unpacks on one core: two do it, side by side. */
async function installWithAddresses(ci) {
  mkdirSync('node_modules', { recursive: true })
  const folder = mkdtempSync('node_modules/.installing-')
  const parts = ['packages', 'Node 24'].map((what) => ({ what, cwd: join(folder, what) }))
  try {
    const command = [...ci, '--replace-registry-host=always', '--prefer-offline']
    const installs = parts.map(({ what, cwd }) => {
      writePart(cwd, { isNode: what === 'Node 24' })
      return run(`Installing ${what} (once)`, command, { cwd })
    })
    for (const { status } of await Promise.all(installs)) if (status !== 0) return false
    // One by one, because node_modules itself may be a link or a mounted volume.
    for (const path of listEntries('node_modules')) if (path !== folder) remove(path)
    for (const path of parts.flatMap(({ cwd }) => listEntries(join(cwd, 'node_modules')))) {
      const target = join('node_modules', basename(path))
      if (!existsSync(target)) renameSync(path, target)
    }
    return true
  } catch {
    // npm itself says what is wrong.
    return false
  } finally {
    remove(folder)
  }
}

/**
 * The lockfile names no registry, so npm would ask for every package's list of versions before it gets any.
 * In a copy of the lockfile it is told the addresses, with a host that it replaces with its registry's.
 */
function writePart(folder, { isNode }) {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'))
  // Node, for each processor, is all that is optional.
  const nodes = Object.keys(manifest.optionalDependencies)
  for (const root of [manifest, lock.packages['']])
    for (const kind of isNode ? ['dependencies', 'devDependencies'] : ['optionalDependencies'])
      delete root[kind]
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (!path) continue
    const name = entry.name ?? path.split('node_modules/').at(-1)
    const file = `${name.split('/').at(-1)}-${entry.version}.tgz`
    entry.resolved ??= `https://registry.invalid/${name}/-/${file}`
    if (nodes.includes(name) !== isNode) delete lock.packages[path]
  }
  // npm makes none where no Node of ours fits.
  mkdirSync(join(folder, 'node_modules'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock))
  copyFileSync('.npmrc', join(folder, '.npmrc'))
}

const listEntries = (folder) => readdirSync(folder).map((name) => join(folder, name))
const remove = (path) => rmSync(path, { recursive: true, force: true })

async function buildSite() {
  const sources = [
    'site',
    'desk',
    'leads/desk',
    'leads/lead.ts',
    'vite.config.ts',
    'package-lock.json',
    'tsconfig.json',
  ]
  const stamp = computeStamp([...sources, '.env', '.env.local'], buildVariables())
  const stampFile = 'dist/.setup-done'
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return
  // Without `prebuild`, which is this again.
  const npm = ['npm', 'run', '--silent', '--ignore-scripts']
  await runOrEnd('Building the site', [...npm, 'build', '--', '--logLevel', 'warn'])
  writeFileSync(stampFile, stamp)
}

async function prepareTools(forProofs) {
  const { installTools, listSkipped, writeMissing } = await import('./tools.mjs')
  const missing = await installTools({ forProofs, run: tryToRun })
  writeMissing(missing)
  if (missing.length === 0) return
  say(listSkipped(missing))
  if (process.env.CI) end('With CI set, nothing may be skipped.')
}

/** A hash of the files and variables that something is made from. */
function computeStamp(files, variables = '') {
  const hash = createHash('sha256').update(variables)
  for (const file of files.flatMap(listFiles)) hash.update(file).update(readFileSync(file))
  return hash.digest('hex')
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

/** Says what it does, and every ten seconds that it still does; what the command says is kept. */
function run(what, [command, ...args], { cwd, env } = {}) {
  say(`${what} …`)
  const startAt = Date.now()
  const tick = () => say(`${what} … ${Math.round((Date.now() - startAt) / 1000)} s`)
  const ticking = setInterval(tick, 10_000)
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive', ...env },
      shell: process.platform === 'win32',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        output += text
      })
    const settle = (status) => {
      clearInterval(ticking)
      resolve({ status, output })
    }
    child.on('error', (error) => {
      output += `${error.message}\n`
      settle(1)
    })
    child.on('close', (status) => settle(status ?? 1))
  })
}

/** Whether it did its work; if not, with its last words, but for a stack. */
async function tryToRun(...args) {
  const { status, output } = await run(...args)
  const words = output.split('\n').filter((line) => line.trim() && !/^ +at /.test(line))
  if (status !== 0) say(words.slice(-2).join('\n'))
  return status === 0
}

async function runOrEnd(what, command) {
  const { status, output } = await run(what, command)
  if (output) say(output.trimEnd())
  if (status === 0) return
  if (/^site\/content\.ts[(:]/m.test(output))
    say(
      "\nThe mistake is in site/content.ts, in the line of the first message above. Words stand between '…',\nand an apostrophe among them is written \\'.",
    )
  end(`\n\`${command.join(' ')}\` failed. Nothing was started.`, status)
}

function end(text, status = 1) {
  say(text)
  process.exit(status)
}

// Last, when everything above is there to be used.
await main(process.argv.slice(2))
