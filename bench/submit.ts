import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { testLead, testPath } from '#testing/app.ts'
import { startPostgres } from '#testing/postgres.ts'
import { startServer } from '#testing/processes.ts'
import { formatMs, median, type Options, type Report } from './report.ts'

const connections = 50
const seconds = 5
const rounds = 5

type Route = { name: string; url: string; body: object; status: number; loads: Load[] }
type Load = { perSecond: number; p50Ms: number; p99Ms: number }

/** Measures durable leads per second, compared with requests that are rejected just before the database. */
export async function benchSubmit({ against }: Options): Promise<Report[]> {
  const closers: (() => Promise<unknown>)[] = []
  try {
    const own = await startRoutes(join(import.meta.dirname, '..'), '', closers)
    const other = against ? await startRoutes(against, ', the other checkout', closers) : []
    const routes = own.flatMap((route, at) => [route, ...other.slice(at, at + 1)])
    for (const route of routes) await measure(route, 1)
    for (let round = 0; round < rounds; round++)
      for (const route of routes) route.loads.push(await measure(route, seconds))

    const pick = (metric: keyof Load, route?: Route) =>
      median(route?.loads.map((load) => load[metric]) ?? [])
    // Compare runs of the same round, because the machine's speed changes between rounds.
    const compare = (route: Route, to?: Route) =>
      to
        ? median(
            route.loads.map((load, round) => load.perSecond / (to.loads[round]?.perSecond ?? 0)),
          ).toFixed(2)
        : ''
    return [
      {
        title: `Submit, ${connections} connections, medians of ${rounds} alternating runs of ${seconds} s`,
        head: ['route', 'leads', 'vs. no database', 'p50', 'p99', 'each run', 'vs. other'],
        rows: routes.map((route) => [
          route.name,
          `${Math.round(pick('perSecond', route))}/s`,
          compare(route, own.includes(route) ? own[0] : other[0]),
          formatMs(pick('p50Ms', route)),
          formatMs(pick('p99Ms', route)),
          route.loads.map(({ perSecond }) => Math.round(perSecond)).join(' '),
          compare(route, other[own.indexOf(route)]),
        ]),
      },
    ]
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** Starts a checkout's server on each database. */
async function startRoutes(cwd: string, suffix: string, closers: (() => Promise<unknown>)[]) {
  const dir = mkdtempSync(join(tmpdir(), 'bench-'))
  const postgres = await startPostgres({ durable: true })
  closers.push(postgres.remove, async () => rmSync(dir, { recursive: true, force: true }))
  const start = async (databaseUrl?: string) => {
    const server = startServer(
      {
        DATA_DIR: dir,
        DATABASE_URL: databaseUrl,
        RATE_LIMIT_PER_MINUTE: '0',
        // Without a proxy, the other checkout may limit connections per client.
        TRUSTED_PROXIES: '1',
      },
      // Keep the cost of logging, but do not collect the log in this process's memory.
      { cwd, stderr: openSync('/dev/null', 'w') },
    )
    closers.push(() => server.kill('SIGTERM'))
    return server.findUrl()
  }
  // Only the last field is invalid, so the request takes every step except the database.
  const invalidLead = { ...testLead, serviceType: 'chimney' }
  const url = await start()
  const postgresUrl = await start(postgres.url)
  const routes: Route[] = [
    { name: 'no database', url, body: invalidLead, status: 422, loads: [] },
    { name: 'SQLite', url, body: testLead, status: 200, loads: [] },
    { name: 'PostgreSQL', url: postgresUrl, body: testLead, status: 200, loads: [] },
  ]
  return routes.map((route) => ({ ...route, name: route.name + suffix }))
}

async function measure({ name, url, body, status }: Route, duration: number): Promise<Load> {
  const result = await autocannon({
    url: url + testPath,
    method: 'POST',
    headers: { apikey: 'public-anon-key', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    connections,
    duration,
  })
  const succeeded = result.statusCodeStats?.[`${status}`]?.count ?? 0
  if (result.errors > 0 || succeeded !== result.requests.total)
    throw new Error(
      `${name}: ${result.errors} errors, expected only ${status}: ${JSON.stringify(result.statusCodeStats)}`,
    )
  return {
    perSecond: succeeded / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }
}
