import type { AirtableSettings } from '../airtable/client.ts'
import { eraseFromAirtable } from '../airtable/rows.ts'
import { acquireChannel, releaseChannel } from '../store/channel-leases.ts'
import { eraseLead } from '../store/erase-lead.ts'
import { findLead, type LeadWithDeliveries } from '../store/reading.ts'
import type { Database } from '../store/tables.ts'
import { UserError } from '../user-error.ts'

export type EraseDeps = {
  db: Database
  airtable: AirtableSettings | undefined
  fetch: typeof fetch
  pause: (ms: number) => Promise<void>
  now: () => number
}

// A batch may take 45 s at worst; most take one.
const waitForChannelMs = 60_000

/** Tried but not known to have arrived counts too: the answer may have been lost. */
export const hasGoneOut = ({ deliveries }: LeadWithDeliveries, channel: string): boolean =>
  deliveries.some((delivery) => delivery.channel === channel && delivery.attempts > 0)

/**
 * Erases a lead, in Airtable first: once it is gone here, nobody knows any more which row is its.
 * Returns how many rows went there; undefined when it was not asked.
 */
export async function eraseEverywhere(
  leadId: string,
  { db, airtable, fetch, pause, now }: EraseDeps,
  { storeOnly = false } = {},
): Promise<number | undefined> {
  // The holder of the channel is the only sender: no row can arrive behind our back.
  const holder = crypto.randomUUID()
  const untilAt = now() + waitForChannelMs
  while (!(await acquireChannel(db, 'airtable', { holder, now: now(), until: now() + 60_000 }))) {
    if (now() >= untilAt)
      throw new UserError(
        'Nothing was erased: the site is busy sending to Airtable, or has to rest after a refusal. Try again in a few minutes.',
      )
    await pause(500)
  }
  let holdMs = 0
  try {
    let rows: number | undefined
    const current = await findLead(db, leadId)
    if (current && hasGoneOut(current, 'airtable') && !storeOnly) {
      if (!airtable)
        throw new UserError(
          'Nothing was erased: the lead may be in Airtable, and AIRTABLE_TOKEN and AIRTABLE_BASE_ID are not set. Set them, or erase it here only with --store-only.',
        )
      const erased = await eraseFromAirtable(leadId, airtable, { fetch, pause })
      if (!erased.ok) {
        holdMs = erased.holdMs
        throw new UserError(
          `Nothing was erased here; Airtable could not do it: ${erased.error} Run it again when Airtable works, or erase it here only with --store-only.`,
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
