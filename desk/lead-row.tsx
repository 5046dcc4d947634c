import { Fragment, memo, use, useDeferredValue, useEffect, useRef } from 'react'
import { dayMs, formatAgo } from '#leads/clock.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { readOpenedAt } from './api.ts'
import { CallActions, ChangeTime, NoteField, Outcomes, Unsent } from './call-actions.tsx'
import { canCall, computeCountdown, isOpen } from './countdown.ts'
import { CountdownIcon } from './countdown-icon.tsx'
import { Me } from './me.ts'
import { type Refresh, takeChange } from './press.ts'
import { formatRoute } from './route.ts'
import { useAtNow, useNow } from './use-polling.ts'

type Listing = {
  hrefOf: (leadId: string) => string
  /** The lead that is open beside the list. */
  shownId: string | undefined
  refresh: Refresh
  /** Leads that you are calling show the outcomes and a field for a note. */
  isCalling?: boolean
}

type Row = Omit<Listing, 'shownId'> & { lead: LeadCard; isShown: boolean; isNext: boolean }

// Each changed response creates new objects, but most rows have the same content.
const isSameRow = (a: Row, b: Row) =>
  a.hrefOf === b.hrefOf &&
  a.isShown === b.isShown &&
  a.isNext === b.isNext &&
  JSON.stringify(a.lead) === JSON.stringify(b.lead)

const LeadRow = memo(function LeadRow({ lead, hrefOf, isShown, isNext, isCalling, refresh }: Row) {
  const me = use(Me)
  const now = useNow(canCall(lead) ? 1_000 : 60_000)
  const age = useAtNow((exact) => formatAgo(lead.receivedAt, exact))
  const countdown = computeCountdown(lead, now, me)
  const what = [!lead.isEmergency && lead.service, lead.town].filter(Boolean)
  const actions = { lead, refresh }
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    // The pressed button is gone, and the card may be in another group. Do not interrupt someone who types.
    if (takeChange(lead.id, lead.status) && !document.activeElement?.matches('input, textarea'))
      link.current?.focus()
  }, [lead.id, lead.status])
  return (
    <li
      className="card lead"
      data-mood={countdown.mood}
      data-calling={isCalling}
      // Animate leads that arrive after the page opened.
      data-new={lead.receivedAt > readOpenedAt() || undefined}
    >
      <div className="lead-top">
        <CountdownIcon {...countdown} />
        <div>
          {isCalling && (
            <>
              <b className="lead-countdown">{countdown.text}</b>{' '}
            </>
          )}
          <a
            ref={link}
            className="lead-name"
            id={`lead-${lead.id}`}
            href={hrefOf(lead.id)}
            dir="auto"
            aria-current={isShown || undefined}
          >
            {lead.name}
          </a>
          <p className="small">
            {lead.isEmergency && <b className="tag">Emergency</b>}
            <bdi>{what.join(' · ')}</bdi>
          </p>
          {!isCalling && (
            <p className="small">
              <b className="lead-countdown">{countdown.text}</b>
              <span>{age}</span>
            </p>
          )}
        </div>
      </div>
      {lead.lastNote && (
        <p className="small last-note" dir="auto">
          {lead.lastNote.person ?? 'Someone'}: {lead.lastNote.text}
        </p>
      )}
      <AlsoAsked lead={lead} />
      {(isCalling || isOpen(lead) || lead.status === 'call-again') && (
        <CallActions isNext={isNext} {...actions} />
      )}
      {isCalling && (
        <>
          <Outcomes {...actions} />
          <NoteField {...actions} />
        </>
      )}
      {lead.status === 'call-again' && <ChangeTime {...actions} />}
      <Unsent lead={lead} />
    </li>
  )
}, isSameRow)

/** Links to the homeowner's other requests. */
export function AlsoAsked({ lead: { others, moreOthers } }: { lead: LeadCard }) {
  if (others.length === 0) return null
  return (
    <p className="small quiet also-asked">
      Also asked{' '}
      {others.map(({ id, receivedAt }, at) => (
        <Fragment key={id}>
          {at > 0 && (moreOthers > 0 ? ', ' : ' and ')}
          <RequestLink id={id} receivedAt={receivedAt} />
        </Fragment>
      ))}
      {moreOthers > 0 && `, and ${moreOthers} more`}
    </p>
  )
}

function RequestLink({ id, receivedAt }: LeadCard['others'][number]) {
  const age = useAtNow((now) => formatAgo(receivedAt, now))
  const isDate = useAtNow((now) => now - receivedAt >= dayMs)
  return (
    <>
      {isDate && 'on '}
      <a href={formatRoute({ leadId: id })}>{age}</a>
    </>
  )
}

// The number of rows that fit on a screen. The server renders these, and the browser adds the rest in small
// steps, so that a slow phone stays responsive.
const firstScreenful = 8

export function LeadList({
  leads,
  shownId,
  startsWithNext = false,
  ...row
}: Listing & { leads: readonly LeadCard[]; startsWithNext?: boolean }) {
  const most = useDeferredValue(Number.POSITIVE_INFINITY, firstScreenful)
  return (
    <ul className="leads">
      {leads.slice(0, most).map((lead, index) => (
        <LeadRow
          key={lead.id}
          lead={lead}
          isShown={lead.id === shownId}
          isNext={startsWithNext && index === 0}
          {...row}
        />
      ))}
    </ul>
  )
}
