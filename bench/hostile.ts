// Sends what nobody's browser would send, and looks at every answer.
//   npm run bench:hostile -- [--cases 100000] [--links 20000] [--mangled 20000] [--seed 1]
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openDatabase } from '#server/database.ts'
import { startPostgres } from '#testing/postgres.ts'
import { startServer } from '#testing/processes.ts'
import { anonKey, createHostileTarget, tryAnswerLinks, tryRequests } from './hostile-requests.ts'
import { attack, attacks, drip, findSocketFault, mangle, pipeline } from './hostile-sockets.ts'
import { createRandom } from './random.ts'

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '100000' },
    links: { type: 'string', default: '20000' },
    mangled: { type: 'string', default: '20000' },
    seed: { type: 'string' },
  },
})
const cases = Number(values.cases)
const links = Number(values.links)
const mangled = Number(values.mangled)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const say = (text: string) => process.stdout.write(`${text}\n`)
const sayFault = (fault: string) => {
  say(`  ${fault}`)
  process.exitCode = 1
}

say(`Seed ${seed} (the same again: npm run bench:hostile -- --seed ${seed})`)
const dataDir = mkdtempSync(join(tmpdir(), 'hostile-'))
try {
  await tryFunction('SQLite', { dataDir })
  const postgres = await startPostgres()
  await tryFunction('PostgreSQL', { dataDir, databaseUrl: postgres.url }).finally(postgres.remove)
  await trySockets()
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

async function tryFunction(
  engine: string,
  location: { dataDir: string; databaseUrl?: string },
): Promise<void> {
  const db = await openDatabase(location)
  const { findFault, statuses } = createHostileTarget(db)
  const rounds = 5
  const heap: number[] = []
  let fault: string | undefined
  for (let round = 0; round < rounds && !fault; round++) {
    fault = await tryRequests(findFault, Math.ceil(cases / rounds), seed + round)
    heap.push(readHeapBytes())
  }
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`)
  const total = [...statuses.values()].reduce((sum, n) => sum + n, 0)
  say(`\nThe function on ${engine}: ${total} requests`)
  say(`  answers by status: ${counts.join(', ')}`)
  say(`  heap after each fifth: ${heap.map(megabytes).join(', ')}`)
  if (fault) sayFault(fault)
  judgeMemory(heap[0] ?? 0, heap.at(-1) ?? 0)

  const linkFault = await tryAnswerLinks(db, links, seed)
  say(`  answer links with letters changed: ${links}`)
  if (linkFault) sayFault(linkFault)
  await db.close()
}

async function trySockets(): Promise<void> {
  const env = { DATA_DIR: join(dataDir, 'sockets'), SUPABASE_ANON_KEY: anonKey }
  // So small a heap that a leak ends the process instead of hiding in a large machine's memory.
  const small = { NODE_OPTIONS: '--max-old-space-size=96' }
  const server = startServer({ ...env, ...small, RATE_LIMIT_PER_MINUTE: '0' })
  try {
    const url = await server.findUrl()
    const random = createRandom(seed)
    const counts = new Map<number, number>()
    const faults = new Set<string>()
    const rounds = Math.max(1, Math.floor(mangled / 1_000))
    let settledBytes = 0
    for (let round = 0; round < rounds; round++) {
      const named = Object.entries(attacks).map(([name, one]) => findSocketFault(url, name, one))
      for (const fault of await Promise.all(named)) if (fault) faults.add(fault)
      const answers = await pipeline(url, 10)
      if (answers.length !== 10 || answers.some((status) => status !== 200))
        faults.add(`pipelined: ${answers.length} answers of 10`)
      const slow = await drip(url)
      if (slow.join() !== '200') faults.add(`byte by byte: ${slow.join()}`)
      for (let batch = 0; batch < 1_000 / 20; batch++) {
        const talks = Array.from({ length: 20 }, () => attack(url, mangle(random)))
        for (const result of await Promise.allSettled(talks)) {
          if (result.status === 'rejected') faults.add(`mangled: ${result.reason.message}`)
          else for (const status of result.value) counts.set(status, (counts.get(status) ?? 0) + 1)
        }
      }
      // The first fifth warms up; from there on memory has to stay where it is.
      if (round === Math.floor(rounds / 5)) settledBytes = readResidentBytes(server.pid)
    }
    for (const status of counts.keys()) if (status >= 500) faults.add(`mangled: ${status}`)
    const said = [...counts].sort(([a], [b]) => a - b).map(([status, n]) => `${status}: ${n}`)
    say(
      `\nThe server over sockets: ${rounds} × ${Object.keys(attacks).length} attacks, 10 pipelined leads and one byte by byte, ${rounds * 1_000} mangled requests`,
    )
    say(`  answers to the mangled by status (0: closed without one): ${said.join(', ')}`)
    const endBytes = readResidentBytes(server.pid)
    say(
      `  memory after the first fifth ${megabytes(settledBytes)}, at the end ${megabytes(endBytes)}`,
    )
    judgeMemory(settledBytes, endBytes)
    for (const fault of faults) sayFault(fault)
    if ((await server.kill('SIGTERM')) !== 0) sayFault('the server did not end by itself')
    if (/failed unexpectedly|can be stored/.test(server.output.stderr))
      sayFault('the server logged an error')
  } finally {
    await server.kill('SIGKILL')
  }
}

// Flat: what grows with every request would be far more than this after so many.
function judgeMemory(before: number, after: number): void {
  if (after > before * 1.2 + 20 * 1024 * 1024)
    sayFault(`memory grew from ${megabytes(before)} to ${megabytes(after)}`)
}

/** What is really held: the collector has just been. */
function readHeapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

function readResidentBytes(pid: number): number {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmRSS:\s+(\d+) kB/)
  return Number(line?.[1] ?? 0) * 1024
}

function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`
}
