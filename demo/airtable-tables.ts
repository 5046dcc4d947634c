/** The tables of a base, and the part of the Web API that reads and changes their columns. */

type FieldType =
  | 'singleLineText'
  | 'multilineText'
  | 'email'
  | 'phoneNumber'
  | 'number'
  | 'singleSelect'
  | 'dateTime'
  | 'formula'

export type Field = {
  id: string
  name: string
  type: FieldType
  options?: { choices?: { name: string }[]; [option: string]: unknown }
}

export type StandInRecord = { id: string; createdTime: string; fields: Record<string, unknown> }

export type Table = { id: string; name: string; fields: Field[]; records: StandInRecord[] }

/** A table's columns as name → type. */
export type Columns = Record<string, FieldType | { choices: readonly string[] }>

export type Body = {
  records?: { id?: string; fields?: Record<string, unknown> }[]
  fields?: unknown
  performUpsert?: { fieldsToMergeOn?: string[] }
  typecast?: boolean
  name?: string
  type?: FieldType
  options?: Field['options']
}

export class Refusal extends Error {
  readonly status: number
  readonly body: unknown
  constructor(status: number, body: unknown) {
    super(`airtable answers ${status}`)
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
export const refuseRequest = (message: string) => refuse(422, 'INVALID_REQUEST_UNKNOWN', message)
export const refusePath = (): never => {
  throw new Refusal(404, { error: 'NOT_FOUND' })
}

let lastId = 0
export const makeId = (prefix: string) => `${prefix}${String(++lastId).padStart(14, '0')}`

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

export const findField = ({ fields }: Table, idOrName: string): Field =>
  fields.find(({ id, name }) => id === idOrName || name === idOrName) ??
  refuse(422, 'UNKNOWN_FIELD_NAME', `Unknown field name: "${idOrName}"`)

/** What stands under /v0/meta/bases/{base}/tables. */
export function answerMeta(
  tables: Table[],
  method: string,
  [tableId, last]: (string | undefined)[],
  body: Body,
) {
  if (method === 'GET') return { tables: tables.map(showTable) }
  if (method === 'POST' && !tableId) {
    if (!body.name || !Array.isArray(body.fields)) refuseRequest('A table needs name and fields')
    if (tables.some(({ name }) => name === body.name))
      refuse(422, 'DUPLICATE_TABLE_NAME', 'A table with this name exists')
    const table = createTable(body.name ?? '', {})
    table.fields = (body.fields as Body[]).map(readField)
    tables.push(table)
    return showTable(table)
  }
  if (method === 'POST' && last === 'fields') {
    const { fields } = findTable(tables, tableId ?? '')
    if (fields.some(({ name }) => name === body.name))
      refuse(422, 'DUPLICATE_OR_EMPTY_FIELD_NAME', 'A field with this name exists')
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
    refuse(422, 'INVALID_FIELD_TYPE_OPTIONS_FOR_CREATE', 'A dateTime needs its formats')
  return { id: makeId('fld'), name, type, ...(options && { options }) }
}
