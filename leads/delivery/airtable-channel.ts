import type { AirtableSettings } from '../airtable/client.ts'
import { sendToAirtable } from '../airtable/send.ts'
import { markAnswered, markNew, markOutcome } from '../airtable/status.ts'
import type { Channel, Occasion, Outcome } from '../channel.ts'
import type { StoredLead } from '../lead.ts'
import { findLead } from '../store/reading.ts'
import type { Database } from '../store/tables.ts'
import type { ChannelDeps } from './channels.ts'

export const createAirtableChannel = (
  airtable: AirtableSettings,
  { db, fetch, pause }: ChannelDeps,
): Channel => ({
  name: 'airtable',
  // Airtable takes ten records a request and five requests a second from all senders together.
  batchSize: 10,
  exclusive: true,
  restMs: 250,
  send: async (claimed, signal) => {
    const pick = (occasion: Occasion) =>
      claimed.filter((one) => one.occasion === occasion).map(({ lead }) => lead)
    const outcomes: Outcome[] = []
    const pickWithRow = async (occasion: Occasion) => {
      const leads: StoredLead[] = []
      for (const lead of pick(occasion))
        if (await hasRow(db, lead)) leads.push(lead)
        else {
          const error = 'The lead’s row is not in Airtable yet.'
          outcomes.push({ leadId: lead.id, occasion, ok: false, error })
        }
      return leads
    }
    for (const [occasion, leads, send] of [
      ['received', pick('received'), sendToAirtable],
      ['status', pick('status'), markNew],
      ['answered', await pickWithRow('answered'), markAnswered],
      ['outcome', await pickWithRow('outcome'), markOutcome],
    ] as const) {
      if (leads.length === 0) continue
      const { holdMs, ...sent } = await send(leads, airtable, { fetch, pause, signal })
      outcomes.push(...sent.outcomes.map((one) => ({ ...one, occasion })))
      // What is left was claimed, and has its next turn after the rest.
      if (holdMs) return { outcomes, holdMs }
    }
    return { outcomes }
  },
})

/** Something can be added to a row only once the row is there. */
async function hasRow(db: Database, { id }: StoredLead): Promise<boolean> {
  const { deliveries = [] } = (await findLead(db, id)) ?? {}
  return deliveries.some(
    ({ channel, occasion, state }) =>
      channel === 'airtable' && occasion === 'received' && state === 'sent',
  )
}
