import { use, useEffect, useRef, useState } from 'react'
import { describeNews } from '#leads/describe-event.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { isolate } from '#leads/words.ts'
import { Refused } from './api.ts'
import { isCaller, Me } from './me.ts'
import { createSignal, useSignal } from './signal.ts'
import type { Polled } from './use-polling.ts'

export const shownMs = 10_000
let notice: { text: string; undo?: Undo | undefined; showMs?: number | undefined } | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const notices = createSignal()
type Undo = () => void

function showNotice(next: typeof notice) {
  notice = next
  clearTimeout(timer)
  if (next) timer = setTimeout(() => showNotice(undefined), next.showMs ?? shownMs)
  notices.notify()
}

export const hideNotice = () => showNotice(undefined)

// Hide the notice on navigation, because it belongs to the previous screen.
if (!import.meta.env.SSR) addEventListener('hashchange', hideNotice)

/** Shows what was done, with an Undo button. */
export const offerUndo = (text: string, undo: Undo) => showNotice({ text, undo })

export const showError = ({ message }: Error, name?: string) =>
  showNotice({ text: name ? `${isolate(name)}: ${message}` : message })

/** Waits for the work and shows its result in a notice. Resolves to false if it failed. */
export const attempt = <Result,>(
  work: Promise<Result>,
  message: string | ((result: Result) => string),
  {
    about = '',
    makeUndo,
    computeShowMs,
  }: {
    about?: string
    makeUndo?: (result: Result) => Undo | undefined
    computeShowMs?: (result: Result) => number
  } = {},
) =>
  work.then(
    (result) => {
      showNotice({
        text: about + (typeof message === 'string' ? message : message(result)),
        undo: makeUndo?.(result),
        showMs: computeShowMs?.(result),
      })
      return true
    },
    (error: Error) => {
      // If the error is about a field, the form shows it below that field.
      const hasField = error instanceof Refused && error.field !== undefined
      if (!hasField) showNotice({ text: about + error.message })
      return false
    },
  )

/** Shows notices, and announces new leads and other people's calls to screen readers. */
export function Notice({ today }: { today: Polled<{ leads: LeadCard[] }> }) {
  const me = use(Me)
  const shown = useSignal(notices, () => notice)
  const [changes, setChanges] = useState('')
  const before = useRef<{ leads: LeadCard[]; trouble: string | undefined }>(undefined)
  const leads = today.data?.leads
  const { trouble } = today
  useEffect(() => {
    if (!leads) return
    const messages = before.current ? describeChanges(before.current.leads, leads, me) : []
    if (before.current && before.current.trouble !== trouble)
      messages.push(trouble ?? 'Back online.')
    before.current = { leads, trouble }
    // One call can change several requests and would be announced for each.
    if (messages.length > 0) setChanges([...new Set(messages)].join(' '))
  }, [leads, trouble, me])
  return (
    <>
      <div role="status">
        {shown && (
          <div className="notice">
            <p>{shown.text}</p>
            {shown.undo && (
              <button
                type="button"
                className="link"
                onClick={() => {
                  // Hide the notice first, because a second tap would send Undo again.
                  hideNotice()
                  shown.undo?.()
                }}
              >
                Undo
              </button>
            )}
          </div>
        )}
      </div>
      <p className="unseen" role="status">
        {changes}
      </p>
    </>
  )
}

function describeChanges(
  before: readonly LeadCard[],
  after: readonly LeadCard[],
  me: string,
): string[] {
  const known = new Map(before.map((lead) => [lead.id, lead]))
  // A lead that is older than the newest known one is not new. It has only moved up into the list.
  const newestAt = Math.max(...before.map(({ receivedAt }) => receivedAt))
  return after.flatMap((lead) => {
    const was = known.get(lead.id)
    const name = isolate(lead.name)
    if (!was && lead.receivedAt < newestAt) return []
    const town = lead.town && isolate(lead.town)
    if (!was) return [`New lead: ${[name, lead.service, town].filter(Boolean).join(', ')}.`]
    // The notice already reports your own actions.
    if (was.status === lead.status || isCaller(lead, me)) return []
    return [`${describeNews(lead, { name, caller: lead.caller })}.`]
  })
}
