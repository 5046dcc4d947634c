import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * Airtable on this machine, for tests and the demo: the parts of its Web API that leads touch, with
 * its limits, its error bodies and its bad days. Where the documentation is silent (the body of the
 * several-matches refusal) the answer is our guess, and the sender must not lean on it.
 */

export type FieldType =
  | 'singleLineText'
  | 'multilineText'
  | 'email'
  | 'phoneNumber'
  | 'number'
  | 'singleSelect'
  | 'dateTime'
  | 'formula'

export type StandInField = {
  id: string
  name: string
  type: FieldType
  options?: { choices?: { name: string }[]; [option: string]: unknown }
}

export type StandInRecord = { id: string; createdTime: string; fields: Record<string, unknown> }

export type StandInTable = {
  id: string
  name: string
  fields: StandInField[]
  records: StandInRecord[]
}

/** What goes wrong with one request. */
export type Fault =
  | { kind: 'error'; status: number; type: string; message?: string }
  | { kind: 'html'; status: number }
  | { kind: 'slow'; delayMs: number }
  /** Nothing is done and the connection breaks. */
  | { kind: 'refuse' }
  /** Everything is done, but the connection breaks before the answer. */
  | { kind: 'lose-answer' }
  /** Everything is done, and half of the answer arrives. */
  | { kind: 'cut-answer' }
  /** Everything is done, but no answer ever comes. */
  | { kind: 'hang' }
  /** Says 200 and does nothing. */
  | { kind: 'lie' }

export type StandInRequest = {
  at: number
  method: string
  path: string
  status: number
  records: number
}

export type StandInOptions = {
  token?: string
  baseId?: string
  tableName?: string
  /** The table's columns as name → type; none: the base has no table yet. */
  columns?: Record<string, FieldType | { choices: string[] }>
  scopes?: readonly string[]
  /** May this token's user add options to a select, as an editor may not where it is locked? */
  mayAddChoices?: boolean
  monthlyCalls?: number
  requestsPerWindow?: number
  windowMs?: number
  lockOutMs?: number
  now?: () => number
  port?: number
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
} as const satisfies StandInOptions['columns']

class Refusal extends Error {
  readonly status: number
  readonly body: unknown
  constructor(status: number, body: unknown) {
    super(`airtable answers ${status}`)
    this.status = status
    this.body = body
  }
}

const refuse = (status: number, type: string, message: string): never => {
  throw new Refusal(status, { error: { type, message } })
}
const refuseModel = () =>
  refuse(
    403,
    'INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND',
    'Invalid permissions, or the requested model was not found. Check that both your user and your token have the required permissions, and that the model names and/or ids are correct.',
  )
const refuseRequest = (message: string) => refuse(422, 'INVALID_REQUEST_UNKNOWN', message)

type Body = {
  records?: { id?: string; fields?: Record<string, unknown> }[]
  fields?: unknown
  performUpsert?: { fieldsToMergeOn?: string[] }
  typecast?: boolean
  name?: string
  type?: FieldType
  options?: StandInField['options']
}

