// Sends what nobody's browser would send, and looks at every answer.
//   npm run bench:hostile -- [requests to each database] [seed]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createRandom } from '#demo/random.ts'
import { openDatabase } from '#server/database.ts'
import { startPostgres } from '#testing/postgres.ts'
import { startServer } from '#testing/processes.ts'
import { anonKey } from './hostile-requests.ts'
import { attackCount, trySockets } from './hostile-sockets.ts'
import { createHostileTarget, tryAnswerLinks } from './hostile-target.ts'
import * as report from './report.ts'

const [requests, seed] = report.readNumbers(100_000, Date.now() % 1_000_000)
const rounds = 5

report.say(`Seed ${seed} (the same again: npm run bench:hostile -- ${requests} ${seed})`)
const dataDir = mkdtempSync(join(tmpdir(), 'hostile-'))
try {
  await tryFunction('SQLite', { dataDir })
  const postgres = await startPostgres()
  await tryFunction('PostgreSQL', { dataDir, databaseUrl: postgres.url }).finally(postgres.remove)
  await tryServer()
} finally {
  rmSync(dataDir, { recursive: true, force: true })
}

async function tryFunction(engine: string, location: { dataDir: string; databaseUrl?: string }) {
  const db = await openDatabase(location)
  const { tryRequests, statuses } = createHostileTarget(db)
  const heap: number[] = []
  const faults: (string | undefined)[] = []
  for (let round = 0; round < rounds && !faults.some(Boolean); round++) {
    faults.push(await tryRequests(Math.ceil(requests / rounds), seed + round))
    heap.push(readHeapBytes())
  }
  const links = Math.ceil(requests / rounds)
  faults.push(await tryAnswerLinks(db, links, seed), report.findGrowth(heap))
  await db.close()
  report.say(`
The function on ${engine}: ${requests} requests, ${links} answer links with letters changed
  answers by status: ${report.formatCounts(statuses)}
  heap after each fifth: ${heap.map(report.formatMegabytes).join(', ')}`)
  report.sayFaults(faults)
}

async function tryServer(): Promise<void> {
  const server = startServer({
    DATA_DIR: join(dataDir, 'sockets'),
    SUPABASE_ANON_KEY: anonKey,
    RATE_LIMIT_PER_MINUTE: '0',
    // So small a heap that a leak ends the process instead of hiding in a large machine's memory.
    NODE_OPTIONS: '--max-old-space-size=96',
  })
  try {
    const url = await server.findUrl()
    const random = createRandom(seed)
    const mangled = Math.ceil(requests / rounds / rounds)
    const counts = new Map<number, number>()
    const faults = new Set<string | undefined>()
    const memory: number[] = []
    for (let round = 0; round < rounds; round++) {
      for (const fault of await trySockets(url, mangled, random, counts)) faults.add(fault)
      memory.push(report.readResidentBytes(server.pid))
    }
    faults.add(report.findGrowth(memory))
    if ((await server.kill('SIGTERM')) !== 0) faults.add('the server did not end by itself')
    if (/failed unexpectedly|can be stored/.test(server.output.stderr))
      faults.add('the server logged an error')
    report.say(`
The server over sockets: ${rounds} × ${attackCount} attacks and ${mangled} mangled requests
  answers to the mangled by status (0: closed without one): ${report.formatCounts(counts)}
  memory after each fifth: ${memory.map(report.formatMegabytes).join(', ')}`)
    report.sayFaults(faults)
  } finally {
    await server.kill('SIGKILL')
  }
}

/** What is really held: the collector has just been. */
function readHeapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
