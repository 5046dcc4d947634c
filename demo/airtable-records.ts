import {
  type Body,
  type Field,
  findField,
  makeId,
  refuse,
  refusePath,
  refuseRequest,
  type StandInRecord,
  type Table,
} from './airtable-tables.ts'

/** The part of Airtable's Web API that reads, writes and deletes rows. */

export type Rules = { now: () => number; mayAddChoices: boolean }

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

/** All or nothing: everything is checked before the first cell is written. */
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
    if (matches.length > 1) refuseRequest('Several records match one of the records to upsert')
    return { cells, record: matches[0] }
  })

  const createdRecords: string[] = []
  const updatedRecords: string[] = []
  const written = plans.map(({ cells, record: found }) => {
    const createdTime = new Date(rules.now()).toISOString()
    const record: StandInRecord = found ?? { id: makeId('rec'), createdTime, fields: {} }
    if (!found) table.records.push(record)
    ;(found ? updatedRecords : createdRecords).push(record.id)
    for (const [name, value] of cells) {
      if (value === undefined) delete record.fields[name]
      else record.fields[name] = value
    }
    return record
  })
  return { records: written, ...(performUpsert && { createdRecords, updatedRecords }) }
}

function readCell(field: Field, value: unknown, typecast: boolean, rules: Rules): unknown {
  if (value === null || value === '') return undefined
  const refuseValue = (why = 'cannot accept the provided value') =>
    refuse(422, 'INVALID_VALUE_FOR_COLUMN', `Field "${field.name}" ${why}`)
  switch (field.type) {
    case 'formula':
      return refuseValue('cannot accept a value because the field is computed')
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
  // Airtable's pages hold 100 rows; nothing here reads a second one.
  return { records: found.slice(0, Math.min(Number(query.get('maxRecords') ?? 100), 100)) }
}

function deleteRecords(table: Table, ids: string[]) {
  if (ids.length === 0 || ids.length > 10)
    refuse(422, 'INVALID_RECORDS', 'You must provide an array of up to 10 record IDs.')
  const places = ids.map((id) => table.records.findIndex((record) => record.id === id))
  if (places.includes(-1)) refuse(404, 'MODEL_ID_NOT_FOUND', 'Record not found')
  for (const place of places.sort((a, b) => b - a)) table.records.splice(place, 1)
  return { records: ids.map((id) => ({ id, deleted: true })) }
}
