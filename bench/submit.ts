import { randomUUID } from 'node:crypto'
import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import pg from 'pg'
import { testLead, testPath } from '#testing/app.ts'
import { startPostgres } from '#testing/postgres.ts'
import { checkOut, root, startQuietServer } from './commit.ts'
import { formatMs, median, type Options, type Report } from './report.ts'

const connections = 50
const seconds = 5
const rounds = 5

// Turn on alerts, because every real site sends them. Nothing listens on the port, because sending is not measured.
const alert = {
  SMTP_URL: 'smtp://127.0.0.1:9',
  ALERT_EMAIL_FROM: 'site@example.com',
  ALERT_EMAIL_TO: 'owner@example.com',
}

type Load = { perSecond: number; p50Ms: number; p99Ms: number }
type Route = { name: string; url: string; body: object; status: number; loads: Load[] }

/** Measures how many leads per second the server stores and, for comparison, how many invalid leads it rejects. */
export async function benchSubmit({ against }: Options): Promise<Report[]> {
  using folders = new DisposableStack()
  const { path } = folders.use(mkdtempDisposableSync(join(tmpdir(), 'bench-')))
  await using postgres = await startPostgres({ durable: true })
  await using servers = new AsyncDisposableStack()
  const serve = async (database: string, cwd: string) => {
    const { href } = new URL(database, postgres.url)
    await createDatabase(postgres.url, database)
    const env = { DATA_DIR: join(path, database), ...alert }
    const onSqlite = servers.use(startQuietServer(env, cwd))
    const onPostgres = servers.use(startQuietServer({ ...env, DATABASE_URL: href }, cwd))
    return { sqlite: await onSqlite.findUrl(), postgres: await onPostgres.findUrl() }
  }
  const now = await serve('now', root)
  const before = against && (await serve('before', checkOut(against, folders)))
  // Only the last field is invalid, so the server validates the whole lead but does not use the database.
  const invalidLead = { ...testLead, serviceType: 'chimney' }
  const makeRoute = (name: string, url: string): Route => ({
    name,
    url,
    body: testLead,
    status: 200,
    loads: [],
  })
  const baseline = { ...makeRoute('no database', now.sqlite), body: invalidLead, status: 422 }
  const routes: Route[] = [
    baseline,
    makeRoute('SQLite', now.sqlite),
    ...(before ? [makeRoute('SQLite before', before.sqlite)] : []),
    makeRoute('PostgreSQL', now.postgres),
    ...(before ? [makeRoute('PostgreSQL before', before.postgres)] : []),
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
        // Compare runs in the same round, because the machine's speed changes from round to round.
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
    // Each request needs its own idempotency key, as in the form.
    requests: [
      {
        setupRequest: (request) => ({
          ...request,
          headers: { ...request.headers, 'idempotency-key': randomUUID() },
        }),
      },
    ],
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

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
}
