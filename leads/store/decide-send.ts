import { isDueAgain } from '../deadline.ts'
import type { DeliveryReason } from '../delivery-reason.ts'
import type { StoredLead } from '../lead.ts'
import { readNeed } from '../lead-state.ts'

/** Combine this many leads or more into one message so that a phone does not ring for each of them. */
const fewestCombined = 3

export type DueDelivery = {
  lead: StoredLead
  reason: DeliveryReason
  attempts: number
  /** Only resetting the delivery changes this. A result counts only for the revision that was sent. */
  revision: number
  nextAttemptAt: number
  dueAt: number
}

type Combined = 'waiting' | 'burst'

type Decision = {
  send: readonly DueDelivery[]
  /** Set if one message covers all of these deliveries. */
  combined?: Combined
  /** Deliveries that are no longer needed, because someone has called. */
  cancel?: readonly DueDelivery[]
  /** Deliveries that wait until the next message about a burst may be sent. */
  postpone?: readonly DueDelivery[]
}

const needsCallNow = (lead: StoredLead, now: number): boolean =>
  readNeed(lead) === 'first-call' || isDueAgain(lead, now)

/** How a delivery to a phone is sent: alone, or with the others of its kind. */
function findKind({ lead, reason }: DueDelivery, now: number): 'alone' | Combined {
  // The notice that someone called and the question about the result are each about one lead.
  if (reason === 'called' || reason === 'unresolved') return 'alone'
  if (lead.inBurst === 1) return 'burst'
  return lead.serviceType !== 'emergency' && needsCallNow(lead, now) ? 'waiting' : 'alone'
}

/**
 * Decides which of a phone's pending deliveries to send next. The sender asks again until nothing is due. A combined
 * message also covers deliveries whose last attempt failed.
 */
export function decideSend(
  pending: readonly DueDelivery[],
  { now, burstAt }: { now: number; burstAt: number },
): Decision {
  const kinds = Map.groupBy(pending, (one) => findKind(one, now))
  const isDue = ({ nextAttemptAt }: DueDelivery) => nextAttemptAt <= now
  const waiting = kinds.get('waiting') ?? []
  const combines = new Set(waiting.map(({ lead }) => lead.id)).size >= fewestCombined
  const alone = [...(kinds.get('alone') ?? []), ...(combines ? [] : waiting)].filter(isDue)
  const urgent = alone.find(({ lead }) => lead.serviceType === 'emergency') ?? alone[0]
  if (urgent) return { send: [urgent] }
  if (combines && waiting.some(isDue)) return { send: waiting, combined: 'waiting' }
  const burst = kinds.get('burst') ?? []
  if (!burst.some(isDue)) return { send: [] }
  const toCall = burst.filter(({ lead }) => needsCallNow(lead, now))
  const cancel = burst.filter(({ lead }) => !needsCallNow(lead, now))
  if (burstAt > now) return { send: [], cancel, postpone: toCall }
  return { send: toCall, cancel, ...(toCall.length > 0 && { combined: 'burst' }) }
}
