import type { BusinessHours } from '#leads/hours.ts'
import type { LeadRecord } from '#leads/store/find-leads.ts'
import type { DeskView } from './desk-view.ts'
import type { History } from './observed-changes.ts'
import type { People } from './people.ts'
import type { Services } from './services.ts'

export type Phone = { id: string; recipient: string; addedAt: number; removedAt?: number }

/** The end of a simulation: all that happened, and what the product has stored and shows. */
export type End = {
  hours: BusinessHours
  history: History
  people: People
  services: Services
  stored: readonly LeadRecord[]
  desk: DeskView
  /** The recipients that alert the crew about a lead, except phones. */
  recipients: readonly { recipient: RegExp; getsSpam: boolean }[]
  phones: readonly Phone[]
  endAt: number
}

/** A sentence, and a function that finds where it does not hold. */
export type Sentences = Record<string, (end: End) => Iterable<string>>
