import type { StoredLead } from '../lead.ts'
import { type Refusal, runSetup } from './client.ts'
import { type ColumnName, columnNames } from './columns.ts'

export type Attempt = {
  leads: readonly StoredLead[]
  leftOut: readonly ColumnName[]
  /**
   * Off at first: it empties what does not fit (a phone number in a number column) without a word. On
   * when an option is missing, because it adds the option, once for all later leads.
   */
  typecast: boolean
}

export type Next =
  | { kind: 'again'; attempts: readonly Attempt[] }
  /** No column is to blame. Several rows with this Lead ID would explain it. */
  | { kind: 'look for copies'; lead: StoredLead; otherwise: Next }
  | { kind: 'give up'; error: string; refused: boolean }

/** What to try after a 422, so that one bad lead or one odd column holds up nothing else. */
export function decideNext({ type, column }: Refusal, attempt: Attempt): Next {
  const { leads, leftOut, typecast } = attempt
  const again = (changed: Partial<Attempt>): Next => ({
    kind: 'again',
    attempts: [{ ...attempt, ...changed }],
  })
  if (column === 'Lead ID') {
    const error = `The Airtable table has no text column "Lead ID". ${runSetup}`
    return { kind: 'give up', error, refused: false }
  }
  const isChoice = type === 'INVALID_MULTIPLE_CHOICE_OPTIONS'
  if (isChoice && !typecast) return again({ typecast: true })

  const blamed = isChoice ? 'Service' : column
  const withoutBlamed =
    blamed && !leftOut.includes(blamed) && again({ leftOut: [...leftOut, blamed] })
  // A missing column is missing for every lead: no need to send them singly.
  if (withoutBlamed && type === 'UNKNOWN_FIELD_NAME') return withoutBlamed
  const [lead] = leads
  if (!lead || leads.length > 1)
    return { kind: 'again', attempts: leads.map((one) => ({ ...attempt, leads: [one] })) }
  if (withoutBlamed) return withoutBlamed

  const rest = columnNames.filter((name) => name !== 'Lead ID' && name !== 'Raw')
  const error = `Airtable refuses the lead (422${type && ` ${type}`}).`
  const otherwise: Next = rest.every((name) => leftOut.includes(name))
    ? { kind: 'give up', error, refused: true }
    : again({ leftOut: [...new Set([...leftOut, ...rest])], typecast: false })
  return { kind: 'look for copies', lead, otherwise }
}
