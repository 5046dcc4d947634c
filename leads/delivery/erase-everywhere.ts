import { eraseRows, openTable } from '../channels/airtable/rows.ts'
import type { ChannelContext } from '../channels/channels.ts'
import type { System } from '../channels/system.ts'
import { eraseLead } from '../store/erase-lead.ts'
import { findLead, type LeadRecord } from '../store/reading.ts'
import { acquireChannel, releaseChannel } from '../store/sender-leases.ts'
import { askDeveloper, keepForOwner } from '../words.ts'

/** Nothing was erased. The owner can choose to erase only the stored lead. */
export class AirtableUnavailable extends Error {}

// A batch takes 45 s at most.
const waitForChannelMs = 60_000

/** A failed attempt counts, because Airtable may have stored the row even if its response was lost. */
const mayBeInAirtable = ({ deliveries }: LeadRecord): boolean =>
  deliveries.some(({ channel, attempts }) => channel === 'airtable' && attempts > 0)

/**
 * Erases a lead in Airtable first, because we need the lead's ID to find the row. Returns how many rows
 * Airtable deleted, or undefined if the lead was never sent there.
 */
export async function eraseEverywhere(
  leadId: string,
  context: Pick<ChannelContext, 'env' | 'db' | 'fetch' | 'pause' | 'now' | keyof System>,
): Promise<number | undefined> {
  const { env, db, pause, now } = context
  // While we hold the channel, no other process can send, so no row can appear after the deletion.
  const holder = context.makeId()
  const untilAt = now() + waitForChannelMs
  while (!(await acquireChannel(db, 'airtable', { holder, now: now(), until: now() + 60_000 }))) {
    if (now() >= untilAt)
      throw new AirtableUnavailable(
        'Nothing was erased. The site is sending leads to Airtable, or Airtable is busy. Try again in a few minutes.',
      )
    await pause(500)
  }
  let holdMs = 0
  try {
    let rows: number | undefined
    const current = await findLead(db, leadId)
    if (current && mayBeInAirtable(current)) {
      if (!env.airtable)
        throw new AirtableUnavailable(
          'Nothing was erased. This lead may be in Airtable, but the site is no longer connected to Airtable.',
        )
      const erased = await eraseRows(leadId, openTable(env.airtable, context))
      if ('error' in erased) {
        holdMs = erased.holdMs ?? 0
        const { error, status = 0 } = erased
        const next = [401, 403, 404].includes(status) ? askDeveloper : 'Try again later.'
        throw new AirtableUnavailable(`Nothing was erased. ${keepForOwner(error)} ${next}`)
      }
      rows = erased.rows
    }
    await eraseLead(db, leadId)
    return rows
  } finally {
    await releaseChannel(db, 'airtable', holder, now() + holdMs)
  }
}
