import { createWriteStream } from 'node:fs'
import { rename, rm, stat } from 'node:fs/promises'
import { finished } from 'node:stream/promises'
import { kindOf } from '#leads/delivery/receivers.ts'
import { makeSafe } from '#leads/safe-text.ts'
import { describeSource } from '#leads/source.ts'
import { type LeadWithDeliveries, listLeads } from '#leads/store/reading.ts'
import { byteOrderMark, formatCsvLine } from './csv.ts'
import { labelOf, toIso } from './describe-lead.ts'
import { type Command, type Deps, explainUnwritten, Failure } from './leads-command.ts'
import { makeSafeJson } from './terminal.ts'

export async function exportLeads(
  { json, target, force }: Command,
  { db, stdout }: Deps,
): Promise<number> {
  const taken = await stat(target).catch(() => undefined)
  if (taken?.isDirectory()) throw new Failure(`${target} is a folder. Name a file.`)
  if (taken && !force) throw new Failure(`${target} is there already. --force replaces it.`)

  // Beside the target and renamed at the end: a full disk leaves no half of an export behind. Only
  // the owner may read it.
  const part = `${target}.part`
  const file = createWriteStream(part, { mode: 0o600 })
  const written = finished(file)
  written.catch(() => {})
  let count = 0
  try {
    file.write(byteOrderMark + formatCsvLine(csvColumns))
    let before: LeadWithDeliveries | undefined
    do {
      const page = await listLeads(db, { limit: 500, before })
      for (const lead of page) file.write(formatCsvLine(toCsvCells(lead)))
      count += page.length
      before = page.at(-1)
      if (file.errored) break
    } while (before)
    file.end()
    await written
    await rename(part, target)
  } catch (error) {
    await rm(part, { force: true })
    throw explainUnwritten(target, error)
  }
  stdout(
    json
      ? `${makeSafeJson({ file: target, leads: count })}\n`
      : `${count} ${count === 1 ? 'lead' : 'leads'} written to ${makeSafe(target)}.\n`,
  )
  return 0
}

const csvColumns = [
  'Lead ID',
  'Received At',
  'Name',
  'Email',
  'Phone',
  'Address',
  'Service',
  'Source',
  'Campaign Details',
  'Suspect',
  'Consent',
  'Answered At',
  'Deliveries',
]
const toCsvCells = (lead: LeadWithDeliveries) => [
  lead.id,
  new Date(lead.receivedAt).toISOString(),
  lead.name,
  lead.email,
  lead.phone,
  lead.address,
  labelOf(lead),
  lead.source === null ? '' : describeSource(lead.source),
  lead.source ?? '',
  lead.suspect ?? '',
  lead.consent ?? '',
  toIso(lead.answeredAt) ?? '',
  lead.deliveries
    .filter(({ occasion }) => occasion === 'received')
    .map(({ channel, state }) => `${kindOf(channel)} ${state}`)
    .join('; '),
]
