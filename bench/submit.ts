import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import autocannon from 'autocannon'
import { startPostgres } from '#testing/postgres.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { formatMs, formatRate, formatRatio, median, type Table } from './table.ts'

const connections = 50
const seconds = 5
const rounds = 3

const lead = {
  name: 'Jane Doe',
  email: 'jane@example.com',
  phone: '(555) 123-4567',
  address: '1 Ridge Rd, Denver, CO 80202',
  serviceType: 'roof-repair',
}

type Route = { name: string; server: ServerProcess; body: object; status: number }
type Load = { perSecond: number; p50Ms: number; p99Ms: number }

/** Durable leads a second, beside the same request up to its last check, where nothing is stored. */
export async function benchSubmit(): Promise<Table[]> {
  const dir = mkdtempSync(join(tmpdir(), 'bench-'))
  const sqlite = await startServer({ DATA_DIR: dir, RATE_LIMIT_PER_MINUTE: '0' })
  const postgres = await startPostgres({ durable: true }).catch(() => undefined)
  const onPostgres =
    postgres &&
    (await startServer({ DATABASE_URL: postgres.url, DATA_DIR: dir, RATE_LIMIT_PER_MINUTE: '0' }))
  try {
    const routes: Route[] = [
      // The last field is wrong: received, read, checked and answered, and never near a database.
      {
        name: 'no database',
        server: sqlite,
        body: { ...lead, serviceType: 'chimney' },
        status: 422,
      },
      { name: 'SQLite', server: sqlite, body: lead, status: 200 },
      ...(onPostgres ? [{ name: 'PostgreSQL', server: onPostgres, body: lead, status: 200 }] : []),
    ]
    for (const route of routes) await load(route, 1)
    const loads = new Map<string, Load[]>(routes.map(({ name }) => [name, []]))
    for (let round = 0; round < rounds; round++)
      for (const route of routes) loads.get(route.name)?.push(await load(route, seconds))

    const pick = (name: string, figure: keyof Load) =>
      median((loads.get(name) ?? []).map((load) => load[figure]))
    const bare = pick('no database', 'perSecond')
    return [
      {
        title: `Submit, ${connections} connections, medians of ${rounds} × ${seconds} s in turns`,
        head: ['route', 'leads', 'to no database', 'p50', 'p99', 'each run'],
        rows: routes.map(({ name }) => [
          name,
          formatRate(pick(name, 'perSecond')),
          formatRatio(pick(name, 'perSecond') / bare),
          formatMs(pick(name, 'p50Ms')),
          formatMs(pick(name, 'p99Ms')),
          (loads.get(name) ?? []).map(({ perSecond }) => Math.round(perSecond)).join(' '),
        ]),
      },
    ]
  } finally {
    await sqlite.stop()
    await onPostgres?.stop()
    await postgres?.remove()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function load({ name, server, body, status }: Route, duration: number): Promise<Load> {
  const result = await autocannon({
    url: `${server.url}/functions/v1/submit-to-airtable`,
    method: 'POST',
    headers: { apikey: 'public-anon-key', 'content-type': 'application/json' },
    body: JSON.stringify(body),
    connections,
    duration,
  })
  const answered = result.statusCodeStats?.[`${status}`]?.count ?? 0
  if (result.errors > 0 || answered !== result.requests.total)
    throw new Error(`${name}: not every answer was ${status}`)
  return {
    perSecond: answered / result.duration,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
  }
}
