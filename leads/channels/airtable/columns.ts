import { type FieldOutputs, fieldOutputs, pickFields, readField } from '../../field-outputs.ts'
import { type Field, fieldNames, type LeadField, leadFields } from '../../fields.ts'
import type { StoredLead } from '../../lead.ts'
import { explainSource } from '../../source.ts'

type Column = {
  /** The name in Airtable's meta API. */
  type: string
  options?: { choices?: { name: string }[]; [option: string]: unknown }
  /** Column types that can store our values. */
  accepts: readonly string[]
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
  Status: select(['New', 'Possible spam', 'Called', 'Done', 'Not a lead']),
  'Called At': dateTime,
  Raw: text('multilineText'),
}

export type ColumnName = keyof typeof airtableColumns
export const columnNames = Object.keys(airtableColumns) as ColumnName[]

/** Undefined cells are not sent; null clears a cell. */
export type Cells = Partial<Record<ColumnName, string | null | undefined>>

/**
 * Status is left out, because a retry must not overwrite the Status that staff set. Raw has the whole
 * lead, in case someone changes or deletes other columns.
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
