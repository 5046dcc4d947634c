import { use } from 'react'
import { type Clock, formatDuration } from '#leads/clock.ts'
import { nameUndone } from '#leads/describe-event.ts'
import { fill } from '#leads/fill.ts'
import { type EventKind, events } from '#leads/history.ts'
import { isChangeKind, isRemark, readNeed } from '#leads/lead-state.ts'
import type { LeadInFull } from '#leads/reports/describe.ts'
import { statuses } from '#leads/statuses.ts'
import { capitalize, chooseWords, isolate } from '#leads/words.ts'
import { readClock } from './api.ts'
import type { Card } from './cards.ts'
import { describeNextCall } from './countdown.ts'
import { isCaller, Me, TimeZone } from './me.ts'
import { attempt, shownMs } from './notice.tsx'
import { type Press, send } from './outbox.ts'
import { refresh } from './use-polling.ts'

/**
 * The requests that a button changes. Without `others`, the server includes those that share the lead's call, unless
 * `isAlone` is true.
 */
export type Pressed = Pick<Card, 'lead' | 'others'> & { isAlone?: true }

/** Returns a function that records a button press and shows the result with an Undo button. */
export function usePress() {
  const me = use(Me)
  const timeZone = use(TimeZone)
  /** Resolves to the error if the press failed. */
  return async function press(
    { lead, others, isAlone }: Pressed,
    event: Press,
    undone?: EventKind,
  ): Promise<Error | undefined> {
    const work = send(lead, {
      ...event,
      ...(others && { requests: others.map(({ id, version }) => ({ id, version })) }),
      ...(isAlone && { isAlone }),
    })
    if (!work) return undefined
    await attempt(
      work,
      (after) => {
        const { also = null } = after.history.find(({ kind }) => kind === event.kind) ?? {}
        const result = describePress(event.kind, after, {
          undone,
          me,
          now: readClock(),
          timeZone,
        })
        return also === null ? result : `${result} ${also}.`
      },
      {
        about: `${isolate(lead.name)}: `,
        // Show Undo for as long as it can still stop the email.
        computeShowMs: ({ emailAt }) => Math.max(shownMs, (emailAt ?? 0) - readClock()),
        makeUndo: (after) => {
          const last = findUndoKind(after)
          if (isRemark(event.kind) || !last) return undefined
          return () => void press({ lead: after }, { kind: 'undone' }, last)
        },
      },
    )
    await refresh()
    return work.then(
      () => undefined,
      (error: Error) => error,
    )
  }
}

/** Returns the kind of event that Undo would reverse. */
export const findUndoKind = ({ history }: LeadInFull): EventKind | undefined =>
  history.find(({ kind, isUndone }) => isChangeKind(kind) && !isUndone)?.kind

export function describePress(
  kind: EventKind,
  after: LeadInFull,
  { undone, me, ...clock }: Clock & { undone: EventKind | undefined; me: string },
): string {
  const words = { ...chooseWords(after), next: describeNextCall(after, clock) }
  const { notice } = events[kind]
  if (notice) return fill(notice, words)
  const isOthers = readNeed(after) === 'result' && !isCaller(after, me)
  const describe = (text: string) =>
    isOthers ? `${after.caller ?? 'someone'} is ${words.calling}.` : fill(text, words)
  const status = statuses[after.status]
  if (undone) return `Undid “${nameUndone(undone, after)}.” ${capitalize(describe(status.again))}`
  const state = describe(status.notice)
  if (after.emailAt === null) return state
  const wait = formatDuration(after.emailAt - clock.now)
  return `${state} We’ll email them in ${wait}, unless you press Undo.`
}
