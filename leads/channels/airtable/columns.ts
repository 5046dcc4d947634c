import { fieldOutputs, pickFields, readField } from '../../field-outputs.ts'
import { type Field, fieldNames, type LeadField, leadFields } from '../../fields.ts'
import type { StoredLead } from '../../lead.ts'
import { explainSource } from '../../source.ts'

type Column = {
  /** As Airtable's meta API names it. */
  type: string
  options?: { choices?: { name: string }[]; [option: string]: unknown }
  /** The types that take our values as they are. */
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

type FieldColumn = (typeof fieldOutputs)[LeadField]['airtable']['column']

const fieldColumns = Object.fromEntries(
  fieldNames.map((name) => {
    const { column, type } = fieldOutputs[name].airtable
    const { choices }: Field = leadFields[name]
    return [column, choices ? select(Object.values(choices)) : text(type)]
  }),
) as Record<FieldColumn, Column>

export const airtableColumns = {
  // Airtable merges on text, number, select and date; only text can hold our ids.
  'Lead ID': { type: 'singleLineText', accepts: ['singleLineText', 'multilineText'] } as Column,
  ...fieldColumns,
  'Received At': dateTime,
  Source: text('singleLineText'),
  Status: select(['New', 'Suspect', 'Called', 'Done', 'Not a lead']),
  'Answered At': dateTime,
  Raw: text('multilineText'),
}

export type ColumnName = keyof typeof airtableColumns
export const columnNames = Object.keys(airtableColumns) as ColumnName[]

/** The cells of a lead's row. The request leaves out undefined ones and empties those with null. */
export type Cells = Partial<Record<ColumnName, string | null | undefined>>

/**
 * Status is not here: the same lead may be sent again after staff have set it, and an upsert
 * overwrites. Raw is always here: whatever someone does to the other columns, it holds the whole lead.
 */
export function makeCells(lead: StoredLead, leftOut: readonly ColumnName[] = []): Cells {
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
  const cells: Cells = {
    'Lead ID': id,
    ...Object.fromEntries(
      fieldNames.map((name) => [
        fieldOutputs[name].airtable.column,
        readField(lead, name) || undefined,
      ]),
    ),
    'Received At': receivedAt,
    Source: source?.name,
    Raw: JSON.stringify(whole, null, 2),
  }
  for (const column of leftOut) delete cells[column]
  return cells
}
