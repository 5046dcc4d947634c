import { rowChannel } from '../channels/channels.ts'
import type { Context } from '../context.ts'
import { acquire, release } from '../store/claims.ts'
import { eraseLead } from '../store/erase-lead.ts'
import { findLead } from '../store/find-leads.ts'
import { minuteMs } from '../time-units.ts'

/** The stored lead was not erased. The owner can choose to erase only that copy. */
export class NotErased extends Error {
  constructor(why: string) {
    super(`The lead wasn’t erased. ${why}`)
  }
}

// Longer than a batch, which takes 45 s at most.
const waitForSenderMs = minuteMs

/**
 * Erases a lead. Its row in Airtable goes first, because we need the lead's ID to find it. Returns how many rows were
 * deleted there.
 */
export async function eraseEverywhere(leadId: string, context: Context): Promise<number> {
  const { kind, label } = rowChannel
  const { db, pause, now, log } = context
  // Until we release this lease, no process can send, so no row can appear after the deletion.
  const holder = context.makeId()
  const untilAt = now() + waitForSenderMs
  while (!(await acquire(db, kind, { holder, now: now(), until: now() + minuteMs }))) {
    if (now() >= untilAt)
      throw new NotErased(
        `The site is sending leads to ${label}, or ${label} is busy. Try again in a few minutes.`,
      )
    await pause(500)
  }
  let notBefore = 0
  try {
    const lead = await findLead(db, leadId)
    // A failed attempt counts, because the row may exist even if the response was lost.
    const mayHaveRow = lead?.deliveries.some(
      ({ recipient, attempts }) => recipient === kind && attempts > 0,
    )
    const erased = mayHaveRow ? await eraseRows() : 0
    await eraseLead(db, leadId)
    return erased
  } finally {
    await release(db, kind, holder, notBefore).catch((error: Error) =>
      log.warn({ error: error.name, recipient: kind }, 'the lease was not released'),
    )
  }

  async function eraseRows(): Promise<number> {
    const settings = context.env[kind]
    if (settings === undefined)
      throw new NotErased(
        `This lead may be in ${label}, but the site is no longer connected to ${label}.`,
      )
    const erased = await rowChannel.eraseRows(leadId, settings, context)
    if (typeof erased === 'number') return erased
    notBefore = now() + (erased.retryAfterMs ?? 0)
    throw new NotErased(erased.error)
  }
}
