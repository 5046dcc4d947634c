import { useEffect, useRef, useState } from 'react'
import type { LeadCard } from '#leads/desk/describe.ts'
import { isOpen } from './countdown.ts'
import { createSignal, useSignal } from './signal.ts'
import type { Fresh } from './use-fresh.ts'
import { isolate } from './words.ts'

const shownMs = 10_000
let notice = ''
let timer: ReturnType<typeof setTimeout> | undefined
const notices = createSignal()

/** Says what became of something somebody did, wherever they are by then. */
export function say(text: string) {
  notice = text
  clearTimeout(timer)
  if (text) timer = setTimeout(() => say(''), shownMs)
  notices.tell()
}

/** Does it and says how it went. */
export const attempt = (work: Promise<unknown>, said: string, about = '') =>
  work.then(
    () => say(about + said),
    (error: Error) => say(about + error.message),
  )

/** Notices; and, for screen readers, what others did and who is new. Never the ticking of the clock. */
export function Notice({ today }: { today: Fresh<{ leads: LeadCard[] }> }) {
  const text = useSignal(notices, () => notice)
  const [changes, setChanges] = useState('')
  const before = useRef<{ leads: LeadCard[]; trouble: string | undefined }>(undefined)
  const leads = today.data?.leads
  const { trouble } = today
  useEffect(() => {
    if (!leads) return
    const said = before.current ? describeChanges(before.current.leads, leads) : []
    if (before.current && before.current.trouble !== trouble)
      said.push(trouble ?? 'Connected again.')
    before.current = { leads, trouble }
    if (said.length > 0) setChanges(said.join(' '))
  }, [leads, trouble])
  return (
    <>
      <div role="status">{text && <p className="notice">{text}</p>}</div>
      <p className="unseen" role="status">
        {changes}
      </p>
    </>
  )
}

function describeChanges(before: readonly LeadCard[], after: readonly LeadCard[]): string[] {
  const known = new Map(before.map((lead) => [lead.id, lead]))
  return after.flatMap((lead) => {
    const was = known.get(lead.id)
    const name = isolate(lead.name)
    if (!was) return [`New: ${name}, ${lead.service} ${isolate(lead.town)}.`]
    if (!isOpen(was) || lead.answeredAt === null) return []
    return [`${lead.answeredName ?? 'Somebody'} is calling ${name}.`]
  })
}
