import { eraseFromAirtable } from '#leads/airtable/rows.ts'
import { makeSafe } from '#leads/safe-text.ts'
import { acquireChannel, releaseChannel } from '#leads/store/channel-leases.ts'
import { eraseLead } from '#leads/store/erase-lead.ts'
import { findLeadsByPrefix, type LeadWithDeliveries } from '#leads/store/reading.ts'
import { describeChannel } from './describe-channel.ts'
import { describeLead } from './describe-lead.ts'
import { type Command, type Deps, Failure, UsageError } from './leads-command.ts'
import { findOne } from './show-leads.ts'
import { makeSafeJson } from './terminal.ts'

export async function eraseOneLead(command: Command, deps: Deps): Promise<number> {
  const { db, stdout, ask } = deps
  const lead = await findOne(command.target, db)
  if (!command.yes) {
    if (!ask)
      throw new UsageError('Erasing asks first, and nobody is at a terminal here. Add --yes')
    stdout(describeLead(lead, deps))
    const answer = await ask('\nErase this lead for good? Type yes: ')
    if (answer.trim().toLowerCase() !== 'yes') {
      stdout('Nothing was erased.\n')
      return 1
    }
  }
  const rows = await eraseEverywhere(lead, command, deps)
  if (command.json) {
    stdout(`${makeSafeJson({ erased: lead.id, airtableRows: rows ?? null })}\n`)
    return 0
  }
  stdout(`Erased here: lead ${lead.id}.\n`)
  if (rows !== undefined && rows > 0)
    stdout(
      `Erased in Airtable: ${rows} ${rows === 1 ? 'row' : 'rows'}. Airtable keeps deleted rows in the base's trash for some days: empty it too.\n`,
    )
  if (rows === undefined && hasGoneOut(lead, airtableChannel))
    stdout(`Not erased in Airtable: delete the row with this Lead ID there by hand.\n`)
  const told = lead.deliveries.filter(
    ({ channel }) => channel !== airtableChannel && hasGoneOut(lead, channel),
  )
  if (told.length > 0)
    stdout(
      `Alerts cannot be called back: ${makeSafe([...new Set(told.map(({ channel }) => describeChannel(channel, deps)))].join(', '))}.\n`,
    )
  return 0
}

const airtableChannel = 'airtable'
const hasGoneOut = ({ deliveries }: LeadWithDeliveries, channel: string) =>
  deliveries.some((delivery) => delivery.channel === channel && delivery.attempts > 0)

/** Airtable first: once the lead is gone here, nobody knows any more which row is its. */
async function eraseEverywhere(
  lead: LeadWithDeliveries,
  { storeOnly }: Command,
  { db, airtable, fetch, pause, now }: Deps,
): Promise<number | undefined> {
  // Whoever holds the channel is the only sender: no row can arrive behind our back.
  const holder = crypto.randomUUID()
  const untilAt = now() + waitForChannelMs
  while (
    !(await acquireChannel(db, airtableChannel, { holder, now: now(), until: now() + 60_000 }))
  ) {
    if (now() >= untilAt)
      throw new Failure(
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
        throw new Failure(
          'Nothing was erased: the lead may be in Airtable, and AIRTABLE_TOKEN and AIRTABLE_BASE_ID are not set. Set them, or erase it here only with --store-only.',
        )
      const erased = await eraseFromAirtable(lead.id, airtable, { fetch, pause })
      if (!erased.ok) {
        holdMs = erased.holdMs
        throw new Failure(
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
