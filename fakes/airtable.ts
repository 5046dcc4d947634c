import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { airtableColumns } from '#leads/channels/airtable/columns.ts'
import {
  answerMeta,
  answerRecords,
  type Body,
  type Columns,
  createTable,
  type FakeRecord,
  findTable,
  Refusal,
  refuse,
  refuseModel,
  refusePath,
} from './airtable-base.ts'
import {
  answerHtml,
  type Call,
  type HttpFault,
  type HttpHandler,
  type Reply,
  startHttpFake,
} from './http.ts'
import { createRandom, pickOne } from './random.ts'

/**
 * A fake Airtable for tests and the demo. It has the parts of the Web API that the product uses, with Airtable's
 * limits, error bodies, and failures. Airtable does not document the error for an upsert with several matches, so the
 * error body here is a guess, and the product must not depend on it.
 */

/** How one request fails. */
type Fault =
  | HttpFault
  | { kind: 'error'; status: number; type: string }
  /** Returns 200 without doing anything. */
  | { kind: 'lie' }

export type FakeOptions = {
  /** If this is empty, the base has no table. */
  columns?: Columns
  scopes?: readonly string[]
  /** True if the token's user may add options to a select. */
  mayAddChoices?: boolean
  requestsPerWindow?: number
  now?: () => number
}

export type FakeAirtable = Awaited<ReturnType<typeof startFakeAirtable>>

export const allScopes = [
  'data.records:read',
  'data.records:write',
  'schema.bases:read',
  'schema.bases:write',
] as const

export const leadColumns: Columns = {
  ...Object.fromEntries(
    Object.entries(airtableColumns).map(([name, { type, options }]) => [
      name,
      options?.choices ? { choices: options.choices.map((choice) => choice.name) } : type,
    ]),
  ),
  // Omit some of the product's choices, because an owner's table may lack them.
  Status: { choices: ['New', 'Called', 'Done'] },
}

// This page shows the rows in a browser. It fetches /records.json every second.
const livePage = readFileSync(join(import.meta.dirname, 'airtable.html'), 'utf8')

const token = 'patFake.secret'
const baseId = 'appFakeBase000001'
const tableName = 'Leads'
const windowMs = 1000
const lockOutMs = 30_000

export function createFakeAirtable({
  columns = leadColumns,
  scopes = allScopes,
  mayAddChoices = true,
  requestsPerWindow = 5,
  now = Date.now,
}: FakeOptions = {}) {
  const tables = Object.keys(columns).length > 0 ? [createTable(tableName, columns)] : []
  const requests: { at: number; status: number }[] = []
  const settings = {
    scopes: new Set<string>(scopes),
    chooseFault: (_request: { method: string }): Fault | undefined => undefined,
  }
  let lockedUntil = 0

  function countAgainstRateLimit() {
    const at = now()
    const recent = requests.filter((request) => request.at > at - windowMs)
    if (at >= lockedUntil && recent.length <= requestsPerWindow) return
    lockedUntil = at + lockOutMs
    refuse(429, 'RATE_LIMIT_REACHED', 'Rate limit exceeded. Please try again later')
  }

  function needScope(scope: string) {
    if (!settings.scopes.has(scope)) refuseModel()
  }

  function answerApi({ method, url, headers, text }: Call) {
    const { authorization } = headers
    if (!authorization) refuse(401, 'AUTHENTICATION_REQUIRED', 'Authentication required')
    if (authorization !== `Bearer ${token}`)
      refuse(401, 'UNAUTHORIZED', 'Invalid authentication token')
    const body: Body = text ? JSON.parse(text) : {}
    const parts = url.pathname.split('/').slice(2).map(decodeURIComponent)
    const access = method === 'GET' ? 'read' : 'write'
    if (parts[0] === 'meta') {
      if (parts[1] === 'whoami') return { id: 'usrFake0000000001' }
      if (parts[1] !== 'bases' || parts[3] !== 'tables') refusePath()
      if (parts[2] !== baseId) refuseModel()
      needScope(`schema.bases:${access}`)
      return answerMeta(tables, method, parts.slice(4), body)
    }
    if (parts[0] !== baseId) refuseModel()
    const table = findTable(tables, parts[1] ?? '')
    needScope(`data.records:${access}`)
    return answerRecords(table, method, url.searchParams, body, { now, mayAddChoices })
  }

  function showInBrowser({ url }: Call): Reply {
    if (url.pathname === '/records.json')
      return { status: 200, body: tables[0] ?? { fields: [], records: [] } }
    if (url.pathname === '/')
      return { status: 200, type: 'text/html; charset=utf-8', body: livePage }
    return { status: 404, body: 'Not found' }
  }

  const handler: HttpHandler<Fault> = {
    chooseFault: (call) => settings.chooseFault(call),
    answer(call, fault) {
      if (!call.url.pathname.startsWith('/v0/')) return showInBrowser(call)
      const request = { at: now(), status: 200 }
      requests.push(request)
      try {
        countAgainstRateLimit()
        if (fault?.kind === 'html') return answerHtml(fault.status)
        if (fault?.kind === 'error') refuse(fault.status, fault.type, 'Something went wrong')
        return { status: 200, body: fault?.kind === 'lie' ? { records: [] } : answerApi(call) }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        request.status = error.status
        // The lockout applies even if a gateway's page hides the 429.
        return fault?.kind === 'html' ? answerHtml(fault.status) : error
      }
    },
  }

  return {
    handler,
    /** Settings that make the product use this fake. */
    makeEnv: (url: string) => ({
      AIRTABLE_TOKEN: token,
      AIRTABLE_BASE_ID: baseId,
      AIRTABLE_TABLE: tableName,
      AIRTABLE_API_URL: url,
    }),
    tables,
    requests,
    settings,
    /** The highest number of requests in one rate-limit window. */
    busiestWindow: () =>
      Math.max(
        0,
        ...requests.map(
          ({ at }) => requests.filter((other) => other.at >= at && other.at < at + windowMs).length,
        ),
      ),
  }
}

export async function startFakeAirtable(options?: FakeOptions) {
  const fake = createFakeAirtable(options)
  const server = await startHttpFake(fake.handler)
  return {
    ...fake,
    ...server,
    airtable: { token, baseId, table: tableName, apiUrl: server.url },
    env: fake.makeEnv(server.url),
    /** The current rows of the first table. */
    get records(): FakeRecord[] {
      return fake.tables[0]?.records ?? []
    },
  }
}

/** Fails this share of requests at random. The same seed fails the same requests. */
export function chooseFaultsBySeed(seed: number, share: number): () => Fault | undefined {
  const kinds: Fault[] = [
    { kind: 'error', status: 503, type: 'SERVICE_UNAVAILABLE' },
    { kind: 'html', status: 502 },
    { kind: 'refuse' },
    { kind: 'lose-answer' },
    { kind: 'cut-answer' },
    { kind: 'lie' },
  ]
  const random = createRandom(seed)
  return () => (random() < share ? pickOne(kinds, random) : undefined)
}
