import { kindOf } from '../delivery/receivers.ts'
import { serviceTypes } from '../lead.ts'
import { describeSource } from '../source.ts'
import { findLeads, type LeadFilter } from '../store/find-leads.ts'
import { addDeliveries, type LeadWithDeliveries } from '../store/reading.ts'
import type { Database } from '../store/tables.ts'
import { byteOrderMark, formatCsvLine } from './csv.ts'

const pageSize = 500

/** The file in pieces: a head, then some hundred leads each. `onLeads` is told how many. */
export async function* writeCsv(
  db: Database,
  filter: LeadFilter,
  onLeads: (count: number) => void = () => {},
): AsyncGenerator<string> {
  yield byteOrderMark + formatCsvLine(Object.keys(columns))
  for (let before: LeadWithDeliveries | undefined; ; ) {
    const page = await addDeliveries(db, await findLeads(db, filter, { limit: pageSize, before }))
    onLeads(page.length)
    const cells = Object.values(columns)
    yield page.map((lead) => formatCsvLine(cells.map((cell) => cell(lead)))).join('')
    if (page.length < pageSize) return
    before = page.at(-1)
  }
}

const toIso = (at: number | null) => (at === null ? '' : new Date(at).toISOString())

const columns: Record<string, (lead: LeadWithDeliveries) => string> = {
  'Lead ID': ({ id }) => id,
  'Received At': ({ receivedAt }) => toIso(receivedAt),
  Name: ({ name }) => name,
  Email: ({ email }) => email,
  Phone: ({ phone }) => phone,
  Address: ({ address }) => address,
  Service: ({ serviceType }) => (serviceType ? serviceTypes[serviceType] : ''),
  Source: ({ source }) => (source === null ? '' : describeSource(source)),
  'Campaign Details': ({ source }) => source ?? '',
  Suspect: ({ suspect }) => suspect ?? '',
  Consent: ({ consent }) => consent ?? '',
  'Answered At': ({ answeredAt }) => toIso(answeredAt),
  'Answered By': ({ answeredName }) => answeredName ?? '',
  Outcome: ({ outcome }) => outcome ?? '',
  Deliveries: ({ deliveries }) =>
    deliveries
      .filter(({ occasion }) => occasion === 'received')
      .map(({ channel, state }) => `${kindOf(channel)} ${state}`)
      .join('; '),
}
