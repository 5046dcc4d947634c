import { makeSafe } from '#leads/safe-text.ts'
import { describeSource } from '#leads/source.ts'
import {
  type Backlog,
  countLeads,
  countWaiting,
  findLeadsByPrefix,
  type LeadWithDeliveries,
  listLeads,
} from '#leads/store/reading.ts'
import type { Database } from '#leads/store/tables.ts'
import { UserError } from '#leads/user-error.ts'
import {
  describeBriefly,
  describeCall,
  describeChannel,
  describeLead,
  formatShortTime,
  formatTime,
  isGone,
  labelOf,
  toJson,
} from './describe-lead.ts'
import type { Command, Deps, Outcome } from './leads-command.ts'
import { formatTable } from './terminal.ts'

export async function showLatest({ limit }: Command, deps: Deps): Promise<Outcome> {
  const { db, airtable } = deps
  const leads = await listLeads(db, { limit })
  const total = await countLeads(db)
  const backlogs = await countWaiting(db)
  const text = [
    total === 0 ? 'No leads yet.\n' : formatLeads(leads, deps),
    leads.length < total
      ? `\nThe latest ${leads.length} of ${total} leads; --limit ${total} shows all.\n`
      : '',
    ...backlogs.map((backlog) => describeBacklog(backlog, leads, deps)),
    airtable ? '' : '\nAirtable is not set up: see AIRTABLE_TOKEN in .env.example.\n',
  ]
  return { json: { total, leads: leads.map(toJson) }, text: text.join('') }
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

function formatLeads(leads: readonly LeadWithDeliveries[], deps: Deps): string {
  const { width = Number.POSITIVE_INFINITY } = deps
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
  const columns = width >= 100 ? listColumns : listColumns.slice(0, -1)
  return formatTable(
    columns,
    rows.map((row) => row.slice(0, columns.length)),
    width,
  )
}

function describeBacklog(
  { channel, waiting, oldestAt }: Backlog,
  leads: readonly LeadWithDeliveries[],
  deps: Deps,
): string {
  const waits = waiting === 1 ? 'lead waits' : 'leads wait'
  const gone = isGone(channel, deps)
    ? ` Its receiver is gone. Give it up: npm run leads -- drop ${channel}`
    : ''
  const failed = leads
    .flatMap(({ deliveries }) => deliveries)
    .find((one) => one.channel === channel && one.state === 'waiting' && one.lastError)
  const error = failed ? `\nLast error: ${makeSafe(failed.lastError ?? '')}` : ''
  return `\n${waiting} ${waits} for ${makeSafe(describeChannel(channel, deps))}, the oldest since ${formatTime(oldestAt, deps)}.${gone}${error}\n`
}

export async function showLead({ target }: Command, deps: Deps): Promise<Outcome> {
  const lead = await findOne(target, deps.db)
  return { json: toJson(lead), text: describeLead(lead, deps) }
}

export async function findOne(prefix: string, db: Database): Promise<LeadWithDeliveries> {
  const found = await findLeadsByPrefix(db, prefix.toLowerCase(), 5)
  const exact = found.find(({ id }) => id === prefix.toLowerCase())
  const [first, second] = found
  if (exact) return exact
  if (!first) throw new UserError(`There is no lead whose ID begins with "${prefix}".`)
  if (second)
    throw new UserError(
      `Several leads begin with "${prefix}": ${found.map(({ id }) => id).join(', ')}. Give more of the ID.`,
    )
  return first
}
