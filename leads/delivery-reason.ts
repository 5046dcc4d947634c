/**
 * Why a channel sends a message about a lead. `uncalled-4` means no call after 4 minutes, `again-1` that
 * nobody answered the first call and the next one is due. `unreached` tells the homeowner about that call.
 */
export type DeliveryReason = 'received' | ReminderReason | 'called' | 'outcome' | 'unreached'

export type ReminderReason = `uncalled-${number}` | 'missed' | `again-${number}`

export type ReasonKind =
  | Exclude<DeliveryReason, `uncalled-${number}` | `again-${number}`>
  | 'uncalled'
  | 'again'

export function readReason(reason: DeliveryReason) {
  const [kind, minutes] = reason.split('-') as [ReasonKind, string?]
  return { kind, minutes }
}
