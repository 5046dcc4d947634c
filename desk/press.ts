import { use } from 'react'
import { formatDuration } from '#leads/clock.ts'
import { type EventKind, isChangeKind } from '#leads/history.ts'
import type { LeadCard, LeadInFull } from '#leads/reports/describe.ts'
import { nameButton } from '#leads/reports/describe-event.ts'
import { chooseWords } from '#leads/words.ts'
import { readClock } from './api.ts'
import { describeCallAgain } from './countdown.ts'
import { isCaller, Me } from './me.ts'
import { attempt, isolate, shownMs } from './notice.tsx'
import { type Press, send } from './outbox.ts'

export type Refresh = () => Promise<void>

let pressed: Pick<LeadCard, 'id' | 'status'> | undefined
/** Returns true once when this person's press has changed the lead's status. */
export function takeChange(id: string, status: LeadCard['status']): boolean {
  if (pressed?.id !== id || pressed.status === status) return false
  pressed = undefined
  return true
}

/** Returns a function that sends the button that the person presses on a lead, and shows the result with Undo. */
export function usePress(refresh: Refresh) {
  const me = use(Me)
  /** Returns false if the server refused the press. */
  return async function press(lead: LeadCard, event: Press, undone?: EventKind): Promise<boolean> {
    const work = send(lead, event)
    if (!work) return true
    if (event.kind === 'called' || event.kind === 'no-answer') pressed = lead
    await attempt(work, (after) => describeResult(event.kind, after, { undone, me }), {
      about: `${isolate(lead.name)}: `,
      // Show Undo as long as it can still stop the email.
      computeShowMs: ({ emailAt }) => Math.max(shownMs, (emailAt ?? 0) - readClock()),
      makeUndo: (after) => {
        const last = computeLastChange(after)
        if (event.kind === 'note' || event.kind === 'texted' || !last) return undefined
        return () => void press(after, { kind: 'undone' }, last)
      },
    })
    await refresh()
    return work.then(
      () => true,
      () => {
        pressed = undefined
        return false
      },
    )
  }
}

/** Returns the kind of the event that Undo takes back. */
export const computeLastChange = ({ history }: LeadInFull): EventKind | undefined =>
  history.find(({ kind, isUndone }) => isChangeKind(kind) && !isUndone)?.kind

export const nameUndo = (last: EventKind, lead: LeadCard) => `Undo “${nameButton(last, lead)}”`

function describeResult(
  kind: EventKind,
  after: LeadInFull,
  { undone, me }: { undone: EventKind | undefined; me: string },
): string {
  if (kind === 'note') return 'note added.'
  if (kind === 'texted') return 'the crew can see that you opened a text.'
  const now = readClock()
  const { called, calling } = chooseWords(after)
  const states: Record<LeadInFull['status'], string> = {
    open: `nobody has ${called} yet.`,
    calling: isCaller(after, me)
      ? `the crew can see that you’re ${calling}.`
      : `${after.caller ?? 'someone'} is ${calling}.`,
    'call-again': `no answer. ${describeCallAgain(after, now)}`,
    done: 'marked as done.',
    'not-a-lead': 'marked as not a lead.',
  }
  if (kind === 'call-again') return `time changed. ${describeCallAgain(after, now)}`
  const state = states[after.status]
  if (undone) return `“${nameButton(undone, after)}” undone. Now: ${state}`
  if (kind !== 'no-answer' || after.emailAt === null) return state
  const wait = formatDuration(after.emailAt - now)
  return `${state} We’ll email them in ${wait}, unless you press Undo.`
}
