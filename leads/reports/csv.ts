import { readLabel } from '../channels/channels.ts'
import { formatTimestamp } from '../clock.ts'
import { describeHistory } from '../describe-event.ts'
import { fieldOutputs, readField } from '../field-outputs.ts'
import { fieldNames } from '../fields.ts'
import { toOneLine } from '../safe-text.ts'
import { describeSale, readAmount } from '../sale.ts'
import { describeSource } from '../source.ts'
import { statuses } from '../statuses.ts'
import {
  addDetails,
  type Delivery,
  type LeadFilter,
  type LeadRecord,
  searchLeads,
} from '../store/find-leads.ts'
import type { Database } from '../store/tables.ts'
import { keepForOwner } from '../words.ts'
import { computeDeliveryState, describeCancellation, explainSuspicion } from './describe.ts'

export type Pages = AsyncGenerator<LeadRecord[], void>

/** Reads the matching leads, newest first. */
export async function* readPages(db: Database, filter: LeadFilter = {}, limit = 500): Pages {
  for (let before: LeadRecord | undefined; ; ) {
    const page = await addDetails(db, await searchLeads(db, filter, { limit, before }))
    yield page
    if (page.length < limit) return
    before = page.at(-1)
  }
}

/** Excel needs this to read the file as UTF-8. */
const byteOrderMark = '\uFEFF'

export async function* formatCsv(pages: Pages, timeZone: string): AsyncGenerator<string, void> {
  const columns = makeColumns(timeZone)
  yield byteOrderMark + formatCsvLine(Object.keys(columns))
  const cells = Object.values(columns)
  for await (const page of pages)
    yield page.map((lead) => formatCsvLine(cells.map((cell) => cell(lead)))).join('')
}

const makeColumns = (timeZone: string): Record<string, (lead: LeadRecord) => string> => ({
  'Lead ID': ({ id }) => id,
  [`Received At (${timeZone})`]: ({ receivedAt }) => formatTimestamp(receivedAt, timeZone),
  ...Object.fromEntries(
    fieldNames.map((name) => [
      fieldOutputs[name].label,
      (lead: LeadRecord) => readField(lead, name),
    ]),
  ),
  Source: ({ source }) => (source === null ? '' : describeSource(source)),
  'Campaign Details': ({ source }) => source ?? '',
  'Possible Spam': ({ suspect }) => (suspect === null ? '' : explainSuspicion(suspect)),
  // Excel would turn 2026-11 into a date.
  Consent: ({ consent }) => (consent === null ? '' : `Version ${consent}`),
  [`Call By (${timeZone})`]: ({ deadlineAt }) =>
    deadlineAt === null ? '' : formatTimestamp(deadlineAt, timeZone),
  Status: ({ status }) => statuses[status].label,
  Result: (lead) => describeSale(lead) ?? '',
  'Amount (USD)': (lead) => String(readAmount(lead) ?? ''),
  [`Called At (${timeZone})`]: ({ calledAt }) =>
    calledAt === null ? '' : formatTimestamp(calledAt, timeZone),
  'Called By': ({ caller }) => caller ?? '',
  'Calls With No Answer': ({ attempts }) => String(attempts),
  [`History (${timeZone})`]: (lead) =>
    describeHistory(lead, { now: 0, timeZone })
      .map(({ at, text }) => `${formatTimestamp(at, timeZone)} ${toOneLine(text)}`)
      .join('; '),
  Deliveries: ({ deliveries }) =>
    deliveries
      .filter(({ reason }) => reason === 'received')
      .map(describeDelivery)
      .join('; '),
})

function describeDelivery(delivery: Delivery): string {
  const state = computeDeliveryState(delivery)
  const why =
    state === 'failed'
      ? keepForOwner(delivery.lastError ?? delivery.note ?? '')
      : describeCancellation(delivery)
  const word = state === 'cancelled' ? 'canceled' : state
  return `${readLabel(delivery.recipient)}: ${word}${why ? ` (${why})` : ''}`
}

// Excel, Sheets, and LibreOffice run a cell that starts like this as a formula, such as a visitor's =WEBSERVICE(…),
// which could leak other cells. A leading apostrophe turns it into text. Some programs split cells at semicolons or
// tabs even inside quotes, so also check the text after each of those.
const startsLikeFormula = /(?=[=+\-@＝＋－＠])(?<=(?:^|[;|\t\r\n])[\s"]*)|^(?=[\t\r\n])/g

const formatCell = (text: string) => {
  const safe = text.replace(startsLikeFormula, "'")
  return /[",;|\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Formats a line according to RFC 4180. */
export const formatCsvLine = (cells: readonly string[]): string =>
  `${cells.map(formatCell).join(',')}\r\n`