export async function startAirtableStandIn(options: StandInOptions = {}) {
  const {
    token = 'patStandIn.secret',
    baseId = 'appStandInBase001',
    tableName = 'Leads',
    columns = leadColumns,
    requestsPerWindow = 5,
    windowMs = 1000,
    lockOutMs = 30_000,
    now = Date.now,
  } = options

  let lastId = 0
  const makeId = (prefix: string) => `${prefix}${String(++lastId).padStart(14, '0')}`

  const makeField = (name: string, type: FieldType, fieldOptions?: StandInField['options']) => ({
    id: makeId('fld'),
    name,
    type,
    ...(fieldOptions && { options: fieldOptions }),
  })

  const tables: StandInTable[] = []
  if (Object.keys(columns).length > 0) {
    tables.push({
      id: makeId('tbl'),
      name: tableName,
      fields: Object.entries(columns).map(([name, column]) =>
        typeof column === 'string'
          ? makeField(name, column)
          : makeField(name, 'singleSelect', {
              choices: column.choices.map((choice) => ({ name: choice })),
            }),
      ),
      records: [],
    })
  }

  const requests: StandInRequest[] = []
  const nextFaults: (Fault | undefined)[] = []
  const settings = {
    scopes: new Set<string>(options.scopes ?? allScopes),
    mayAddChoices: options.mayAddChoices ?? true,
    callsLeft: options.monthlyCalls ?? Number.POSITIVE_INFINITY,
    /** Asked for every request that `nextFaults` does not speak of. */
    chooseFault: (_request: { method: string; path: string }): Fault | undefined => undefined,
  }
  let callTimes: number[] = []
  let lockedUntil = 0

  function countAgainstRateLimit() {
    const at = now()
    callTimes = callTimes.filter((time) => time > at - windowMs)
    callTimes.push(at)
    if (at < lockedUntil || callTimes.length > requestsPerWindow) {
      lockedUntil = at + lockOutMs
      refuse(429, 'RATE_LIMIT_REACHED', 'Rate limit exceeded. Please try again later')
    }
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

  const findTable = (idOrName: string): StandInTable =>
    tables.find(({ id, name }) => id === idOrName || name === idOrName) ?? refuseModel()

  function readCell(field: StandInField, value: unknown, typecast: boolean): unknown {
    if (value === null || value === '') return undefined
    const refuseValue = () =>
      refuse(
        422,
        'INVALID_VALUE_FOR_COLUMN',
        `Field "${field.name}" cannot accept the provided value`,
      )
    switch (field.type) {
      case 'formula':
        return refuse(
          422,
          'INVALID_VALUE_FOR_COLUMN',
          `Field "${field.name}" cannot accept a value because the field is computed`,
        )
      case 'number': {
        if (typeof value === 'number') return value
        if (!typecast) return refuseValue()
        // Best effort, as documented: what is no number is dropped without a word.
        const number = Number(value)
        return Number.isFinite(number) ? number : undefined
      }
      case 'dateTime': {
        const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
        if (Number.isNaN(time)) return typecast ? undefined : refuseValue()
        return new Date(time).toISOString()
      }
      case 'singleSelect': {
        if (typeof value !== 'string') return refuseValue()
        field.options ??= {}
        field.options.choices ??= []
        const { choices } = field.options
        if (choices.some(({ name }) => name === value)) return value
        if (!typecast || !settings.mayAddChoices)
          refuse(
            422,
            'INVALID_MULTIPLE_CHOICE_OPTIONS',
            `Insufficient permissions to create new select option "${value}"`,
          )
        choices.push({ name: value })
        return value
      }
      default:
        return typeof value === 'string' ? value : typecast ? String(value) : refuseValue()
    }
  }

  function readCells(table: StandInTable, fields: unknown, typecast: boolean) {
    if (!fields || typeof fields !== 'object') refuseRequest('fields must be an object')
    return Object.entries(fields as object).map(([name, value]): [string, unknown] => {
      const field =
        table.fields.find((one) => one.name === name || one.id === name) ??
        refuse(422, 'UNKNOWN_FIELD_NAME', `Unknown field name: "${name}"`)
      return [field.name, readCell(field, value, typecast)]
    })
  }

  function writeCells(record: StandInRecord, cells: [string, unknown][]) {
    for (const [name, value] of cells) {
      if (value === undefined) delete record.fields[name]
      else record.fields[name] = value
    }
  }

  function createRecord(table: StandInTable, cells: [string, unknown][]) {
    const record = {
      id: makeId('rec'),
      createdTime: new Date(now()).toISOString(),
      fields: {},
    }
    writeCells(record, cells)
    table.records.push(record)
    return record
  }

  /** All or nothing: everything is checked before the first cell is written. */
  function writeRecords(table: StandInTable, body: Body, method: string) {
    const { records, performUpsert, typecast = false } = body
    if (!Array.isArray(records) || records.length === 0 || records.length > 10)
      refuse(
        422,
        'INVALID_RECORDS',
        'You must provide an array of up to 10 record objects, each with an "id" ID field and a "fields" object for cell values.',
      )
    const mergeOn = performUpsert?.fieldsToMergeOn
    if (performUpsert && (!mergeOn?.length || mergeOn.length > 3))
      refuseRequest('fieldsToMergeOn takes one to three fields')

    const plans = (records ?? []).map(({ id, fields }) => {
      const cells = readCells(table, fields, typecast)
      if (id)
        return {
          cells,
          record:
            table.records.find((record) => record.id === id) ??
            refuse(422, 'ROW_DOES_NOT_EXIST', `Record ID ${id} does not exist in this table`),
        }
      if (method === 'POST') return { cells, record: undefined }
      if (!mergeOn) return refuse(422, 'INVALID_RECORDS', 'Each record needs an "id".')
      for (const name of mergeOn)
        if (!table.fields.some((field) => field.name === name || field.id === name))
          refuse(422, 'UNKNOWN_FIELD_NAME', `Unknown field name: "${name}"`)
      const key = Object.fromEntries(cells)
      const matches = table.records.filter((record) =>
        mergeOn.every((name) => key[name] !== undefined && record.fields[name] === key[name]),
      )
      if (matches.length > 1) refuseRequest('Several records match one of the records to upsert')
      return { cells, record: matches[0] }
    })

    const createdRecords: string[] = []
    const updatedRecords: string[] = []
    const written = plans.map(({ cells, record }) => {
      if (record) {
        writeCells(record, cells)
        updatedRecords.push(record.id)
        return record
      }
      const created = createRecord(table, cells)
      createdRecords.push(created.id)
      return created
    })
    return {
      records: structuredClone(written),
      ...(performUpsert && { createdRecords, updatedRecords }),
    }
  }

  function listRecords(table: StandInTable, query: URLSearchParams) {
    const formula = query.get('filterByFormula')
    let found = table.records
    if (formula) {
      const terms = [...formula.matchAll(/\{([^}]+)\}\s*=\s*(?:'([^']*)'|"([^"]*)")/g)]
      const rest = formula.replace(/\{[^}]+\}\s*=\s*(?:'[^']*'|"[^"]*")/g, '').trim()
      if (terms.length === 0 || !/^(OR\([\s,]*\))?$/.test(rest))
        refuse(
          422,
          'INVALID_FILTER_BY_FORMULA',
          'The formula for filtering records is invalid: Invalid formula. Please check your formula text.',
        )
      for (const [, name] of terms)
        if (!table.fields.some((field) => field.name === name))
          refuse(
            422,
            'INVALID_FILTER_BY_FORMULA',
            `The formula for filtering records is invalid: Unknown field names: ${name?.toLowerCase()}`,
          )
      found = found.filter(({ fields }) =>
        terms.some(([, name, single, double]) => fields[name ?? ''] === (single ?? double)),
      )
    }
    const start = Number(query.get('offset')?.split('/')[1] ?? 0)
    const pageSize = Math.min(Number(query.get('pageSize') ?? 100), 100)
    const end = Math.min(Number(query.get('maxRecords') ?? Number.POSITIVE_INFINITY), found.length)
    const next = start + pageSize
    return {
      records: structuredClone(found.slice(start, Math.min(next, end))),
      ...(next < end && { offset: `itr/${next}` }),
    }
  }

  function deleteRecords(table: StandInTable, ids: string[]) {
    if (ids.length === 0 || ids.length > 10)
      refuse(422, 'INVALID_RECORDS', 'You must provide an array of up to 10 record IDs.')
    for (const id of ids)
      if (!table.records.some((record) => record.id === id))
        refuse(404, 'MODEL_ID_NOT_FOUND', 'Record not found')
    for (const id of ids)
      table.records.splice(
        table.records.findIndex((record) => record.id === id),
        1,
      )
    return ids.map((id) => ({ id, deleted: true }))
  }

  const showTable = ({ id, name, fields }: StandInTable) =>
    structuredClone({ id, name, primaryFieldId: fields[0]?.id, fields, views: [] })

  function readField({ name, type, options: fieldOptions }: Body) {
    if (!name || !type) return refuseRequest('A field needs a name and a type')
    if (type === 'singleSelect' && !fieldOptions?.choices)
      refuse(422, 'INVALID_FIELD_TYPE_OPTIONS_FOR_CREATE', 'A select needs choices')
    if (type === 'dateTime' && !(fieldOptions?.dateFormat && fieldOptions.timeFormat))
      refuse(422, 'INVALID_FIELD_TYPE_OPTIONS_FOR_CREATE', 'A dateTime needs its formats')
    return makeField(name, type, fieldOptions)
  }

  function answerMeta(method: string, parts: string[], body: Body) {
    const [what, id, kind, tableId, last] = parts
    if (what === 'whoami' && method === 'GET') return { id: 'usrStandIn0000001' }
    if (what !== 'bases' || kind !== 'tables') throw new Refusal(404, { error: 'NOT_FOUND' })
    if (id !== baseId) refuseModel()
    if (method === 'GET') {
      needScope('schema.bases:read')
      return { tables: tables.map(showTable) }
    }
    needScope('schema.bases:write')
    if (method === 'POST' && !tableId) {
      if (!body.name || !Array.isArray(body.fields)) refuseRequest('A table needs name and fields')
      if (tables.some(({ name }) => name === body.name))
        refuse(422, 'DUPLICATE_TABLE_NAME', 'A table with this name exists')
      const table = {
        id: makeId('tbl'),
        name: body.name ?? '',
        fields: (body.fields as Body[]).map(readField),
        records: [],
      }
      tables.push(table)
      return showTable(table)
    }
    if (method === 'POST' && last === 'fields') {
      const table = findTable(tableId ?? '')
      if (table.fields.some(({ name }) => name === body.name))
        refuse(422, 'DUPLICATE_OR_EMPTY_FIELD_NAME', 'A field with this name exists')
      const field = readField(body)
      table.fields.push(field)
      return structuredClone(field)
    }
    throw new Refusal(404, { error: 'NOT_FOUND' })
  }

  function answerData(method: string, parts: string[], query: URLSearchParams, body: Body) {
    const [base, tableIdOrName = '', recordId] = parts
    if (base !== baseId) refuseModel()
    const table = findTable(tableIdOrName)
    needScope(method === 'GET' ? 'data.records:read' : 'data.records:write')
    if (method === 'GET' && recordId)
      return structuredClone(
        table.records.find(({ id }) => id === recordId) ??
          refuse(404, 'MODEL_ID_NOT_FOUND', 'Record not found'),
      )
    if (method === 'GET') return listRecords(table, query)
    if (method === 'DELETE' && recordId) return deleteRecords(table, [recordId])[0]
    if (method === 'DELETE') return { records: deleteRecords(table, query.getAll('records[]')) }
    if (method === 'PATCH' || method === 'POST') return writeRecords(table, body, method)
    throw new Refusal(404, { error: 'NOT_FOUND' })
  }

  function answerApi(method: string, url: URL, authorization: string | undefined, text: string) {
    const [, ...parts] = url.pathname.slice(1).split('/').map(decodeURIComponent)
    if (!authorization) refuse(401, 'AUTHENTICATION_REQUIRED', 'Authentication required')
    if (authorization !== `Bearer ${token}`)
      refuse(401, 'UNAUTHORIZED', 'Invalid authentication token')
    let body: Body = {}
    try {
      if (text) body = JSON.parse(text)
    } catch {
      refuse(422, 'INVALID_REQUEST_BODY', 'Could not parse request body')
    }
    // Seen in the wild: with the month's calls used up, the schema still answers.
    if (parts[0] === 'meta') return answerMeta(method, parts.slice(1), body)
    countAgainstQuota()
    return answerData(method, parts, url.searchParams, body)
  }

  function answer(request: IncomingMessage, url: URL, text: string, fault: Fault | undefined) {
    try {
      countAgainstRateLimit()
      if (fault?.kind === 'error')
        refuse(fault.status, fault.type, fault.message ?? 'Something went wrong')
      if (fault?.kind === 'lie') return { status: 200, body: { records: [] } }
      const body = answerApi(request.method ?? 'GET', url, request.headers.authorization, text)
      return { status: 200, body }
    } catch (error) {
      if (error instanceof Refusal) return { status: error.status, body: error.body }
      throw error
    }
  }

  async function handle(request: IncomingMessage, response: ServerResponse) {
    const url = new URL(request.url ?? '/', 'http://airtable')
    const method = request.method ?? 'GET'
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk

    if (!url.pathname.startsWith('/v0/')) return showToPeople(url, response)

    const path = url.pathname
    const fault =
      nextFaults.length > 0 ? nextFaults.shift() : settings.chooseFault({ method, path })
    const entry: StandInRequest = { at: now(), method, path, status: 0, records: 0 }
    entry.records = /"records":\[/.test(text) ? (text.match(/"fields":/g)?.length ?? 0) : 0
    requests.push(entry)

    if (fault?.kind === 'refuse') return request.socket.destroy()
    if (fault?.kind === 'html') {
      countTowardsLimitQuietly()
      entry.status = fault.status
      response.writeHead(fault.status, { 'content-type': 'text/html' })
      return response.end(`<html><body><h1>${fault.status} Bad Gateway</h1></body></html>`)
    }
    const { status, body } = answer(request, url, text, fault)
    entry.status = status
    if (fault?.kind === 'lose-answer') return request.socket.destroy()
    if (fault?.kind === 'hang') return
    if (fault?.kind === 'slow')
      await new Promise((resolve) => setTimeout(resolve, fault.delayMs).unref())

    const json = JSON.stringify(body)
    response.writeHead(status, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(json),
    })
    if (fault?.kind === 'cut-answer') {
      response.write(json.slice(0, json.length / 2), () => request.socket.destroy())
      return
    }
    response.end(json)
  }

  function countTowardsLimitQuietly() {
    try {
      countAgainstRateLimit()
    } catch {
      // The gateway's error page hides the 429, but the lock-out holds all the same.
    }
  }

  function showToPeople(url: URL, response: ServerResponse) {
    if (url.pathname === '/records.json') {
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
      return response.end(JSON.stringify(tables[0] ?? { fields: [], records: [] }))
    }
    response.writeHead(url.pathname === '/' ? 200 : 404, {
      'content-type': 'text/html; charset=utf-8',
    })
    response.end(url.pathname === '/' ? livePage : 'Not found')
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })

  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    /** What the product must be set to. */
    airtable: { token, baseId, table: tableName, apiUrl: url },
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
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
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
  let state = seed
  // A linear congruential generator (Numerical Recipes): plain, and good enough to pick faults.
  const roll = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return () => (roll() < share ? kinds[Math.floor(roll() * kinds.length)] : undefined)
}

