// Sends what nobody's browser would send, and looks at every answer.
//   npm run bench:hostile -- [requests to each database] [--seed 1]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openDatabase } from '#server/database.ts'
import { startPostgres } from '#testing/postgres.ts'
import { startServer } from '#testing/processes.ts'
import { anonKey } from './hostile-requests.ts'
import { attackCount, trySockets } from './hostile-sockets.ts'
import { createHostileTarget, tryAnswerLinks } from './hostile-target.ts'
import { createRandom } from './random.ts'
import {
  countOne,
  findGrowth,
  formatCounts,
  formatMegabytes,
  readResidentBytes,
  say,
  sayFaults,
} from './report.ts'

const { values, positionals } = parseArgs({
  options: { seed: { type: 'string' } },
  allowPositionals: true,
})
const requests = Number(positionals[0] ?? 100_000)
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const rounds = 5

say(`Seed ${seed} (the same again: npm run bench:hostile -- ${requests} --seed ${seed})`)
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
  faults.push(await tryAnswerLinks(db, links, seed), ...findGrowth(heap[0] ?? 0, heap.at(-1) ?? 0))
  await db.close()
  say(`\nThe function on ${engine}: ${requests} requests, ${links} answer links with letters changed
  answers by status: ${formatCounts(statuses)}
  heap after each fifth: ${heap.map(formatMegabytes).join(', ')}`)
  sayFaults(faults.filter((fault) => fault !== undefined))
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
    const faults = new Set<string>()
    const memory: number[] = []
    for (let round = 0; round < rounds; round++) {
      const tried = await trySockets(url, mangled, random)
      for (const fault of tried.faults) faults.add(fault)
      for (const [status, n] of tried.counts)
        for (let at = 0; at < n; at++) countOne(counts, status)
      memory.push(readResidentBytes(server.pid))
    }
    for (const growth of findGrowth(memory[0] ?? 0, memory.at(-1) ?? 0)) faults.add(growth)
    if ((await server.kill('SIGTERM')) !== 0) faults.add('the server did not end by itself')
    if (/failed unexpectedly|can be stored/.test(server.output.stderr))
      faults.add('the server logged an error')
    say(`\nThe server over sockets: ${rounds} × ${attackCount} attacks and ${mangled} mangled requests
  answers to the mangled by status (0: closed without one): ${formatCounts(counts)}
  memory after each fifth: ${memory.map(formatMegabytes).join(', ')}`)
    sayFaults(faults)
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
