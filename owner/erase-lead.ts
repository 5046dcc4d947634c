import { eraseFromAirtable } from '#leads/airtable/rows.ts'
import { makeSafe } from '#leads/safe-text.ts'
import { acquireChannel, releaseChannel } from '#leads/store/channel-leases.ts'
import { eraseLead } from '#leads/store/erase-lead.ts'
import { findLeadsByPrefix, type LeadWithDeliveries } from '#leads/store/reading.ts'
import { UserError } from '#leads/user-error.ts'
import { describeChannel, describeLead } from './describe-lead.ts'
import type { Command, Deps, Outcome } from './leads-command.ts'
import { findOne } from './show-leads.ts'
import { count } from './terminal.ts'
import { UsageError } from './usage.ts'

export async function eraseOneLead(command: Command, deps: Deps): Promise<Outcome> {
  const lead = await findOne(command.target, deps.db)
  if (!command.yes && !(await isConfirmed(lead, deps)))
    return { json: { erased: null }, text: 'Nothing was erased.\n', isDone: false }
  const rows = await eraseEverywhere(lead, command, deps)
  const told = lead.deliveries
    .filter(({ channel }) => channel !== airtableChannel && hasGoneOut(lead, channel))
    .map(({ channel }) => makeSafe(describeChannel(channel, deps)))
  const lines = [
    `Erased here: lead ${lead.id}.\n`,
    rows
      ? `Erased in Airtable: ${count(rows, 'row')}. Airtable keeps deleted rows in the base's trash for some days: empty it too.\n`
      : '',
    rows === undefined && hasGoneOut(lead, airtableChannel)
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

const airtableChannel = 'airtable'
const hasGoneOut = ({ deliveries }: LeadWithDeliveries, channel: string) =>
  deliveries.some((delivery) => delivery.channel === channel && delivery.attempts > 0)

/** Airtable first: once the lead is gone here, nobody knows any more which row is its. */
async function eraseEverywhere(
  lead: LeadWithDeliveries,
  { 'store-only': storeOnly }: Command,
  { db, airtable, fetch, pause, now }: Deps,
): Promise<number | undefined> {
  // The holder of the channel is the only sender: no row can arrive behind our back.
  const holder = crypto.randomUUID()
  const untilAt = now() + waitForChannelMs
  while (
    !(await acquireChannel(db, airtableChannel, { holder, now: now(), until: now() + 60_000 }))
  ) {
    if (now() >= untilAt)
      throw new UserError(
        'Nothing was erased: the site is busy sending to Airtable, or has to rest after a refusal. Try again in a few minutes.',
      )
    await pause(500)
  }
  let holdMs = 0
  try {
    let rows: number | undefined
    // Tried but not known to have arrived counts too: the answer may have been lost.
    const [current] = await findLeadsByPrefix(db, lead.id, 1)
    if (current && hasGoneOut(current, airtableChannel) && !storeOnly) {
      if (!airtable)
        throw new UserError(
          'Nothing was erased: the lead may be in Airtable, and AIRTABLE_TOKEN and AIRTABLE_BASE_ID are not set. Set them, or erase it here only with --store-only.',
        )
      const erased = await eraseFromAirtable(lead.id, airtable, { fetch, pause })
      if (!erased.ok) {
        holdMs = erased.holdMs
        throw new UserError(
          `Nothing was erased here; Airtable could not do it: ${erased.error} Run it again when Airtable works, or erase it here only with --store-only.`,
        )
      }
      rows = erased.rows
    }
    await eraseLead(db, lead.id)
    return rows
  } finally {
    await releaseChannel(db, airtableChannel, holder, now() + holdMs)
  }
}

// A batch may take 45 s at worst; most take one.
const waitForChannelMs = 60_000
