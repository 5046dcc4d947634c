import { type FieldOutputs, fieldOutputs, pickFields, readField } from '../../field-outputs.ts'
import { type Field, fieldNames, type LeadField, leadFields } from '../../fields.ts'
import { events } from '../../history.ts'
import type { StoredLead } from '../../lead.ts'
import { newState } from '../../lead-state.ts'
import { describeSale, lostReasons } from '../../sale.ts'
import { explainSource } from '../../source.ts'
import { statuses, statusKinds } from '../../statuses.ts'

type Column = {
  /** The name of the column's type in Airtable's meta API. */
  type: string
  options?: { choices?: { name: string }[]; [option: string]: unknown }
  /** Column types that can store our values. */
  accepts: readonly string[]
  /** The site works without this column: older bases lack it, and an owner may use its name for something else. */
  isOptional?: true
}

const textTypes = ['singleLineText', 'multilineText', 'richText', 'email', 'phoneNumber', 'url']

const text = (type: string): Column => ({ type, accepts: textTypes })

const select = (choices: readonly string[]): Column => ({
  type: 'singleSelect',
  options: { choices: choices.map((name) => ({ name })) },
  accepts: [...textTypes, 'singleSelect'],
})

const dateTime: Column = {
  type: 'dateTime',
  options: {
    dateFormat: { name: 'iso' },
    timeFormat: { name: '24hour' },
    timeZone: 'client',
  },
  accepts: [...textTypes, 'dateTime', 'date'],
}

const result: Column = { ...text('singleLineText'), isOptional: true }

const dollars: Column = {
  isOptional: true,
  type: 'currency',
  options: { precision: 0, symbol: '$' },
  accepts: [...textTypes, 'currency', 'number'],
}

const possibleSpam = 'Possible spam'
const newStatuses = [statuses.open.airtable, possibleSpam]
const ownStatuses = [
  ...new Set([...newStatuses, ...statusKinds.map((kind) => statuses[kind].airtable)]),
]

const isEmpty = (cell: unknown) => cell === undefined || cell === ''

/** Returns true if Status is neither empty nor one that a new lead gets. The crew or the site may have set it. */
export const isStatusSet = (cell: unknown): boolean =>
  !isEmpty(cell) && !newStatuses.some((status) => status === cell)

/** Returns false for a Status that only the crew uses. The site never overwrites such a Status. */
export const isOwnStatus = (cell: unknown): boolean =>
  isEmpty(cell) || ownStatuses.some((status) => status === cell)

export const chooseStatus = ({
  status,
  suspect,
}: Pick<StoredLead, 'status' | 'suspect'>): string =>
  status === newState.status && suspect ? possibleSpam : statuses[status].airtable

/** Returns the lead’s Result in Airtable. The site never writes just “Won,” because the crew may enter that. */
export function describeResult(lead: StoredLead): string | null {
  const result = describeSale(lead)
  return result === statuses.won.label ? `${result}, no amount` : result
}

const ownDetails = {
  date: 'for \\w{3} \\d{1,2}, \\d{4}',
  amount: '(\\$[\\d,]+|no amount)',
  reason: `(${Object.values(lostReasons).join('|').toLowerCase()})`,
}

/** Returns true if the cell is empty or the site wrote it. An owner may use this column name for something else. */
export const isOwnResult = (cell: unknown): boolean =>
  isEmpty(cell) ||
  Object.values(events).some(
    (event) =>
      event.place === 'sale' &&
      new RegExp(`^${event.button},? ${ownDetails[event.takes]}$`).test(String(cell)),
  )

type FieldColumn = (typeof fieldOutputs)[LeadField]['label']

const fieldColumns = Object.fromEntries(
  fieldNames.map((name) => {
    const { choices, multiline }: Field = leadFields[name]
    const { label, airtableType }: FieldOutputs = fieldOutputs[name]
    const type = airtableType ?? (multiline ? 'multilineText' : 'singleLineText')
    return [label, choices ? select(Object.values(choices)) : text(type)]
  }),
) as Record<FieldColumn, Column>

export const airtableColumns = {
  // Airtable can merge on text, number, select, and date columns; only text can store our IDs.
  'Lead ID': { type: 'singleLineText', accepts: ['singleLineText', 'multilineText'] } as Column,
  ...fieldColumns,
  'Received At': dateTime,
  Source: text('singleLineText'),
  Status: select(ownStatuses),
  'Called At': dateTime,
  Result: result,
  Amount: dollars,
  Raw: text('multilineText'),
}

export type ColumnName = keyof typeof airtableColumns
export const columnNames = Object.keys(airtableColumns) as ColumnName[]
export const requiredColumns = columnNames.filter((name) => !airtableColumns[name].isOptional)
export const choiceColumns = columnNames.filter((name) => airtableColumns[name].options?.choices)

/** Undefined cells are not sent; null clears a cell. */
export type Cells = {
  [Name in ColumnName]?: (Name extends 'Amount' ? number : string) | null | undefined
}

/**
 * Omits Status, because a retry must not overwrite the Status that the crew set. Raw contains the whole lead, in case
 * someone changes or deletes other columns.
 */
export function makeCells(lead: StoredLead): Cells {
  const { id, suspect, consent } = lead
  const receivedAt = new Date(lead.receivedAt).toISOString()
  const source = explainSource(lead.source)
  const whole = {
    id,
    receivedAt,
    deadlineAt: lead.deadlineAt === null ? null : new Date(lead.deadlineAt).toISOString(),
    ...pickFields(lead),
    suspect,
    consent,
    source,
  }
  return {
    'Lead ID': id,
    ...Object.fromEntries(
      fieldNames.map((name) => [fieldOutputs[name].label, readField(lead, name) || undefined]),
    ),
    'Received At': receivedAt,
    Source: source?.name,
    Raw: JSON.stringify(whole, null, 2),
  }
}
