import { type Clock, formatAt, formatClock } from './clock.ts'
import { formatChanges } from './correction.ts'
import { readName } from './field-outputs.ts'
import type { Lead } from './fields.ts'
import { fill } from './fill.ts'
import { type EventKind, events, type HistoryEvent } from './history.ts'
import { type LeadState, mapUndone, readNeed } from './lead-state.ts'
import { toOneLine } from './safe-text.ts'
import { formatDetails } from './sale.ts'
import { statuses } from './statuses.ts'
import { chooseWords, count, isolate, readFirstName } from './words.ts'

type Details = {
  when?: string
  undone?: HistoryEvent | undefined
  lead: { name: string; phone: string }
}

/** Returns the label of the event's button on the desk. */
export const nameButton = (kind: EventKind, lead: { phone: unknown }): string =>
  fill(events[kind].button, chooseWords(lead))

/** Returns the button’s label without the ellipsis, which means that a choice follows. */
export const nameUndone = (kind: EventKind, lead: { phone: unknown }): string =>
  nameButton(kind, lead).replace('…', '')

/**
 * Returns what happened in plain words, such as “Sam called, no answer.” `when` is inserted after the verb: “Sam called
 * 2 minutes ago, no answer.” `undone` is what an Undo took back.
 */
export function describeEvent(
  { kind, person, text, via, callAgainAt }: HistoryEvent,
  { when, undone, lead, ...clock }: Clock & Details,
): string {
  const sentence = fill(events[kind].sentence, {
    ...chooseWords(lead),
    when: when ? ` ${when}` : '',
    time: formatClock(callAgainAt ?? 0, clock),
    at: formatAt(callAgainAt ?? 0, clock),
    text: text ?? '',
    details: formatDetails(kind, text),
    changes: kind === 'corrected' ? formatChanges(text) : '',
    firstName: lead.name ? ` to ${readFirstName(lead.name)}` : '',
    undone: undone ? `“${nameUndone(undone.kind, lead)}”` : 'the last step',
  })
  const someone = via === 'site' ? 'The site' : 'Someone'
  return `${person ? toOneLine(person) : someone} ${sentence}`
}

/** Returns what colleagues see about a lead, such as “Sam is calling Jane again.” */
export function describeNews(
  lead: Pick<LeadState, 'status' | 'caller' | 'attempts'> & { phone: unknown },
  { name, caller }: { name: string; caller: string | null },
): string {
  const who = caller ?? 'Someone'
  const news = fill(statuses[lead.status].news, { ...chooseWords(lead), name, who })
  return readNeed(lead) === 'result' && lead.attempts > 0 ? `${news} again` : news
}

/** Returns why someone should call again, such as “no answer (1 try).” */
export function explainNextCall(
  lead: Pick<LeadState, 'status' | 'attempts' | 'caller'> & { phone: unknown },
): string {
  const entry = statuses[lead.status]
  if (entry.needs !== 'next-call') return ''
  const who = lead.caller ?? 'someone'
  return fill(entry.why, { ...chooseWords(lead), who, tries: count(lead.attempts, 'try', 'tries') })
}

/** Another request that has the same event, because one call was about both. */
export type Sharer = Pick<Lead, 'name' | 'phone' | 'email'> & { eventId: string }

const maxNames = 10

/** Describes the other requests that an event changed. */
function nameSharers(sharers: readonly Sharer[] = []): string | null {
  if (sharers.length === 0) return null
  const byName = [...Map.groupBy(sharers, readName)]
  const names = byName
    .slice(0, maxNames)
    .map(([name, { length }]) => (length > 1 ? `${length} from ${isolate(name)}` : isolate(name)))
  if (byName.length > maxNames) names.push('and others')
  const requests = count(sharers.length, 'other request')
  return `Also recorded for ${requests} (${names.join(', ')})`
}

/** Lists what happened to a lead, newest first. */
export function describeHistory(
  lead: Details['lead'] & { events: readonly HistoryEvent[] },
  { sharers = [], ...clock }: Clock & { sharers?: readonly Sharer[] },
) {
  const undone = mapUndone(lead.events)
  const targets = new Map(
    lead.events.map((event) => [undone.get(event.number)?.number, event] as const),
  )
  const byEvent = Map.groupBy(sharers, ({ eventId }) => eventId)
  return lead.events.toReversed().map((event) => {
    const { id, number, at, kind } = event
    const text = describeEvent(event, { ...clock, lead, undone: targets.get(number) })
    const also = nameSharers(byEvent.get(id))
    return { number, at, kind, text, also, isUndone: undone.has(number) }
  })
}
