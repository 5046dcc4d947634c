import { makeSafe } from '#leads/safe-text.ts'
import { describeSource } from '#leads/source.ts'
import {
  countLeads,
  countWaiting,
  findLeadsByPrefix,
  type LeadWithDeliveries,
  listLeads,
} from '#leads/store/reading.ts'
import type { Database } from '#leads/store/tables.ts'
import { describeChannel, isGone } from './describe-channel.ts'
import {
  describeBriefly,
  describeCall,
  describeLead,
  formatShortTime,
  formatTime,
  labelOf,
  toJson,
} from './describe-lead.ts'
import { type Command, type Deps, Failure } from './leads-command.ts'
import { formatTable, makeSafeJson } from './terminal.ts'

export async function showLatest({ json, limit }: Command, deps: Deps): Promise<number> {
  const { db, stdout, width, airtable } = deps
  const leads = await listLeads(db, { limit })
  const total = await countLeads(db)
  if (json) {
    stdout(`${makeSafeJson({ total, leads: leads.map(toJson) })}\n`)
    return 0
  }
  if (total === 0) {
    stdout('No leads yet.\n')
  } else {
    const rows = leads.map((lead) => [
      lead.id.slice(0, 8),
      formatShortTime(lead.receivedAt, deps),
      lead.name,
      lead.phone,
      labelOf(lead),
      describeCall(lead, deps.now()),
      // Reminders that went out or were not needed would drown the rest; `show` has them.
      lead.deliveries
        .filter(({ occasion, state }) => occasion === 'received' || state === 'waiting')
        .map(describeBriefly)
        .join(', ') || 'nowhere to go',
      lead.source === null ? '' : describeSource(lead.source),
    ])
    // The last column, where the lead came from, waits for a wide terminal; `show` has it.
    const columns = width === undefined || width >= 100 ? listColumns : listColumns.slice(0, -1)
    stdout(
      formatTable(
        columns,
        rows.map((row) => row.slice(0, columns.length)),
        width,
      ),
    )
    if (leads.length < total)
      stdout(`\nThe latest ${leads.length} of ${total} leads; --limit ${total} shows all.\n`)
  }
  for (const { channel, waiting, oldestAt } of await countWaiting(db)) {
    const gone = isGone(channel, deps)
      ? ` Its receiver is gone. Give it up: npm run leads -- drop ${channel}`
      : ''
    stdout(
      `\n${waiting} ${waiting === 1 ? 'lead waits' : 'leads wait'} for ${makeSafe(describeChannel(channel, deps))}, the oldest since ${formatTime(oldestAt, deps)}.${gone}${describeLastError(leads, channel)}\n`,
    )
  }
  if (!airtable) stdout('\nAirtable is not set up: see AIRTABLE_TOKEN in .env.example.\n')
  return 0
}

const listColumns = [
  { title: 'ID', minWidth: 8 },
  { title: 'Received', minWidth: 13 },
  { title: 'Name', minWidth: 8 },
  { title: 'Phone', minWidth: 14 },
  { title: 'Service', minWidth: 6 },
  { title: 'Called', minWidth: 8 },
  { title: 'Deliveries', minWidth: 12 },
  { title: 'From', minWidth: 10 },
]

function describeLastError(leads: LeadWithDeliveries[], channel: string): string {
  const errors = leads
    .flatMap(({ deliveries }) => deliveries)
    .filter((delivery) => delivery.channel === channel && delivery.state === 'waiting')
    .flatMap(({ lastError }) => (lastError ? [lastError] : []))
  return errors[0] ? `\nLast error: ${makeSafe(errors[0])}` : ''
}

export async function showLead({ json, target }: Command, deps: Deps): Promise<number> {
  const lead = await findOne(target, deps.db)
  if (json) deps.stdout(`${makeSafeJson(toJson(lead))}\n`)
  else deps.stdout(describeLead(lead, deps))
  return 0
}

export async function findOne(prefix: string, db: Database): Promise<LeadWithDeliveries> {
  const found = await findLeadsByPrefix(db, prefix.toLowerCase(), 5)
  const exact = found.find(({ id }) => id === prefix.toLowerCase())
  const [first, second] = found
  if (exact) return exact
  if (!first) throw new Failure(`There is no lead whose ID begins with "${prefix}".`)
  if (second)
    throw new Failure(
      `Several leads begin with "${prefix}": ${found.map(({ id }) => id).join(', ')}. Give more of the ID.`,
    )
  return first
}
