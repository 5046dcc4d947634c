import { eraseRows, openTable } from '../channels/airtable/rows.ts'
import type { ChannelContext } from '../channels/channels.ts'
import { acquireChannel, releaseChannel } from '../store/channel-leases.ts'
import { eraseLead } from '../store/erase-lead.ts'
import { findLead, type LeadWithDeliveries } from '../store/reading.ts'

/** Airtable could not delete the row, so nothing was erased; the owner may erase the lead here only. */
export class AirtableUnavailable extends Error {}

// A batch takes 45 s at most.
const waitForChannelMs = 60_000

/** A failed attempt counts too, because Airtable's answer may have been lost. */
const hasGoneOut = ({ deliveries }: LeadWithDeliveries): boolean =>
  deliveries.some(({ channel, attempts }) => channel === 'airtable' && attempts > 0)

/**
 * Erases a lead in Airtable first, because the row is found by the lead's ID. Returns how many rows
 * Airtable deleted; undefined if the lead was never sent there.
 */
export async function eraseEverywhere(
  leadId: string,
  context: Pick<ChannelContext, 'env' | 'db' | 'fetch' | 'pause' | 'now'>,
): Promise<number | undefined> {
  const { env, db, pause, now } = context
  // No other process can send while we hold the channel, so no row can arrive after the deletion.
  const holder = crypto.randomUUID()
  const untilAt = now() + waitForChannelMs
  while (!(await acquireChannel(db, 'airtable', { holder, now: now(), until: now() + 60_000 }))) {
    if (now() >= untilAt)
      throw new AirtableUnavailable(
        'Nothing was erased. The site is sending to Airtable, or Airtable asked it to wait. Try again in a few minutes.',
      )
    await pause(500)
  }
  let holdMs = 0
  try {
    let rows: number | undefined
    const current = await findLead(db, leadId)
    if (current && hasGoneOut(current)) {
      if (!env.airtable)
        throw new AirtableUnavailable(
          'Nothing was erased. The lead may be in Airtable, and Airtable is not set up here.',
        )
      const erased = await eraseRows(leadId, openTable(env.airtable, context))
      if ('error' in erased) {
        holdMs = erased.holdMs ?? 0
        throw new AirtableUnavailable(
          `Nothing was erased. ${erased.error} Try again when Airtable works.`,
        )
      }
      rows = erased.rows
    }
    await eraseLead(db, leadId)
    return rows
  } finally {
    await releaseChannel(db, 'airtable', holder, now() + holdMs)
  }
}
