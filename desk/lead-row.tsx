import { memo, use, useDeferredValue } from 'react'
import { formatAgo } from '#leads/clock.ts'
import { needsCall } from '#leads/lead-state.ts'
import { minuteMs } from '#leads/time-units.ts'
import { readClock, readOpenedAt } from './api.ts'
import { CallActions, NotCalled, NoteField, Unsent } from './call-actions.tsx'
import { ChangeTime } from './call-times.tsx'
import {
  areDifferent,
  type Card,
  canCall,
  computeCardCountdown,
  describeRequests,
  findCall,
  hasEmergency,
  listRequests,
  nameRequest,
} from './cards.ts'
import { computeCountdown, readTime } from './countdown.ts'
import { CountdownIcon } from './countdown-icon.tsx'
import { MapLink } from './elements.tsx'
import { EventButtons } from './event-buttons.tsx'
import { Me } from './me.ts'
import { formatRoute } from './route.ts'
import { useClock, useNow } from './use-polling.ts'

type Listing = {
  /** The lead that is open beside the list. */
  shownId: string | undefined
  /** True for leads that you are calling. They show buttons for the result and a field for a note. */
  isCalling?: boolean
}

type Row = Omit<Listing, 'shownId'> & { card: Card; isShown: boolean; isNext: boolean }

// Compare the content, because a response creates new objects even for leads that have not changed.
export const isSame = (a: object, b: object) => JSON.stringify(a) === JSON.stringify(b)

const CardRow = memo(function CardRow({ card, isShown, isNext, isCalling }: Row) {
  const me = use(Me)
  const { lead } = card
  const clock = useClock(needsCall(lead) ? 1_000 : minuteMs)
  const age = useNow((now) => formatAgo(lead.receivedAt, { ...clock, now }))
  const countdown = computeCardCountdown(card, clock, me)
  const requests = listRequests(card)
  const call = findCall(requests, me)
  const isEmergency = hasEmergency(card)
  // A call about a different request on the card.
  const otherCall =
    call && call !== lead ? computeCountdown({ ...call, isEmergency }, clock, me) : undefined
  const note = requests.find(({ lastNote }) => lastNote)?.lastNote
  const services = requests.map(({ service, isEmergency }) => !isEmergency && service)
  const what = [...new Set([...services, lead.town])].filter(Boolean)
  const others = describeRequests(card)
  return (
    <li
      id={`lead-${lead.id}`}
      className="card lead"
      data-mood={countdown.mood}
      data-calling={isCalling}
      // Animate leads that arrive after the page opened.
      data-new={lead.receivedAt > readOpenedAt() || undefined}
    >
      <div className="lead-top">
        <CountdownIcon {...(otherCall ?? countdown)} />
        <div>
          {(isCalling || otherCall) && (
            <>
              <b className="lead-countdown">{(otherCall ?? countdown).text}</b>{' '}
            </>
          )}
          <a
            className="lead-name"
            href={formatRoute({ leadId: lead.id })}
            dir="auto"
            aria-current={isShown || undefined}
          >
            {lead.name}
          </a>
          <p className="small">
            {isEmergency && <b className="tag">Emergency</b>}
            <bdi>{what.join(' · ')}</bdi>
          </p>
          {others && <p className="small">{others}</p>}
          {!isCalling && (
            <p className="small lead-times">
              <b className="lead-countdown">{otherCall ? readTime(countdown) : countdown.text}</b>{' '}
              <span>received {age}</span>
            </p>
          )}
        </div>
      </div>
      {note && (
        <p className="small last-note" dir="auto">
          {note.person ?? 'Someone'}: {note.text}
        </p>
      )}
      {areDifferent(card) && <Requests card={card} />}
      {/* If the lead is open beside the list, its pane has these buttons. */}
      {!isShown && (
        <>
          {(isCalling || needsCall(lead)) && (
            <CallActions card={card} isNext={isNext || countdown.mood === 'late'} />
          )}
          {isCalling && (
            <>
              <MapLink address={lead.address} />
              <EventButtons card={card} place="results" />
              <NotCalled card={card} />
              <NoteField card={card} />
            </>
          )}
          {/* The server put the lead back on the list, because nobody entered the result of the call. */}
          {lead.status === 'no-result' && (
            <details>
              <summary>Enter the result</summary>
              <EventButtons card={card} place="results" />
            </details>
          )}
          <ChangeTime card={card} />
          <Unsent lead={lead} />
        </>
      )}
    </li>
  )
}, isSame)

const maxShown = 3

function Requests({ card }: { card: Card }) {
  const shown = listRequests(card).slice(0, maxShown)
  return (
    <ul className="requests small">
      {shown.map((lead) => (
        <li key={lead.id}>
          <a href={formatRoute({ leadId: lead.id })} dir="auto">
            {nameRequest(lead)}
          </a>
        </li>
      ))}
      {card.requests > shown.length && (
        <li>
          <a href={formatRoute({ leadId: card.lead.id })}>
            and {card.requests - shown.length} more
          </a>
        </li>
      )}
    </ul>
  )
}

// About as many rows as fit on a screen. The server renders these, and the browser renders the rest in the background,
// so that a slow phone stays responsive.
export const firstScreenful = 8

export function CardList({
  cards,
  shownId,
  startsWithNext = false,
  ...row
}: Listing & { cards: readonly Card[]; startsWithNext?: boolean }) {
  const most = useDeferredValue(Number.POSITIVE_INFINITY, firstScreenful)
  const next = startsWithNext ? cards.find((card) => canCall(card, readClock())) : undefined
  return (
    <ul className="leads">
      {cards.slice(0, most).map((card) => (
        <CardRow
          key={card.lead.id}
          card={card}
          isShown={listRequests(card).some(({ id }) => id === shownId)}
          isNext={card === next}
          {...row}
        />
      ))}
    </ul>
  )
}
