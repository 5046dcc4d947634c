import { type Field, fieldNames, type Lead, type LeadField, leadFields } from './fields.ts'
import { keepVisible, makeSafe, makeSafeLines, toOneLine } from './safe-text.ts'

export type FieldOutputs = {
  /** The label for the crew, and the name of the column in Airtable and in the CSV file. */
  label: string
  /** The column's type in Airtable; by default, text or a select. */
  airtableType?: 'email' | 'phoneNumber'
  isHiddenInAlerts?: true
}

/** In the order in which the crew sees the fields. */
export const fieldOutputs = {
  name: { label: 'Name' },
  serviceType: { label: 'Service' },
  phone: { label: 'Phone', airtableType: 'phoneNumber' },
  address: { label: 'Address' },
  email: { label: 'Email', airtableType: 'email', isHiddenInAlerts: true },
} as const satisfies Record<LeadField, FieldOutputs>

export const crewOrder = Object.keys(fieldOutputs) as LeadField[]

/** Returns a field's value; for a choice, its label. */
export function readField(lead: Lead, name: LeadField): string {
  const { choices }: Field = leadFields[name]
  return choices?.[lead[name]] ?? lead[name]
}

export type ShownField = { name: LeadField; label: string; text: string }

/** Returns the nonempty fields for alerts, as safe text. For a lead without a phone number, includes all fields. */
export const listForAlerts = (lead: Lead): ShownField[] =>
  listShown(lead).filter(({ name }) => {
    const { isHiddenInAlerts }: FieldOutputs = fieldOutputs[name]
    return !isHiddenInAlerts || lead.phone === ''
  })

/** Returns the name, or how to reach a caller who gave none. */
export const readName = ({ name, phone, email }: Pick<Lead, 'name' | 'phone' | 'email'>): string =>
  keepVisible(name) ? makeSafe(name) : readPhone(phone)?.shown || makeSafe(email) || 'No name'

/** Returns the fields that are not empty, as safe text. */
export const listShown = (lead: Lead): ShownField[] =>
  crewOrder
    .filter((name) => lead[name] !== '')
    .map((name) => {
      const { multiline }: Field = leadFields[name]
      const value = readField(lead, name)
      const text = multiline ? makeSafeLines(value) : toOneLine(value)
      const { label } = fieldOutputs[name]
      return { name, label, text: (name === 'phone' && readPhone(text)?.shown) || text }
    })

/** Returns only the form's fields, with their stored values. */
export const pickFields = (lead: Lead): Lead =>
  Object.fromEntries(fieldNames.map((name) => [name, lead[name]])) as Lead

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
