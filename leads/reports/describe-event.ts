import { formatClock } from '../clock.ts'
import { type EventKind, type HistoryEvent, mapUndone } from '../history.ts'
import { toOneLine } from '../safe-text.ts'
import { chooseWords, readFirstName } from '../words.ts'

type Clock = { now: number; timeZone: string }

type Details = {
  when?: string
  undone?: HistoryEvent | undefined
  /** The homeowner. */
  lead: { name: string; phone: string }
}

/** Returns the name of the desk's button. Undo names the one that it takes back, or the Status in Airtable. */
export const nameButton = (kind: EventKind, lead: { phone: unknown }): string | undefined =>
  kind === 'called' ? `I’m ${chooseWords(lead).calling}` : buttons[kind]

const buttons: Partial<Record<EventKind, string>> = {
  'no-answer': 'No answer',
  'call-again': 'Change the time',
  texted: 'Text',
  done: 'Done',
  'not-a-lead': 'Not a lead',
  'airtable-status': 'Status in Airtable',
}

/**
 * Returns what happened in plain words, such as “Sam called, no answer”. `when` is inserted after the verb:
 * “Sam called 2 minutes ago, no answer”. `undone` is what an Undo took back.
 */
export function describeEvent(
  { kind, person, text, callAgainAt }: HistoryEvent,
  { when, undone, lead, ...clock }: Clock & Details,
): string {
  const { called } = chooseWords(lead)
  const button = undone && nameButton(undone.kind, lead)
  const words: Record<EventKind, [action: string, rest?: string]> = {
    called: [called],
    'no-answer': [called, ', no answer'],
    'call-again': ['moved the next call', ` to ${formatClock(callAgainAt ?? 0, clock)}`],
    // A tap does not show whether the text was sent.
    texted: [`opened a text${lead.name ? ` to ${readFirstName(lead.name)}` : ''}`],
    done: ['marked this as done'],
    'not-a-lead': ['marked this as not a lead'],
    note: ['wrote', `: ${text}`],
    undone: [button ? `undid “${button}”` : 'undid the last step'],
    'airtable-status': [`set Status to ${text ?? 'Called'} in Airtable`],
  }
  const [action, rest = ''] = words[kind]
  return `${person ? toOneLine(person) : 'Someone'} ${action}${when ? ` ${when}` : ''}${rest}`
}

/** Lists what happened to a lead, newest first. */
export function describeHistory(
  lead: Details['lead'] & { events: readonly HistoryEvent[] },
  clock: Clock,
) {
  const { events } = lead
  const undone = mapUndone(events)
  const targets = new Map(events.map((event) => [undone.get(event.number)?.number, event] as const))
  return events.toReversed().map((event) => {
    const { number, at, kind } = event
    const text = describeEvent(event, { ...clock, lead, undone: targets.get(number) })
    return { number, at, kind, text, isUndone: undone.has(number) }
  })
}
