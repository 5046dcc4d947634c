import { type Field, fieldNames, type Lead, type LeadField, leadFields } from './fields.ts'
import { keepVisible, makeSafe, makeSafeLines, toOneLine } from './safe-text.ts'

export type FieldOutputs = {
  /** Shown to staff, and the name of the column in Airtable and in the CSV file. */
  label: string
  storedColumn: string
  /** By default, text or a select. */
  airtableType?: 'email' | 'phoneNumber'
  isHiddenInAlerts?: true
}

/** The order in which staff see the fields. */
export const fieldOutputs = {
  name: { label: 'Name', storedColumn: 'name' },
  serviceType: { label: 'Service', storedColumn: 'service_type' },
  phone: { label: 'Phone', storedColumn: 'phone', airtableType: 'phoneNumber' },
  address: { label: 'Address', storedColumn: 'address' },
  email: { label: 'Email', storedColumn: 'email', airtableType: 'email', isHiddenInAlerts: true },
} as const satisfies Record<LeadField, FieldOutputs>

const staffOrder = Object.keys(fieldOutputs) as LeadField[]

/** Returns a field's value; for a choice, its label. */
export function readField(lead: Lead, name: LeadField): string {
  const { choices }: Field = leadFields[name]
  return choices?.[lead[name]] ?? lead[name]
}

export type ShownField = { name: LeadField; label: string; text: string }

/** Returns the fields for alerts that are not empty, as safe text. Without a phone number, all of them. */
export const listForAlerts = (lead: Lead): ShownField[] =>
  listShown(lead).filter(({ name }) => {
    const { isHiddenInAlerts }: FieldOutputs = fieldOutputs[name]
    return !isHiddenInAlerts || lead.phone === ''
  })

/** Returns the name, or how to reach a caller who gave none. */
export const readName = ({ name, phone, email }: Lead): string =>
  keepVisible(name) ? makeSafe(name) : readPhone(phone)?.shown || makeSafe(email) || 'No name'

/** Returns the fields that are not empty, as safe text. */
export const listShown = (lead: Lead): ShownField[] =>
  staffOrder
    .filter((name) => lead[name] !== '')
    .map((name) => {
      const { multiline }: Field = leadFields[name]
      const value = readField(lead, name)
      const text = multiline ? makeSafeLines(value) : toOneLine(value)
      const { label } = fieldOutputs[name]
      return { name, label, text: (name === 'phone' && readPhone(text)?.shown) || text }
    })

/** Returns the fields as the visitor typed them, for other programs. */
export const pickFields = (lead: Lead): Lead =>
  Object.fromEntries(fieldNames.map((name) => [name, lead[name]])) as Lead

type StoredColumn<Name extends LeadField> = (typeof fieldOutputs)[Name]['storedColumn']
type StoredFields = { [Name in LeadField as StoredColumn<Name>]: Lead[Name] }

export const toStoredFields = (lead: Lead): StoredFields =>
  Object.fromEntries(
    fieldNames.map((name) => [fieldOutputs[name].storedColumn, lead[name]]),
  ) as StoredFields

type SelectedColumn = { [Name in LeadField]: `leads.${StoredColumn<Name>} as ${Name}` }[LeadField]

export const selectedFields = fieldNames.map(
  (name) => `leads.${fieldOutputs[name].storedColumn} as ${name}` as SelectedColumn,
)

export const makeMapUrl = (address: string): string | undefined =>
  address
    ? `https://www.google.com/maps/search/?api=1&query=${encodeURIComponent(address)}`
    : undefined

/** Returns the number as text and as a tel: link; undefined without digits. */
export function readPhone(phone: string): { shown: string; callUrl: string } | undefined {
  const text = phone.normalize('NFKC')
  const [, number = text, extension] = text.match(/^(.*\d)\D*[x#]\D*(\d{1,6})\D*$/i) ?? []
  const shown = number
    .replace(/[^\d+()\- ]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const plus = /^\D*\+/.test(number) ? '+' : ''
  const digits = number.replace(/\D/g, '')
  if (!digits) return undefined
  return {
    shown: extension ? `${shown} ext ${extension}` : shown,
    callUrl: `tel:${plus}${digits}`,
  }
}
