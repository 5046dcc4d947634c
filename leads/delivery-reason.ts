/**
 * Why a channel sends a message about a lead. `unanswered-4` means no call after 4 minutes, `again-1` that
 * the first call reached nobody and the next one is due. `unreached` tells the homeowner about that call.
 */
export type DeliveryReason = 'received' | ReminderReason | 'answered' | 'outcome' | 'unreached'

export type ReminderReason = `unanswered-${number}` | 'missed' | `again-${number}`

export type ReasonKind =
  | Exclude<DeliveryReason, `unanswered-${number}` | `again-${number}`>
  | 'unanswered'
  | 'again'

export function readReason(reason: DeliveryReason) {
  const [kind, minutes] = reason.split('-') as [ReasonKind, string?]
  return { kind, minutes }
}
