import { type Field, fieldNames, type Lead, type LeadField, leadFields } from './fields.ts'
import { toOneLine } from './safe-text.ts'

type Output = 'alerts' | 'webhook' | 'answerPage' | 'desk' | 'csv'

type FieldOutputs = {
  /** Shown to staff. */
  label: string
  storedColumn: string
  airtable: {
    column: string
    type: 'singleLineText' | 'multilineText' | 'email' | 'phoneNumber' | 'singleSelect'
  }
  shownIn: Readonly<Record<Output, boolean>>
}

const everywhere = { alerts: true, webhook: true, answerPage: true, desk: true, csv: true } as const

/** The order in which staff see the fields, and where. */
export const fieldOutputs = {
  name: {
    label: 'Name',
    storedColumn: 'name',
    airtable: { column: 'Name', type: 'singleLineText' },
    shownIn: everywhere,
  },
  serviceType: {
    label: 'Service',
    storedColumn: 'service_type',
    airtable: { column: 'Service', type: 'singleSelect' },
    shownIn: everywhere,
  },
  phone: {
    label: 'Phone',
    storedColumn: 'phone',
    airtable: { column: 'Phone', type: 'phoneNumber' },
    shownIn: everywhere,
  },
  address: {
    label: 'Address',
    storedColumn: 'address',
    airtable: { column: 'Address', type: 'singleLineText' },
    shownIn: everywhere,
  },
  email: {
    label: 'Email',
    storedColumn: 'email',
    airtable: { column: 'Email', type: 'email' },
    shownIn: { ...everywhere, alerts: false },
  },
} as const satisfies Record<LeadField, FieldOutputs>

const staffOrder = Object.keys(fieldOutputs) as LeadField[]

/** Returns a field's value; for a choice, its label. */
export function readField(lead: Lead, name: LeadField): string {
  const { choices }: Field = leadFields[name]
  return choices?.[lead[name]] ?? lead[name]
}

export type ShownField = { name: LeadField; label: string; text: string }

/** Returns the output's fields that are not empty, as safe text. */
export const listShown = (lead: Lead, output: Output): ShownField[] =>
  staffOrder
    .filter((name) => fieldOutputs[name].shownIn[output] && lead[name] !== '')
    .map((name) => {
      const text = toOneLine(readField(lead, name))
      const { label } = fieldOutputs[name]
      return { name, label, text: name === 'phone' ? readPhone(text).shown : text }
    })

/** Returns the output's fields as the visitor typed them, for other programs. */
export const pickFields = (lead: Lead, output?: Output): Partial<Lead> =>
  Object.fromEntries(
    fieldNames
      .filter((name) => !output || fieldOutputs[name].shownIn[output])
      .map((name) => [name, lead[name]]),
  )

type StoredColumn<Name extends LeadField> = (typeof fieldOutputs)[Name]['storedColumn']
export type StoredFields = { [Name in LeadField as StoredColumn<Name>]: Lead[Name] }

export const toStoredFields = (lead: Lead): StoredFields =>
  Object.fromEntries(
    fieldNames.map((name) => [fieldOutputs[name].storedColumn, lead[name]]),
  ) as StoredFields

type SelectedColumn = { [Name in LeadField]: `leads.${StoredColumn<Name>} as ${Name}` }[LeadField]

export const selectedFields = fieldNames.map(
  (name) => `leads.${fieldOutputs[name].storedColumn} as ${name}` as SelectedColumn,
)

/** Returns the number as text and as a tel: link. */
export function readPhone(phone: string): { shown: string; callUrl: string } {
  const text = phone.normalize('NFKC')
  const [, number = text, extension] = text.match(/^(.*\d)\D*[x#]\D*(\d{1,6})\D*$/i) ?? []
  const shown = number
    .replace(/[^\d+()\- ]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const plus = /^\D*\+/.test(number) ? '+' : ''
  return {
    shown: extension ? `${shown} ext ${extension}` : shown,
    callUrl: `tel:${plus}${number.replace(/\D/g, '')}`,
  }
}
