import { livePage } from './airtable-page.ts'
import { answerRecords } from './airtable-records.ts'
import {
  answerMeta,
  type Body,
  type Columns,
  createTable,
  findTable,
  Refusal,
  refuse,
  refuseModel,
  refusePath,
  type StandInRecord,
} from './airtable-tables.ts'
import {
  answerHtml,
  type Call,
  type HttpFault,
  type Reply,
  startHttpStandIn,
} from './http-stand-in.ts'
import { createRandom, pickOne } from './random.ts'

/**
 * Airtable on this machine, for tests and the demo: the parts of its Web API that leads touch, with
 * its limits, its error bodies and its bad days. Where the documentation is silent (the body of the
 * several-matches refusal) the answer is our guess, and the sender must not lean on it.
 */

/** What goes wrong with one request. */
export type Fault =
  | HttpFault
  | { kind: 'error'; status: number; type: string }
  /** Says 200 and does nothing. */
  | { kind: 'lie' }

export type StandInOptions = {
  /** None: the base has no table yet. */
  columns?: Columns
  scopes?: readonly string[]
  /** May this token's user add options to a select, as an editor may not where it is locked? */
  mayAddChoices?: boolean
  monthlyCalls?: number
  requestsPerWindow?: number
  lockOutMs?: number
  now?: () => number
}

export type AirtableStandIn = Awaited<ReturnType<typeof startAirtableStandIn>>

export const allScopes = [
  'data.records:read',
  'data.records:write',
  'schema.bases:read',
  'schema.bases:write',
] as const

export const leadColumns = {
  'Lead ID': 'singleLineText',
  Name: 'singleLineText',
  Email: 'email',
  Phone: 'phoneNumber',
  Address: 'singleLineText',
  Service: {
    choices: [
      'New Roof Installation',
      'Roof Repair',
      'Roof Replacement',
      'Roof Inspection',
      'Emergency Service',
      'Other',
    ],
  },
  'Received At': 'dateTime',
  Source: 'singleLineText',
  Status: { choices: ['New', 'Called', 'Done'] },
  'Answered At': 'dateTime',
  Raw: 'multilineText',
} as const satisfies Columns

const token = 'patStandIn.secret'
const baseId = 'appStandInBase001'
const tableName = 'Leads'
const windowMs = 1000

export async function startAirtableStandIn({
  columns = leadColumns,
  scopes = allScopes,
  mayAddChoices = true,
  monthlyCalls = Number.POSITIVE_INFINITY,
  requestsPerWindow = 5,
  lockOutMs = 30_000,
  now = Date.now,
}: StandInOptions = {}) {
  const tables = Object.keys(columns).length > 0 ? [createTable(tableName, columns)] : []
  const requests: { at: number; status: number; records: number }[] = []
  const nextFaults: (Fault | undefined)[] = []
  const settings = {
    scopes: new Set<string>(scopes),
    callsLeft: monthlyCalls,
    /** Asked for every request that `nextFaults` does not speak of. */
    chooseFault: (_request: { method: string }): Fault | undefined => undefined,
  }
  let callTimes: number[] = []
  let lockedUntil = 0

  function countAgainstRateLimit() {
    const at = now()
    callTimes = [...callTimes.filter((time) => time > at - windowMs), at]
    if (at >= lockedUntil && callTimes.length <= requestsPerWindow) return
    lockedUntil = at + lockOutMs
    refuse(429, 'RATE_LIMIT_REACHED', 'Rate limit exceeded. Please try again later')
  }

  function countAgainstQuota() {
    if (settings.callsLeft <= 0)
      refuse(
        429,
        'PUBLIC_API_BILLING_LIMIT_EXCEEDED',
        'API billing plan limit exceeded. You have reached the maximum number of requests allowed for this month.',
      )
    settings.callsLeft -= 1
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
    // Seen in the wild: with the month's calls used up, the schema still answers.
    if (parts[0] === 'meta') {
      if (parts[1] === 'whoami') return { id: 'usrStandIn0000001' }
      if (parts[1] !== 'bases' || parts[3] !== 'tables') refusePath()
      if (parts[2] !== baseId) refuseModel()
      needScope(`schema.bases:${access}`)
      return answerMeta(tables, method, parts.slice(4), body)
    }
    countAgainstQuota()
    if (parts[0] !== baseId) refuseModel()
    const table = findTable(tables, parts[1] ?? '')
    needScope(`data.records:${access}`)
    return answerRecords(table, method, url.searchParams, body, { now, mayAddChoices })
  }

  function answer(call: Call, fault: Fault | undefined): Reply {
    try {
      countAgainstRateLimit()
      if (fault?.kind === 'html') return answerHtml(fault.status)
      if (fault?.kind === 'error') refuse(fault.status, fault.type, 'Something went wrong')
      if (fault?.kind === 'lie') return { status: 200, body: { records: [] } }
      return { status: 200, body: answerApi(call) }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      // The gateway's page hides the 429, but the lock-out holds all the same.
      return fault?.kind === 'html' ? answerHtml(fault.status) : error
    }
  }

  const isForPeople = ({ url }: Call) => !url.pathname.startsWith('/v0/')

  function showToPeople({ url }: Call): Reply {
    if (url.pathname === '/records.json')
      return { status: 200, body: tables[0] ?? { fields: [], records: [] } }
    if (url.pathname === '/')
      return { status: 200, type: 'text/html; charset=utf-8', body: livePage }
    return { status: 404, body: 'Not found' }
  }

  const server = await startHttpStandIn<Fault>({
    chooseFault(call) {
      if (isForPeople(call)) return undefined
      requests.push({ at: now(), status: 0, records: call.text.match(/"fields":/g)?.length ?? 0 })
      return nextFaults.length > 0 ? nextFaults.shift() : settings.chooseFault(call)
    },
    answer(call, fault) {
      if (isForPeople(call)) return showToPeople(call)
      const entry = requests.at(-1)
      const reply = answer(call, fault)
      if (entry) entry.status = reply.status
      return reply
    },
  })

  return {
    ...server,
    /** What the product must be set to. */
    airtable: { token, baseId, table: tableName, apiUrl: server.url },
    env: {
      AIRTABLE_TOKEN: token,
      AIRTABLE_BASE_ID: baseId,
      AIRTABLE_TABLE: tableName,
      AIRTABLE_API_URL: server.url,
    },
    token,
    baseId,
    tableName,
    tables,
    /** The rows of the first table, live. */
    get records(): StandInRecord[] {
      return tables[0]?.records ?? []
    },
    requests,
    nextFaults,
    settings,
    /** The most requests that fell into any stretch of the limit's length. */
    busiestWindow: () =>
      Math.max(
        0,
        ...requests.map(
          ({ at }) => requests.filter((other) => other.at >= at && other.at < at + windowMs).length,
        ),
      ),
  }
}

/** The same seed gives the same bad day; `share` of all requests go wrong. */
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
