import { fieldNames, type LeadField } from './fields.ts'

/**
 * Why a channel sends a message about a lead. `uncalled-4` means no call after 4 minutes; `again-1` means that nobody
 * answered the first call and the next one is due. `unreached` tells the homeowner that we called. `unresolved` asks
 * the crew for the result of a call. `corrected-phone` means that the crew corrected the phone number.
 */
export type DeliveryReason =
  | 'received'
  | ReminderReason
  | 'unresolved'
  | 'called'
  | 'outcome'
  | CorrectionReason
  | 'unreached'

export type CorrectionReason = `corrected-${LeadField}`

export const nameCorrection = (name: LeadField): CorrectionReason => `corrected-${name}`
export const correctionReasons = fieldNames.map(nameCorrection)

/** `again-1-repeat` follows if nobody reacted to `again-1`. */
export type ReminderReason =
  | `uncalled-${number}`
  | 'missed'
  | `again-${number}`
  | `again-${number}-repeat`

export type ReasonKind =
  | Exclude<DeliveryReason, `${'uncalled' | 'again' | 'corrected'}-${string}`>
  | 'uncalled'
  | 'again'
  | 'corrected'

/** `detail` is the minutes, the attempts, or the field in the reason. */
export function readReason(reason: DeliveryReason) {
  const [kind, detail] = reason.split('-') as [ReasonKind, string?]
  return { kind, detail }
}
