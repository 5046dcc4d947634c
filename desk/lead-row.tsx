import { memo, useDeferredValue, useState } from 'react'
import { formatAgo } from '#leads/clock.ts'
import { isDueAgain } from '#leads/deadline.ts'
import type { EventKind } from '#leads/history.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { readOpenedAt, request } from './api.ts'
import { canCall, computeCountdown, isOpen } from './countdown.ts'
import { CountdownIcon } from './countdown-icon.tsx'
import { Button, Icon } from './elements.tsx'
import { attempt, isolate } from './notice.tsx'
import { useIsLive, useNow } from './use-polling.ts'

type Refresh = () => Promise<void>

// crypto.randomUUID is available only on HTTPS pages.
const makeId = () => crypto.getRandomValues(new Uint32Array(4)).join('-')

/** Sends the version that the page showed, so that the server can reject a late Undo. */
export function changeLead(
  lead: LeadCard,
  kind: EventKind,
  message: string,
  { refresh, canUndo = true }: { refresh: Refresh; canUndo?: boolean },
): Promise<void> {
  const body = { id: makeId(), kind, version: lead.version }
  const path = `/api/leads/${lead.id}/events`
  const work = request<{ lead: LeadCard } | undefined>('POST', path, { body })
  const undoThis = async () => undo({ ...lead, ...(await work)?.lead }, refresh)
  return attempt(work, message, {
    about: `${isolate(lead.name)}: `,
    undo: canUndo ? undoThis : undefined,
  }).then(refresh)
}

/** Undoes “I’m calling”, “No answer”, or an outcome, unless someone else has changed the lead since. */
export const undo = (lead: LeadCard, refresh: Refresh) =>
  changeLead(lead, 'undone', 'reopened.', { refresh, canUndo: false })

/** The link dials. The button then claims the lead, so that no one else calls. */
export function CallActions({
  lead,
  refresh,
  isNext,
}: {
  lead: LeadCard
  refresh: Refresh
  isNext: boolean
}) {
  const [hasDialed, setDialed] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const isLive = useIsLive()
  const canClaim = canCall(lead)
  const isOffered = hasDialed && canClaim
  const claim = async () => {
    setBusy(true)
    await changeLead(lead, 'called', 'the crew can see that you’re calling.', { refresh })
    setBusy(false)
    // The button that had the focus is gone.
    requestAnimationFrame(() => {
      if (document.activeElement === document.body)
        document.getElementById(`lead-${lead.id}`)?.focus({ preventScroll: true })
    })
  }
  return (
    <div className="actions">
      {isOffered && <p>Are you calling? Let the crew know.</p>}
      <a
        className="button"
        // Only the next call has the brand's color.
        data-quiet={isOffered || !canClaim || !isNext || undefined}
        href={lead.phone.callUrl}
        onClick={() => setDialed(true)}
        aria-label={`Call ${lead.phone.shown}`}
      >
        <Icon name="call" />
        {lead.phone.shown}
      </a>
      {canClaim && (
        <Button isPrimary={isOffered} disabled={isBusy || !isLive} onClick={claim}>
          I’m calling
        </Button>
      )}
    </div>
  )
}

type Listing = {
  hrefOf: (leadId: string) => string
  /** The lead that is open beside the list. */
  shownId: string | undefined
  refresh: Refresh
}

type Row = Omit<Listing, 'shownId'> & { lead: LeadCard; isShown: boolean; isNext: boolean }

// Each changed response creates new objects, but most rows have the same content.
const isSameRow = (a: Row, b: Row) =>
  a.hrefOf === b.hrefOf &&
  a.isShown === b.isShown &&
  a.isNext === b.isNext &&
  JSON.stringify(a.lead) === JSON.stringify(b.lead)

const minuteMs = 60_000

const LeadRow = memo(function LeadRow({ lead, hrefOf, isShown, isNext, refresh }: Row) {
  const hasSeconds = canCall(lead)
  const now = useNow(hasSeconds ? 1_000 : minuteMs)
  // Without seconds, the clock is up to a minute ahead.
  const isRecent = !hasSeconds && now - lead.receivedAt < minuteMs
  const countdown = computeCountdown(lead, now)
  const what = [!lead.isEmergency && lead.service, lead.town].filter(Boolean)
  return (
    <li
      className="card lead"
      data-mood={countdown.mood}
      // Animate leads that arrive after the page opened.
      data-new={lead.receivedAt > readOpenedAt() || undefined}
    >
      <div className="lead-top">
        <CountdownIcon {...countdown} />
        <div>
          <a
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
          <p className="small">
            <b className="lead-countdown">{countdown.text}</b>
            <span>{isRecent ? 'just now' : formatAgo(lead.receivedAt, now)}</span>
          </p>
        </div>
      </div>
      {(isOpen(lead) || isDueAgain(lead, now)) && (
        <CallActions lead={lead} refresh={refresh} isNext={isNext} />
      )}
    </li>
  )
}, isSameRow)

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
