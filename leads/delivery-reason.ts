/** Why a channel sends a message about a lead. `unanswered-4` means no call after 4 minutes. */
export type DeliveryReason = 'received' | ReminderReason | 'answered' | 'outcome'

export type ReminderReason = `unanswered-${number}` | 'missed'

export type ReasonKind = Exclude<DeliveryReason, `unanswered-${number}`> | 'unanswered'

export function readReason(reason: DeliveryReason) {
  const [kind, minutes] = reason.split('-') as [ReasonKind, string?]
  return { kind, minutes }
}
