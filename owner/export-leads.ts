import { kindOf } from '#leads/delivery/receivers.ts'
import { makeSafe } from '#leads/safe-text.ts'
import { describeSource } from '#leads/source.ts'
import { type LeadWithDeliveries, listLeads } from '#leads/store/reading.ts'
import type { Database } from '#leads/store/tables.ts'
import { byteOrderMark, formatCsvLine } from './csv.ts'
import { labelOf, toIso } from './describe-lead.ts'
import type { Command, Deps, Outcome } from './leads-command.ts'
import { writeNewFile } from './new-file.ts'
import { count } from './terminal.ts'

export async function exportLeads(
  { target: file, force }: Command,
  { db }: Deps,
): Promise<Outcome> {
  let leads = 0
  async function* listLines() {
    yield byteOrderMark + formatCsvLine(Object.keys(columns))
    for await (const page of listPages(db)) {
      leads += page.length
      yield page
        .map((lead) => formatCsvLine(Object.values(columns).map((cell) => cell(lead))))
        .join('')
    }
  }
  // Only the owner may read it.
  await writeNewFile(file, listLines(), { force, mode: 0o600 })
  return {
    json: { file, leads },
    text: `${count(leads, 'lead')} written to ${makeSafe(file)}.\n`,
  }
}

async function* listPages(db: Database) {
  let before: LeadWithDeliveries | undefined
  do {
    const page = await listLeads(db, { limit: 500, before })
    yield page
    before = page.at(-1)
  } while (before)
}

const columns: Record<string, (lead: LeadWithDeliveries) => string> = {
  'Lead ID': ({ id }) => id,
  'Received At': ({ receivedAt }) => new Date(receivedAt).toISOString(),
  Name: ({ name }) => name,
  Email: ({ email }) => email,
  Phone: ({ phone }) => phone,
  Address: ({ address }) => address,
  Service: labelOf,
  Source: ({ source }) => (source === null ? '' : describeSource(source)),
  'Campaign Details': ({ source }) => source ?? '',
  Suspect: ({ suspect }) => suspect ?? '',
  Consent: ({ consent }) => consent ?? '',
  'Answered At': ({ answeredAt }) => toIso(answeredAt) ?? '',
  Deliveries: ({ deliveries }) =>
    deliveries
      .filter(({ occasion }) => occasion === 'received')
      .map(({ channel, state }) => `${kindOf(channel)} ${state}`)
      .join('; '),
}
