import { type StoredLead, serviceTypes } from '../lead.ts'
import { explainSource } from '../source.ts'

type Column = {
  /** In the words of Airtable's meta API, as set-up makes it. */
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

export const columns = {
  // Airtable merges on text, number, select and date; only text can hold our ids.
  'Lead ID': { type: 'singleLineText', accepts: ['singleLineText', 'multilineText'] } as Column,
  Name: text('singleLineText'),
  Email: text('email'),
  Phone: text('phoneNumber'),
  Address: text('singleLineText'),
  Service: select(Object.values(serviceTypes)),
  'Received At': dateTime,
  Source: text('singleLineText'),
  Status: select(['New', 'Suspect', 'Called', 'Done', 'Not a lead']),
  'Answered At': dateTime,
  Raw: text('multilineText'),
}

export type ColumnName = keyof typeof columns
export const columnNames = Object.keys(columns) as ColumnName[]

/** What a lead's row holds; a column whose value is undefined is left out of the request. */
type Cells = Partial<Record<ColumnName, string | undefined>>

/**
 * Status is not here: the same lead may be sent again after staff have set it, and an upsert
 * overwrites. Raw is always here: whatever someone does to the other columns, it holds the whole lead.
 */
export function makeCells(lead: StoredLead, leftOut: readonly ColumnName[] = []): Cells {
  const { id, name, email, phone, address, serviceType, suspect, consent } = lead
  const receivedAt = new Date(lead.receivedAt).toISOString()
  const source = explainSource(lead.source)
  const whole = {
    id,
    receivedAt,
    name,
    email,
    phone,
    address,
    serviceType,
    suspect,
    consent,
    source,
  }
  const cells: Cells = {
    'Lead ID': id,
    Name: name,
    Email: email,
    Phone: phone,
    Address: address,
    Service: serviceType ? serviceTypes[serviceType] : undefined,
    'Received At': receivedAt,
    Source: source?.name,
    Raw: JSON.stringify(whole, null, 2),
  }
  for (const column of leftOut) delete cells[column]
  return cells
}
