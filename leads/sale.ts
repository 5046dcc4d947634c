import { formatDate } from './clock.ts'
import { type EventKind, eventKinds, events } from './history.ts'
import type { LeadState } from './lead-state.ts'
import { statuses } from './statuses.ts'
import { dayMs } from './time-units.ts'

/*
 * The result of a request after the call: an appointment, won, or lost. It belongs to one request, unlike a
 * call. An event and the lead store its details as text: 2026-11-26, 12500, or too-expensive.
 */

export const saleKinds = eventKinds.filter((kind) => events[kind].place === 'sale')

export const lostReasons = {
  'too-expensive': 'Too expensive',
  'somebody-else': 'Hired someone else',
  'no-need': 'No longer needed',
  other: 'Other reason',
}

/** Whole dollars, with or without commas, below $10,000,000. */
export const amountPattern = '\\s*\\$?\\s*0*[1-9](\\d{0,6}|\\d{0,2},\\d{3}|,\\d{3},\\d{3})\\s*'
const isAmount = new RegExp(`^${amountPattern}$`)

const yearMs = 365 * dayMs

/**
 * Returns the text to store with an event: null if there is no text, or undefined if the text is not valid. `today` is
 * the company's date.
 */
export function readDetails(
  kind: EventKind,
  text: string | undefined,
  today: string,
): string | null | undefined {
  if (text === undefined) return null
  switch (events[kind].takes) {
    case 'date': {
      const at = Date.parse(text)
      // Converting to a time and back changes a date that does not exist.
      const isDate = !Number.isNaN(at) && new Date(at).toISOString().slice(0, 10) === text
      const from = Date.parse(today)
      return isDate && at >= from && at <= from + yearMs ? text : undefined
    }
    case 'amount':
      return isAmount.test(text) ? String(Number(text.replace(/[$,\s]/g, ''))) : undefined
    case 'reason':
      return Object.hasOwn(lostReasons, text) ? text : undefined
    case 'text':
    case 'time':
    case 'fields':
    case undefined:
      return text
  }
}

/** Returns the end of a sentence: ` for Nov 26, 2026`, `, $12,500`, `, too expensive`, or nothing. */
export function formatDetails(kind: EventKind, text: string | null): string {
  if (text === null) return ''
  switch (events[kind].takes) {
    case 'date':
      return ` for ${formatDate(text)}`
    case 'amount':
      return `, ${formatDollars(Number(text))}`
    case 'reason':
      return `, ${lostReasons[text as keyof typeof lostReasons].toLowerCase()}`
    default:
      return ''
  }
}

export const formatDollars = (amount: number): string => `$${amount.toLocaleString('en-US')}`

type Sold = Pick<LeadState, 'status' | 'saleDetails'>

/** Returns `Appointment for Nov 26, 2026`, `Won, $12,500`, or `Lost, too expensive`; null for other statuses. */
export function describeSale({ status, saleDetails }: Sold): string | null {
  const kind = saleKinds.find((one) => events[one].becomes === status)
  return kind ? statuses[status].label + formatDetails(kind, saleDetails) : null
}

/** Returns the same without the status: `Nov 26, 2026`, `$12,500`, or `too expensive`. */
export const describeDetails = (sold: Sold): string | undefined =>
  describeSale(sold)
    ?.slice(statuses[sold.status].label.length)
    .replace(/^( for|,) /, '')

/** Returns the dollars of a sale that was won; null if unknown. */
export const readAmount = ({ status, saleDetails }: Sold): number | null =>
  status === 'won' && saleDetails !== null ? Number(saleDetails) : null
