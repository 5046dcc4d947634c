/** The tables of a fake base, with the parts of Airtable's Web API that read and change columns and rows. */

type Field = {
  id: string
  name: string
  type: string
  options?: { choices?: { name: string }[]; [option: string]: unknown }
}

export type FakeRecord = { id: string; createdTime: string; fields: Record<string, unknown> }

type Table = { id: string; name: string; fields: Field[]; records: FakeRecord[] }

/** The types of a table's columns by name. */
export type Columns = Record<string, string | { choices: readonly string[] }>

export type Body = {
  records?: { id?: string; fields?: Record<string, unknown> }[]
  fields?: unknown
  performUpsert?: { fieldsToMergeOn?: string[] }
  typecast?: boolean
  name?: string
  type?: string
  options?: Field['options']
}

export class Refusal extends Error {
  readonly status: number
  readonly body: unknown
  constructor(status: number, body: unknown) {
    super(`Airtable returned ${status}`)
    this.status = status
    this.body = body
  }
}

export const refuse = (status: number, type: string, message: string): never => {
  throw new Refusal(status, { error: { type, message } })
}
export const refuseModel = () =>
  refuse(
    403,
    'INVALID_PERMISSIONS_OR_MODEL_NOT_FOUND',
    'Invalid permissions, or the requested model was not found. Check that both your user and your token have the required permissions, and that the model names and/or ids are correct.',
  )
const refuseRequest = (message: string) => refuse(422, 'INVALID_REQUEST_UNKNOWN', message)
export const refusePath = (): never => {
  throw new Refusal(404, { error: 'NOT_FOUND' })
}

let lastId = 0
const makeId = (prefix: string) => `${prefix}${String(++lastId).padStart(14, '0')}`

export function createTable(name: string, columns: Columns): Table {
  const fields = Object.entries(columns).map(([name, column]) => {
    const id = makeId('fld')
    if (typeof column === 'string') return { id, name, type: column }
    const choices = column.choices.map((choice) => ({ name: choice }))
    return { id, name, type: 'singleSelect' as const, options: { choices } }
  })
  return { id: makeId('tbl'), name, fields, records: [] }
}

export const findTable = (tables: Table[], idOrName: string): Table =>
  tables.find(({ id, name }) => id === idOrName || name === idOrName) ?? refuseModel()

const findField = ({ fields }: Table, idOrName: string): Field =>
  fields.find(({ id, name }) => id === idOrName || name === idOrName) ??
  refuse(422, 'UNKNOWN_FIELD_NAME', `Unknown field name: "${idOrName}"`)

/** Handles requests to /v0/meta/bases/{base}/tables. */
export function answerMeta(
  tables: Table[],
  method: string,
  [tableId, last]: (string | undefined)[],
  body: Body,
) {
  if (method === 'GET') return { tables: tables.map(showTable) }
  if (method === 'POST' && !tableId) {
    if (!body.name || !Array.isArray(body.fields)) refuseRequest('A table needs a name and fields')
    if (tables.some(({ name }) => name === body.name))
      refuse(422, 'DUPLICATE_TABLE_NAME', 'A table with this name already exists')
    const table = createTable(body.name ?? '', {})
    table.fields = (body.fields as Body[]).map(readField)
    tables.push(table)
    return showTable(table)
  }
  if (method === 'POST' && last === 'fields') {
    const { fields } = findTable(tables, tableId ?? '')
    if (fields.some(({ name }) => name === body.name))
      refuse(422, 'DUPLICATE_OR_EMPTY_FIELD_NAME', 'A field with this name already exists')
    const field = readField(body)
    fields.push(field)
    return field
  }
  return refusePath()
}

const showTable = ({ id, name, fields }: Table) => ({
  id,
  name,
  primaryFieldId: fields[0]?.id,
  fields,
  views: [],
})

function readField({ name, type, options }: Body): Field {
  if (!name || !type) return refuseRequest('A field needs a name and a type')
  if (type === 'singleSelect' && !options?.choices)
    refuse(422, 'INVALID_FIELD_TYPE_OPTIONS_FOR_CREATE', 'A select needs choices')
  if (type === 'dateTime' && !(options?.dateFormat && options.timeFormat))
    refuse(
      422,
      'INVALID_FIELD_TYPE_OPTIONS_FOR_CREATE',
      'A dateTime needs a date format and a time format',
    )
  return { id: makeId('fld'), name, type, ...(options && { options }) }
}

type Rules = { now: () => number; mayAddChoices: boolean }

