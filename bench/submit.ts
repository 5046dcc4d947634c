import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { startPostgres } from '#testing/postgres.ts'
import { startServer } from '#testing/processes.ts'
import { formatMs, median, type Table } from './report.ts'
import { functionPath, makeLead } from './visitors.ts'

const connections = 50
const seconds = 5
const rounds = 3

type Route = { name: string; url: string; body: object; status: number; loads: Load[] }
type Load = { perSecond: number; p50Ms: number; p99Ms: number }

/** Durable leads a second, beside the same request up to its last check, where nothing is stored. */
export async function benchSubmit(): Promise<Table[]> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-'))
  const postgres = await startPostgres({ durable: true })
  // Written as in production, one call a line, but to nowhere.
  const options = { stderr: openSync('/dev/null', 'w') }
  // As behind a proxy: without one an address may hold 50 connections, and one that is opened before
  // its predecessor is seen to close is the 51st.
  const env = { DATA_DIR: dir, RATE_LIMIT_PER_MINUTE: '0', TRUSTED_PROXIES: '1' }
  const sqlite = startServer(env, options)
  const onPostgres = startServer({ ...env, DATABASE_URL: postgres.url }, options)
  try {
    const lead = makeLead('Jane Doe')
    // The last field is wrong: received, read, checked and answered, and never near a database.
    const wrong = { ...lead, serviceType: 'chimney' }
    const url = await sqlite.findUrl()
    const routes: Route[] = [
      { name: 'no database', url, body: wrong, status: 422, loads: [] },
      { name: 'SQLite', url, body: lead, status: 200, loads: [] },
      { name: 'PostgreSQL', url: await onPostgres.findUrl(), body: lead, status: 200, loads: [] },
    ]
    for (const route of routes) await load(route, 1)
    for (let round = 0; round < rounds; round++)
      for (const route of routes) route.loads.push(await load(route, seconds))

    const pick = ({ loads }: Route, figure: keyof Load) => median(loads.map((load) => load[figure]))
    const bare = pick(routes[0] as Route, 'perSecond')
    return [
      {
        title: `Submit, ${connections} connections, medians of ${rounds} × ${seconds} s in turns`,
        head: ['route', 'leads', 'to no database', 'p50', 'p99', 'each run'],
        rows: routes.map((route) => [
          route.name,
          `${Math.round(pick(route, 'perSecond'))}/s`,
          (pick(route, 'perSecond') / bare).toFixed(2),
          formatMs(pick(route, 'p50Ms')),
          formatMs(pick(route, 'p99Ms')),
          route.loads.map(({ perSecond }) => Math.round(perSecond)).join(' '),
        ]),
      },
    ]
  } finally {
    await Promise.all([sqlite, onPostgres].map((server) => server.kill('SIGTERM')))
    await postgres.remove()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function load({ name, url, body, status }: Route, duration: number): Promise<Load> {
  const result = await autocannon({
    url: url + functionPath,
    method: 'POST',
    headers: { apikey: 'public-anon-key', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    connections,
    duration,
  })
  const answered = result.statusCodeStats?.[`${status}`]?.count ?? 0
  if (result.errors > 0 || answered !== result.requests.total)
    throw new Error(
      `${name}: ${result.errors} broke, not all were ${status}: ${JSON.stringify(result.statusCodeStats)}`,
    )
  return {
    perSecond: answered / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }
}
