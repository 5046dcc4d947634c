import { memo, useState } from 'react'
import type { LeadCard } from '#leads/desk/describe.ts'
import { ask } from './api.ts'
import { Clock } from './clock.tsx'
import { computeCountdown, isOpen } from './countdown.ts'
import { Icon } from './icons.tsx'
import { attempt } from './notice.tsx'
import { formatAgo, isolate } from './words.ts'

type Refresh = () => Promise<void>

/** One tap calls; then whoever called says so, before somebody else calls as well. */
export function CallActions({ lead, refresh }: { lead: LeadCard; refresh: Refresh }) {
  const [hasDialed, setDialed] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const canClaim = isOpen(lead)
  const isOffered = hasDialed && canClaim
  const claim = async () => {
    setBusy(true)
    const work = ask('POST', `/api/leads/${lead.id}/calling`)
    await attempt(work, 'you are calling.', `${isolate(lead.name)}: `)
    await refresh()
    setBusy(false)
    // The button is gone by now, and the focus with it.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body)
        document.getElementById(`lead-${lead.id}`)?.focus()
    })
  }
  return (
    <div className="actions">
      {isOffered && <p>Calling? Say so, and nobody else does.</p>}
      <a
        className="button"
        data-quiet={isOffered || !canClaim || undefined}
        href={lead.phone.callUrl}
        onClick={() => setDialed(true)}
        aria-label={`Call ${lead.phone.shown}`}
      >
        <Icon name="call" />
        {lead.phone.shown}
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

const LeadRow = memo(function LeadRow({
  lead,
  now,
  href,
  isShown,
  refresh,
}: {
  lead: LeadCard
  now: number
  href: string
  isShown: boolean
  refresh: Refresh
}) {
  const countdown = computeCountdown(lead, now)
  const what = [!lead.isEmergency && lead.service, lead.town].filter(Boolean)
  return (
    <li className="card lead" data-mood={countdown.mood}>
      <div className="lead-top">
        <Clock {...countdown} />
        <div>
          <a
            className="lead-name"
            id={`lead-${lead.id}`}
            href={href}
            dir="auto"
            aria-current={isShown || undefined}
          >
            {lead.name}
          </a>
          <p className="small">
            {lead.isEmergency && <b className="tag">Emergency</b>}
            <bdi>{what.join(' · ')}</bdi>
          </p>
          <p className="small">
            <b className="lead-words">{countdown.words}</b>
            <span>{formatAgo(lead.receivedAt, now)}</span>
          </p>
        </div>
      </div>
      {isOpen(lead) && <CallActions lead={lead} refresh={refresh} />}
    </li>
  )
})

const minuteMs = 60_000

export function LeadList({
  leads,
  now,
  hrefOf,
  shownId,
  refresh,
}: {
  leads: readonly LeadCard[]
  now: number
  hrefOf: (leadId: string) => string
  shownId: string | undefined
  refresh: Refresh
}) {
  // Only what is open is drawn again every second.
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
          refresh={refresh}
        />
      ))}
    </ul>
  )
}
