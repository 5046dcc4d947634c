import { createHash } from 'node:crypto'
import type { Lead } from '#leads/fields.ts'
import { type EventKind, eventKinds, events } from '#leads/history.ts'
import type { LeadState } from '#leads/lead-state.ts'
import { statuses } from '#leads/statuses.ts'

/** The part of a lead that a page shows. Only the lead's screen has `values`. */
export type Shown = Pick<
  LeadState,
  'status' | 'calledAt' | 'attempts' | 'callAgainAt' | 'saleDetails' | 'version'
> & { values?: Lead }

/** A press of a button, or a note. The phone sends it again if there is no response. */
export type Press = {
  id: string
  leadId: string
  kind: EventKind
  version: number
  text?: string
  at?: number
  shown?: Lead
  fields?: Partial<Lead>
  /** The other requests on the card, with the versions that the card showed. */
  requests?: { id: string; version: number }[]
  isAlone?: true
  responses: { status: number; sentAt: number }[]
}

const deskKinds = eventKinds.filter((kind) => events[kind].place !== null)

/**
 * Lists the desk's buttons for a lead, and the link in an alert. Repeats valid buttons so that people press them more
 * often.
 */
export function listButtons({ status }: Shown): (EventKind | 'link')[] {
  const { needs, accepts = [], ifCurrent } = statuses[status]
  const valid = deskKinds.filter((kind) => accepts.includes(kind) || ifCurrent.includes(kind))
  const undo = status === 'open' ? [] : (['undone', 'undone'] as const)
  return [
    ...valid,
    ...valid,
    ...undo,
    ...deskKinds,
    ...(needs === 'nothing' ? [] : ['link' as const]),
  ]
}

export const crew = ['Sam', 'Alex'].map((person) => {
  const token = person.padEnd(43, 'x')
  const tokenHash = createHash('sha256').update(token).digest('hex')
  return {
    ...{ person, tokenHash, cookie: `__Host-desk=${token}` },
    pages: new Map<string, Shown>(),
    /** The other requests on the card of each lead. */
    cards: new Map<string, Required<Press>['requests']>(),
  }
})
