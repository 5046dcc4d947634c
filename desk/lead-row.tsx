import { memo, useState } from 'react'
import type { LeadCard } from '#leads/desk/describe.ts'
import { ask } from './api.ts'
import { Clock } from './clock.tsx'
import { computeCountdown, isOpen } from './countdown.ts'
import { Icon } from './icons.tsx'
import { say } from './notice.tsx'
import { formatAgo, isolate } from './words.ts'

type Lead = { lead: LeadCard; onChange: () => Promise<void> }

/** One tap calls; then whoever called says so, before somebody else calls as well. */
export function CallActions({ lead, onChange }: Lead) {
  const [hasDialed, setDialed] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const name = isolate(lead.name)
  const claim = async () => {
    setBusy(true)
    const said = await ask('POST', `/api/leads/${lead.id}/calling`).then(
      () => `You are calling ${name}.`,
      (error: Error) => `${name}: ${error.message}`,
    )
    say(said)
    await onChange()
    setBusy(false)
    // The button is gone by now, and the focus with it.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body)
        document.getElementById(`lead-${lead.id}`)?.focus()
    })
  }
  const canClaim = isOpen(lead)
  const isOffered = hasDialed && canClaim
  return (
    <div className="actions">
      {isOffered && <p>Calling? Say so, and nobody else calls.</p>}
      <a
        className="button"
        data-quiet={isOffered || !canClaim || undefined}
        href={lead.phone.callUrl}
        onClick={() => setDialed(true)}
      >
        <Icon name="call" />
        <span>
          <span className="unseen">Call </span>
          {lead.phone.shown}
        </span>
      </a>
      {canClaim && (
        <button
          type="button"
          className="button"
          data-quiet={!isOffered || undefined}
          disabled={isBusy}
          onClick={claim}
        >
          I am calling
        </button>
      )}
    </div>
  )
}

/** What a list shows of a lead. Only what is open needs every second. */
export const LeadRow = memo(function LeadRow({
  lead,
  now,
  href,
  isShown,
  onChange,
}: Lead & { now: number; href: string; isShown: boolean }) {
  const countdown = computeCountdown(lead, now)
  const what = lead.isEmergency ? [] : [lead.service]
  return (
    <li className="lead" data-mood={countdown.mood} data-alarm={lead.isEmergency || undefined}>
      <div className="lead-top">
        <Clock {...countdown} />
        <div className="lead-facts">
          <a
            className="lead-name"
            id={`lead-${lead.id}`}
            href={href}
            dir="auto"
            aria-current={isShown || undefined}
          >
            {lead.name}
          </a>
          <p className="lead-what">
            {lead.isEmergency && <b className="tag">Emergency</b>}
            {[...what, lead.town].filter(Boolean).map((text) => (
              <bdi key={text}>{text}</bdi>
            ))}
          </p>
          <p className="lead-when">
            <b className="lead-words">{countdown.words}</b>{' '}
            <span>{formatAgo(lead.receivedAt, now)}</span>
          </p>
        </div>
      </div>
      {isOpen(lead) && <CallActions lead={lead} onChange={onChange} />}
    </li>
  )
})

const minuteMs = 60_000

export function LeadList({
  leads,
  now,
  hrefOf,
  shownId,
  onChange,
}: {
  leads: readonly LeadCard[]
  now: number
  hrefOf: (leadId: string) => string
  shownId: string | undefined
  onChange: () => Promise<void>
}) {
  const minute = Math.ceil(now / minuteMs) * minuteMs
  return (
    <ul className="leads">
      {leads.map((lead) => (
        <LeadRow
          key={lead.id}
          lead={lead}
          now={isOpen(lead) ? now : minute}
          href={hrefOf(lead.id)}
          isShown={lead.id === shownId}
          onChange={onChange}
        />
      ))}
    </ul>
  )
}
