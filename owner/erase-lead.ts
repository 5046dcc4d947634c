import { eraseEverywhere, hasGoneOut } from '#leads/delivery/erase-everywhere.ts'
import { makeSafe } from '#leads/safe-text.ts'
import type { LeadWithDeliveries } from '#leads/store/reading.ts'
import { describeChannel, describeLead } from './describe-lead.ts'
import type { Command, Deps, Outcome } from './leads-command.ts'
import { findOne } from './show-leads.ts'
import { count } from './terminal.ts'
import { UsageError } from './usage.ts'

export async function eraseOneLead(command: Command, deps: Deps): Promise<Outcome> {
  const lead = await findOne(command.target, deps.db)
  if (!command.yes && !(await isConfirmed(lead, deps)))
    return { json: { erased: null }, text: 'Nothing was erased.\n', isDone: false }
  const rows = await eraseEverywhere(lead.id, deps, { storeOnly: command['store-only'] })
  const told = lead.deliveries
    .filter(({ channel }) => channel !== 'airtable' && hasGoneOut(lead, channel))
    .map(({ channel }) => makeSafe(describeChannel(channel, deps)))
  const lines = [
    `Erased here: lead ${lead.id}.\n`,
    rows
      ? `Erased in Airtable: ${count(rows, 'row')}. Airtable keeps deleted rows in the base's trash for some days: empty it too.\n`
      : '',
    rows === undefined && hasGoneOut(lead, 'airtable')
      ? 'Not erased in Airtable: delete the row with this Lead ID there by hand.\n'
      : '',
    told.length > 0 ? `Alerts cannot be called back: ${[...new Set(told)].join(', ')}.\n` : '',
  ]
  return { json: { erased: lead.id, airtableRows: rows ?? null }, text: lines.join('') }
}

async function isConfirmed(lead: LeadWithDeliveries, deps: Deps): Promise<boolean> {
  if (!deps.ask)
    throw new UsageError('Erasing asks first, and nobody is at a terminal here. Add --yes')
  deps.stdout(describeLead(lead, deps))
  const answer = await deps.ask('\nErase this lead for good? Type yes: ')
  return answer.trim().toLowerCase() === 'yes'
}
