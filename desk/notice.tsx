import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import type { LeadCard } from '#leads/desk/describe.ts'
import { isOpen } from './countdown.ts'
import type { Fresh } from './use-fresh.ts'
import { isolate } from './words.ts'

const shownMs = 10_000
let notice = ''
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

/** Says what became of something somebody did, wherever they are by then. */
export function say(text: string) {
  notice = text
  clearTimeout(timer)
  if (text) timer = setTimeout(() => say(''), shownMs)
  for (const tell of listeners) tell()
}

const listen = (tell: () => void) => {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

export function Notice() {
  const text = useSyncExternalStore(listen, () => notice)
  return (
    <div className="notice" role="status">
      {text && (
        <>
          <p>{text}</p>
          <button type="button" onClick={() => say('')}>
            OK
          </button>
        </>
      )}
    </div>
  )
}

/** Tells a screen reader what others did and who is new; never the ticking of the clock. */
export function Announcer({ today }: { today: Fresh<{ leads: LeadCard[] }> }) {
  const before = useRef<{ leads: LeadCard[]; trouble: string | undefined } | undefined>(undefined)
  const [said, setSaid] = useState('')
  const leads = today.data?.leads
  const { trouble } = today
  useEffect(() => {
    if (!leads) return
    const was = before.current
    before.current = { leads, trouble }
    if (!was) return
    const changes = was.leads === leads ? [] : describeChanges(was.leads, leads)
    if (was.trouble !== trouble) changes.push(trouble ?? 'Connected again.')
    if (changes.length > 0) setSaid(changes.join(' '))
  }, [leads, trouble])
  return (
    <p className="unseen" role="status">
      {said}
    </p>
  )
}

function describeChanges(before: readonly LeadCard[], after: readonly LeadCard[]): string[] {
  const known = new Map(before.map((lead) => [lead.id, lead]))
  return after.flatMap((lead) => {
    const was = known.get(lead.id)
    const name = isolate(lead.name)
    if (!was) return [`New: ${name}, ${[lead.service, lead.town].filter(Boolean).join(', ')}.`]
    if (isOpen(was) && lead.answeredAt !== null)
      return [`${lead.answeredName ?? 'Somebody'} is calling ${name}.`]
    return []
  })
}
