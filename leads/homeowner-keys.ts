import { readPhone } from './field-outputs.ts'
import { fieldNames, type Lead, leadFields } from './fields.ts'
import { readPhoneDigits } from './lead.ts'
import { foldText } from './safe-text.ts'

/** One mailbox can have many addresses: some services ignore case, dots, and everything after a plus sign. */
export function normalizeEmail(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@')
  return `${local.replace(/\+.*|\./g, '')}@${domain}`
}

/** Returns what a phone dials, without the US country code. A foreign number keeps its plus sign. */
const normalizePhone = (phone: string) =>
  (readPhone(phone)?.callUrl ?? '').replace(/^tel:(\+?1(?=\d{10}$))?/, '')

/** Returns what the database stores to find a homeowner's other requests. Empty fields are null. */
export const makeHomeownerKeys = ({ phone, email }: Pick<Lead, 'phone' | 'email'>) => ({
  phoneKey: normalizePhone(phone) || null,
  emailKey: email ? normalizeEmail(email) : null,
})

/** Stored with each lead so that SQLite and PostgreSQL return the same results, and `hernandez` finds `Hernández`. */
export function makeSearchText(lead: Lead, notes: readonly (string | null)[] = []): string {
  const texts = fieldNames
    .filter((name) => !('choices' in leadFields[name]))
    .map((name) => lead[name])
  return foldText([...texts, readPhoneDigits(lead.phone), ...notes].join(' '))
}
