import type { StoredLead } from './lead.ts'

/**
 * Why a channel hears of a lead. `unanswered-4`: nobody has called after 4 minutes. `status`: the
 * row is in Airtable, its Status is still to be set.
 */
export type Occasion = 'received' | Escalation | 'answered' | 'status' | 'outcome'

export type Escalation = `unanswered-${number}` | 'missed'

export type Reason = Exclude<Occasion, `unanswered-${number}`> | 'unanswered'

export function readOccasion(occasion: Occasion) {
  const [reason, minutes] = occasion.split('-') as [Reason, string?]
  return { reason, minutes }
}

export type ClaimedLead = { lead: StoredLead; occasion: Occasion; attempts: number }

export type Result =
  /** next: done, and what is left of it is a delivery of its own. */
  | { ok: true; note?: string; next?: Occasion }
  /** refused: it is this lead that the channel does not take; others would get through. */
  | { ok: false; error: string; refused?: boolean }

export type Outcome = { leadId: string; occasion: Occasion } & Result

export type Channel = {
  name: string
  /** What waits under this name is the channel's, too: written before channels had their receiver's. */
  formerName?: string | undefined
  /** How many leads one send takes at most. */
  batchSize: number
  /** One sender at a time, across all processes. */
  exclusive: boolean
  /** The least time between two sends, whichever process sends. */
  restMs: number
  /** What it carries is worth little in an hour: while a lead is young, it is tried more often. */
  urgent?: boolean
  /** Reports one outcome a lead; errors carry no personal data. holdMs: nobody may send that long. */
  send(
    claimed: readonly ClaimedLead[],
    signal: AbortSignal,
  ): Promise<{ outcomes: Outcome[]; holdMs?: number }>
}