export function answerRecords(
  table: Table,
  method: string,
  query: URLSearchParams,
  body: Body,
  rules: Rules,
) {
  if (method === 'GET') return listRecords(table, query)
  if (method === 'DELETE') return deleteRecords(table, query.getAll('records[]'))
  if (method === 'PATCH') return upsertRecords(table, body, rules)
  return refusePath()
}

/** Checks every record before writing any, because Airtable writes all records or none. */
function upsertRecords(table: Table, body: Body, rules: Rules) {
  const { records, performUpsert, typecast = false } = body
  if (!Array.isArray(records) || records.length === 0 || records.length > 10)
    return refuse(
      422,
      'INVALID_RECORDS',
      'You must provide an array of up to 10 record objects, each with an "id" ID field and a "fields" object for cell values.',
    )
  const mergeOn = performUpsert?.fieldsToMergeOn
  if (performUpsert && (!mergeOn?.length || mergeOn.length > 3))
    refuseRequest('fieldsToMergeOn takes one to three fields')

  const plans = records.map(({ id, fields }) => {
    if (!fields || typeof fields !== 'object') return refuseRequest('fields must be an object')
    const cells = Object.entries(fields).map(([name, value]): [string, unknown] => {
      const field = findField(table, name)
      return [field.name, readCell(field, value, typecast, rules)]
    })
    if (id) {
      const record = table.records.find((record) => record.id === id)
      return record
        ? { cells, record }
        : refuse(422, 'ROW_DOES_NOT_EXIST', `Record ID ${id} does not exist in this table`)
    }
    if (!mergeOn) return refuse(422, 'INVALID_RECORDS', 'Each record needs an "id".')
    for (const name of mergeOn) findField(table, name)
    const key = Object.fromEntries(cells)
    const matches = table.records.filter((record) =>
      mergeOn.every((name) => key[name] !== undefined && record.fields[name] === key[name]),
    )
    if (matches.length > 1) refuseRequest('More than one record matches a record to upsert')
    return { cells, record: matches[0] }
  })

  const written = plans.map(({ cells, record: found }) => {
    const createdTime = new Date(rules.now()).toISOString()
    const record: FakeRecord = found ?? { id: makeId('rec'), createdTime, fields: {} }
    if (!found) table.records.push(record)
    for (const [name, value] of cells) {
      if (value === undefined) delete record.fields[name]
      else record.fields[name] = value
    }
    return record
  })
  return { records: written }
}

function readCell(field: Field, value: unknown, typecast: boolean, rules: Rules): unknown {
  if (value === null || value === '') return undefined
  const refuseValue = (why = 'cannot accept the provided value') =>
    refuse(422, 'INVALID_VALUE_FOR_COLUMN', `Field "${field.name}" ${why}`)
  switch (field.type) {
    case 'formula':
      return refuseValue('cannot accept a value because the field is computed')
    case 'currency':
    case 'number': {
      if (typeof value === 'number') return value
      if (!typecast) return refuseValue()
      // Airtable documents typecast as best effort, so drop values that are not numbers.
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
      if (!typecast || !rules.mayAddChoices)
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

function listRecords(table: Table, query: URLSearchParams) {
  const formula = query.get('filterByFormula')
  let found = table.records
  if (formula) {
    const refuseFormula = (why: string) =>
      refuse(
        422,
        'INVALID_FILTER_BY_FORMULA',
        `The formula for filtering records is invalid: ${why}`,
      )
    const term = /\{([^}]+)\}\s*=\s*'([^']*)'/g
    const terms = [...formula.matchAll(term)]
    if (terms.length === 0 || !/^(OR\([\s,]*\))?$/.test(formula.replace(term, '').trim()))
      refuseFormula('Invalid formula. Please check your formula text.')
    for (const [, name] of terms)
      if (!table.fields.some((field) => field.name === name))
        refuseFormula(`Unknown field names: ${name?.toLowerCase()}`)
    found = found.filter(({ fields }) =>
      terms.some(([, name, value]) => fields[name ?? ''] === value),
    )
  }
  // Airtable returns at most 100 records per page. The product never requests a second page.
  return { records: found.slice(0, Math.min(Number(query.get('maxRecords') ?? 100), 100)) }
}

function deleteRecords(table: Table, ids: string[]) {
  if (ids.length === 0 || ids.length > 10)
    refuse(422, 'INVALID_RECORDS', 'You must provide an array of up to 10 record IDs.')
  const positions = ids.map((id) => table.records.findIndex((record) => record.id === id))
  if (positions.includes(-1)) refuse(404, 'MODEL_ID_NOT_FOUND', 'Record not found')
  for (const position of positions.sort((a, b) => b - a)) table.records.splice(position, 1)
  return { records: ids.map((id) => ({ id, deleted: true })) }
}
