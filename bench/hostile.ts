import { mkdtempDisposableSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { type Field, fieldNames, leadFields } from '#leads/fields.ts'
import type { Database } from '#leads/store/tables.ts'
import { type DatabaseLocation, openDatabase } from '#server/database.ts'
import { createTestApp, otherOrigin, ownOrigin } from '#testing/app.ts'
import { startPostgres } from '#testing/postgres.ts'
import { listLeads } from '#testing/saved-leads.ts'
import { type HostileRequest, hostileRequest } from './hostile-requests.ts'
import * as report from './report.ts'

const rounds = 5

/** Sends requests that no browser would send, and checks every response. */
export async function benchHostile({ requests, seed }: report.Options): Promise<report.Report[]> {
  using dir = mkdtempDisposableSync(join(tmpdir(), 'hostile-'))
  await using postgres = await startPostgres()
  const location = { dataDir: dir.path }
  const each = Math.ceil(requests / rounds)
  const results = {
    SQLite: await tryFunction(location, each, seed),
    PostgreSQL: await tryFunction({ ...location, databaseUrl: postgres.url }, each, seed),
  }
  return [
    {
      title: `Hostile requests, seed ${seed}`,
      head: ['', 'requests', 'memory after each fifth', 'responses by status'],
      rows: Object.entries(results).map(([name, { sent, memory, statuses }]) => [
        name,
        sent,
        memory.map(report.formatMegabytes).join(', '),
        report.formatCounts(statuses),
      ]),
      failures: Object.values(results).flatMap(({ memory, failures }) => [
        ...failures,
        report.findGrowth(memory),
      ]),
    },
  ]
}

async function tryFunction(location: DatabaseLocation, each: number, seed: number) {
  const db = await openDatabase(location)
  const { tryRequests, statuses } = createHostileTarget(db)
  const memory: number[] = []
  const failures = new Set<string>()
  for (let round = 0; round < rounds && failures.size === 0; round++) {
    const failure = await tryRequests(each, seed + round)
    if (failure) failures.add(failure)
    memory.push(readHeapBytes())
  }
  await db.close()
  return { sent: each * rounds, memory, statuses, failures }
}

function readHeapBytes(): number {
  // Collect garbage first, so that it is not counted.
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

/** Creates the app on this database. `tryRequests` checks its responses to random requests. */
export function createHostileTarget(db: Database) {
  let at = Date.parse('2026-11-15T12:00:00Z')
  const { app, log } = createTestApp(db, {
    planDelivery: async () => ({ recipients: ['airtable', 'email', 'webhook'], stepAt: at }),
    env: { rateLimitPerMinute: 0 },
    now: () => at++,
    readClientAddress: (c) => c.req.header('x-forwarded-for') ?? '203.0.113.7',
    mayShareAddress: () => false,
  })
  const prototypeNames = Object.getOwnPropertyNames(Object.prototype).join()
  const statuses = new Map<number, number>()

  /** Returns the smallest request found with a wrong response, or undefined if there is none. */
  async function tryRequests(numRuns: number, seed: number): Promise<string | undefined> {
    let failure: string | undefined
    const property = fc.asyncProperty(hostileRequest, async (request) => {
      const found = await findFailure(request)
      const body = Buffer.from(request.body).toString('latin1').slice(0, 500)
      if (found) failure = `${found}\n${JSON.stringify({ ...request, body })}`
      return found === undefined
    })
    const { failed, numRuns: runs } = await fc.check(property, { numRuns, seed })
    return failed ? `request ${runs} of seed ${seed}: ${failure}` : undefined
  }

  async function findFailure(request: HostileRequest): Promise<string | undefined> {
    const { path, method, headers, body } = request
    const hasBody = !['GET', 'HEAD'].includes(method)
    const init = { method, headers, ...(hasBody && { body }) }
    const response = await app.request(`http://roofing.example${path}`, init)
    const text = await response.text()
    const { status } = response
    report.countOne(statuses, status)
    const errors = readErrors()
    if (status >= 500) return `returned ${status}: ${text} ${errors}`
    if (errors) return `logged: ${errors}`
    if (/node_modules|\.ts:\d|\bat \w+ \(/.test(text)) return `exposes internals: ${text}`
    if (Object.getOwnPropertyNames(Object.prototype).join() !== prototypeNames)
      return 'changed Object.prototype'
    const allowed = response.headers.get('access-control-allow-origin')
    if (allowed && ![ownOrigin, otherOrigin].includes(allowed) && !isSameHost(allowed, request))
      return `allowed the origin ${allowed}`
    const location = response.headers.get('location')
    if (location && !/^(https:\/\/(roofing|cdn)\.example)?\/(#estimate-\w+)?$/.test(location))
      return `redirects to ${location}`
    const isJson = response.headers.get('content-type')?.includes('json')
    if (status >= 400 && method !== 'HEAD' && isJson) {
      const { error } = JSON.parse(text)
      if (typeof error?.code !== 'string' || typeof error.message !== 'string')
        return `rejects without a reason: ${text}`
    }
    if (text === '{"ok":true}' && status === 200) return findStoredFailure()
    return undefined
  }

  function readErrors(): string {
    const errors = log.entries.splice(0).filter(({ level, fields }) => {
      const { fault } = fields as { fault?: string }
      // The app logs wrong keys and forms from other origins on purpose.
      return level === 'error' && fault !== 'public key' && fault !== 'form origin'
    })
    return errors.map(({ message, fields }) => `${message} ${JSON.stringify(fields)}`).join()
  }

  async function findStoredFailure(): Promise<string | undefined> {
    const [stored] = await listLeads(db, { limit: 1 })
    if (!stored) return 'acknowledged a lead without storing it'
    for (const name of fieldNames) {
      const value = stored[name]
      const field: Field = leadFields[name]
      const limit = field.choices ? 100 : field.maxLength
      if (field.required && !value) return `stored no ${name}`
      if (value !== value.trim() || /[\p{Cc}\p{Cs}]/u.test(value) || value.length > limit)
        return `stored ${JSON.stringify(value)}`
    }
    return undefined
  }

  return { tryRequests, statuses }
}

// A page may always call its own host. This is safe, because browsers set the Origin and Host headers themselves.
const isSameHost = (origin: string, { headers: { host } }: HostileRequest) =>
  new URL(origin).host === (host ?? new URL(ownOrigin).host)
