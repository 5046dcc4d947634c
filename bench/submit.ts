import { mkdtempDisposableSync, openSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { testLead, testPath } from '#testing/app.ts'
import { startPostgres } from '#testing/postgres.ts'
import { startServer } from '#testing/processes.ts'
import { formatMs, median, type Report } from './report.ts'

const connections = 50
const seconds = 5
const rounds = 5

type Load = { perSecond: number; p50Ms: number; p99Ms: number }
type Route = { name: string; url: string; body: object; status: number; loads: Load[] }

/** Measures durable leads per second, compared with requests that are rejected just before the database. */
export async function benchSubmit(): Promise<Report[]> {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'bench-'))
  await using postgres = await startPostgres({ durable: true })
  // Keep the cost of logging, but do not collect the log in this process's memory.
  const options = { stderr: openSync('/dev/null', 'w') }
  const env = { DATA_DIR: dir.path, RATE_LIMIT_PER_MINUTE: '0' }
  await using onSqlite = startServer(env, options)
  await using onPostgres = startServer({ ...env, DATABASE_URL: postgres.url }, options)
  const url = await onSqlite.findUrl()
  const postgresUrl = await onPostgres.findUrl()
  // Only the last field is invalid, so the request takes every step except the database.
  const invalidLead = { ...testLead, serviceType: 'chimney' }
  const baseline: Route = { name: 'no database', url, body: invalidLead, status: 422, loads: [] }
  const routes: Route[] = [
    baseline,
    { name: 'SQLite', url, body: testLead, status: 200, loads: [] },
    { name: 'PostgreSQL', url: postgresUrl, body: testLead, status: 200, loads: [] },
  ]
  for (const route of routes) await measure(route, 1)
  for (let round = 0; round < rounds; round++)
    for (const route of routes) route.loads.push(await measure(route, seconds))

  return [
    {
      title: `Submit, ${connections} connections, medians of ${rounds} alternating runs of ${seconds} s`,
      head: ['route', 'leads', 'vs. no database', 'p50', 'p99', 'each run'],
      rows: routes.map(({ name, loads }) => {
        const rates = loads.map(({ perSecond }) => perSecond)
        // Compare runs of the same round, because the machine's speed changes between rounds.
        const ratios = rates.map((rate, round) => rate / (baseline.loads[round]?.perSecond ?? 0))
        return [
          name,
          `${Math.round(median(rates))}/s`,
          median(ratios).toFixed(2),
          formatMs(median(loads.map(({ p50Ms }) => p50Ms))),
          formatMs(median(loads.map(({ p99Ms }) => p99Ms))),
          rates.map(Math.round).join(' '),
        ]
      }),
    },
  ]
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