const livePage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Leads in the stand-in for Airtable</title>
<style>
  body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem; color: #1d2433; background: #f6f7f9 }
  div { overflow-x: auto }
  table { border-collapse: collapse; background: #fff; min-width: 100% }
  th, td { border: 1px solid #d8dce3; padding: .4rem .7rem; text-align: left; white-space: nowrap }
  td { max-width: 9rem; overflow: hidden; text-overflow: ellipsis }
  tr.new td { animation: arrive 3s }
  @keyframes arrive { from { background: #fff3bf } }
</style>
<h1>Leads in the stand-in for Airtable</h1>
<p id="state" role="status">Waiting for the first lead: send the form on the site.</p>
<div><table><thead><tr></tr></thead><tbody></tbody></table></div>
<script>
  const known = new Set()
  let shown = ''
  const cell = (kind, text) => Object.assign(document.createElement(kind), { textContent: text })
  async function refresh() {
    try {
      const text = await (await fetch('/records.json')).text()
      if (text === shown) return
      shown = text
      const { fields, records } = JSON.parse(text)
      const names = fields.map((field) => field.name)
      document.querySelector('thead tr').replaceChildren(...names.map((name) => cell('th', name)))
      document.querySelector('tbody').replaceChildren(...records.toReversed().map((record) => {
        const row = document.createElement('tr')
        row.append(...names.map((name) => cell('td', record.fields[name] ?? '')))
        if (!known.has(record.id)) row.className = 'new'
        return row
      }))
      for (const record of records) known.add(record.id)
      if (records.length > 0)
        document.getElementById('state').textContent = records.length + (records.length === 1 ? ' lead' : ' leads')
    } catch {
      document.getElementById('state').textContent = 'The demo has stopped.'
    }
  }
  refresh()
  setInterval(refresh, 1000)
</script>
</html>
`
