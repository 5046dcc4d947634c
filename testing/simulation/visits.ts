import type { People } from './people.ts'

/** Returns true if the visitor meant the request as spam, even if the product stored it as a normal lead. */
export const isSpam = ({ visits }: People, address: string): boolean =>
  visits.some((visit) => visit.address === address && visit.isSpam)

export const findKind = ({ visits }: People, address: string) =>
  visits.find((visit) => visit.address === address)?.kind

/** Returns true if someone tried to erase the lead this way, even if that failed. */
export const hasErased = ({ erasures }: People, leadId: string, from: 'here only' | 'everywhere') =>
  erasures.some((one) => one.leadId === leadId && one.from === from)

/** Returns true if the lead is an emergency, or was one before a correction. */
export const wasEmergency = (
  { presses }: People,
  { id, serviceType }: { id: string; serviceType: string },
): boolean =>
  serviceType === 'emergency' ||
  presses.some(({ leadId, shown }) => leadId === id && shown?.serviceType === 'emergency')
