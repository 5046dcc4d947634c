import { memo, use, useDeferredValue } from 'react'
import { formatAgo } from '#leads/clock.ts'
import { isClosed, needsCall, readNeed } from '#leads/lead-state.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { describeDetails } from '#leads/sale.ts'
import { statuses } from '#leads/statuses.ts'
import { minuteMs } from '#leads/time-units.ts'
import { computeCountdown, readTime } from './countdown.ts'
import { CountdownIcon } from './countdown-icon.tsx'
import { firstScreenful, isSame } from './lead-row.tsx'
import { Me } from './me.ts'
import { useClock } from './use-polling.ts'

type Line = { lead: LeadCard; href: string; isShown: boolean }

const LeadLine = memo(function LeadLine({ lead, href, isShown }: Line) {
  const me = use(Me)
  const clock = useClock(needsCall(lead) ? 1_000 : minuteMs)
  const countdown = computeCountdown(lead, clock, me)
  return (
    <li id={`lead-${lead.id}`} className="line" data-mood={countdown.mood}>
      <CountdownIcon {...countdown} />
      <a className="lead-name" href={href} dir="auto" aria-current={isShown || undefined}>
        {lead.name}
      </a>
      <span className="line-service">
        {lead.isEmergency && !isClosed(lead) ? <b className="tag">Emergency</b> : lead.service}
      </span>
      <span className="line-town" dir="auto">
        {lead.town}
      </span>
      <b className="line-status">
        {readNeed(lead) === 'first-call' ? readTime(countdown) : statuses[lead.status].label}
      </b>
      <span className="line-result">{describeDetails(lead)}</span>
      <span className="line-age">{formatAgo(lead.receivedAt, clock)}</span>
      <span className="line-caller" dir="auto">
        {lead.caller}
      </span>
    </li>
  )
}, isSame)

/** Shows each lead on one line, or on several where the list is narrow. */
export function LeadLines({
  leads,
  hrefOf,
  shownId,
}: {
  leads: readonly LeadCard[]
  hrefOf: (leadId: string) => string
  shownId: string | undefined
}) {
  const most = useDeferredValue(Number.POSITIVE_INFINITY, firstScreenful)
  if (leads.length === 0) return null
  return (
    <ul className="lines">
      <li className="line-head" aria-hidden="true">
        {['Name', 'Service', 'Town', 'Status', 'Result', 'Received', 'Caller'].map((label) => (
          <span key={label}>{label}</span>
        ))}
      </li>
      {leads.slice(0, most).map((lead) => (
        <LeadLine key={lead.id} lead={lead} href={hrefOf(lead.id)} isShown={lead.id === shownId} />
      ))}
    </ul>
  )
}
