import { type ReactNode, use, useEffect, useRef, useState } from 'react'
import { formatAgo, formatShortClock } from '#leads/clock.ts'
import { needsCall } from '#leads/lead-state.ts'
import type { LeadCard, LeadInFull } from '#leads/reports/describe.ts'
import { statuses } from '#leads/statuses.ts'
import { dayMs, minuteMs } from '#leads/time-units.ts'
import { chooseWords, count } from '#leads/words.ts'
import { readClock, request } from '../api.ts'
import {
  CallActions,
  dialsHere,
  NotCalled,
  NoteField,
  UndoButton,
  Unsent,
} from '../call-actions.tsx'
import { ChangeTime } from '../call-times.tsx'
import {
  type Card,
  canCall,
  findCall,
  findOwnCall,
  hasEmergency,
  nameRequest,
  readCard,
} from '../cards.ts'
import { CorrectLead } from '../correct-lead.tsx'
import { computeCountdown, readTime } from '../countdown.ts'
import { CountdownIcon } from '../countdown-icon.tsx'
import { Button, Heading, MailLink, MapLink } from '../elements.tsx'
import { EventButtons } from '../event-buttons.tsx'
import { keepLoaded } from '../loaded.ts'
import { Me } from '../me.ts'
import { attempt } from '../notice.tsx'
import { findUndoKind, usePress } from '../press.ts'
import { formatRoute, replaceHash } from '../route.ts'
import { refresh, useClock, usePolling } from '../use-polling.ts'
import { EraseDialog } from './erase-dialog.tsx'
import { History } from './history.tsx'

type Answer = { lead: LeadInFull }

export function LeadScreen({
  id,
  loaded,
  isChosen,
  canErase,
}: {
  id: string
  /** The card to show until the whole lead is loaded. */
  loaded: Card | undefined
  /** False if the desk opened the lead automatically. In that case, the focus must not move. */
  isChosen: boolean
  canErase: boolean
}) {
  const clock = useClock()
  const me = use(Me)
  const { data, trouble, isGone } = usePolling<Answer>(`/api/leads/${id}`)
  const press = usePress()
  const [erased, setErased] = useState<string>()
  const dialog = useRef<HTMLDialogElement>(null)
  const callUrl = data?.lead.phone?.callUrl
  useEffect(() => {
    // A notification's “Call” button opens this route, because a service worker cannot dial.
    if (!callUrl || !location.hash.endsWith('/call')) return
    replaceHash(formatRoute({ leadId: id }))
    if (data && canCall(readCard(data.lead), readClock()) && dialsHere())
      void press({ lead: data.lead }, { kind: 'called' })
    location.assign(callUrl)
  }, [callUrl, id, data, press])
  useEffect(() => {
    if (data) keepLoaded([...data.lead.sameNumber, ...data.lead.sameEmail])
  }, [data])
  if (erased !== undefined || isGone)
    return (
      <>
        <Heading isTarget={isChosen}>This lead was erased</Heading>
        <p>{erased ?? 'Someone erased it.'}</p>
      </>
    )
  const card = data ? readCard(data.lead) : loaded
  if (!card) return <p>{trouble ?? 'Loading…'}</p>
  const { lead } = card
  const countdown = computeCountdown(lead, clock, me)
  const retry = () =>
    attempt(request('POST', `/api/leads/${id}/retry`), 'Retrying now.').then(refresh)
  const call = findCall([lead, ...(data?.lead.sameNumber ?? card.others ?? [])], me)
  // A call about a different request from the same phone number.
  const otherCall =
    call && call !== lead
      ? computeCountdown({ ...call, isEmergency: hasEmergency(card) }, clock, me)
      : undefined
  const ownCall = findOwnCall(card, me)
  const last = data && findUndoKind(data.lead)
  // After “Done”, the only result left is “Not a lead”, so show it among the corrections.
  const isDone = lead.status === 'done'
  const results = <EventButtons card={card} place="results" />
  return (
    <>
      <div className="lead-top lead-head" data-mood={countdown.mood}>
        <CountdownIcon {...(otherCall ?? countdown)} />
        <div>
          <Heading isTarget={isChosen}>{lead.name}</Heading>
          {otherCall && <b className="lead-countdown">{otherCall.text}</b>}
          <p>
            {lead.isEmergency && <b className="tag">Emergency</b>}
            <b className="lead-countdown">{otherCall ? readTime(countdown) : countdown.text}</b>
          </p>
          <p className="small">
            {'Received '}
            {/* After a day, the age shown is already the date. */}
            {clock.now - lead.receivedAt < dayMs && `${formatShortClock(lead.receivedAt, clock)}, `}
            {formatAgo(lead.receivedAt, clock)}
          </p>
          <MapLink address={lead.address} />
        </div>
      </div>
      <div
        className="controls"
        data-calling={ownCall && true}
        data-mood={ownCall && (hasEmergency(card) ? 'urgent' : 'calling')}
      >
        <CallActions card={card} isNext />
        {!ownCall && needsCall(lead) && (
          <p className="small prompt">Already {chooseWords(lead).called}? Enter the result:</p>
        )}
        {!isDone && results}
        {ownCall && <NotCalled card={card} />}
        <EventButtons card={card} place="sale" />
        <ChangeTime card={card} />
        <NoteField card={card} />
        <div className="corrections">
          {isDone && results}
          {last && ownCall !== lead && <UndoButton lead={lead} last={last} />}
        </div>
        <Unsent lead={lead} />
      </div>
      {data ? (
        <>
          <Facts {...data.lead} />
          <CorrectLead lead={data.lead} />
          <OtherRequests leads={data.lead.sameNumber}>
            {count(data.lead.sameNumber.length, 'other request', 'other requests')} with this number
          </OtherRequests>
          <OtherRequests leads={data.lead.sameEmail} showsPhone>
            Same email
          </OtherRequests>
          <History lead={data.lead} clock={clock}>
            <Button onClick={retry}>Retry now</Button>
          </History>
          {canErase && (
            <button
              type="button"
              className="link erase"
              onClick={() => dialog.current?.showModal()}
            >
              Erase this lead…
            </button>
          )}
          <EraseDialog
            dialog={dialog}
            lead={data.lead}
            onErased={(message) => {
              setErased(message)
              void refresh()
            }}
          />
        </>
      ) : (
        <>
          <Facts fields={listKnown(lead)} />
          <p className="quiet">
            {trouble ? 'The history couldn’t be loaded. Retrying automatically.' : 'Loading…'}
          </p>
        </>
      )}
    </>
  )
}

function OtherRequests({
  leads,
  showsPhone,
  children,
}: {
  leads: readonly LeadCard[]
  showsPhone?: boolean
  children: ReactNode
}) {
  const clock = useClock(minuteMs)
  if (leads.length === 0) return null
  return (
    <section>
      <h2>{children}</h2>
      <ul className="requests">
        {leads.map((lead) => (
          <li key={lead.id}>
            <a href={formatRoute({ leadId: lead.id })} dir="auto">
              {nameRequest(lead)}
            </a>
            <p className="small quiet">
              {[
                formatAgo(lead.receivedAt, clock),
                statuses[lead.status].label,
                showsPhone && (lead.phone?.shown ?? 'no number'),
              ]
                .filter(Boolean)
                .join(' · ')}
            </p>
          </li>
        ))}
      </ul>
    </section>
  )
}

const inHead: readonly string[] = ['name', 'phone', 'address']

const listKnown = ({ service, email }: LeadCard): LeadInFull['fields'] =>
  [
    { name: 'serviceType' as const, label: 'Service', text: service },
    { name: 'email' as const, label: 'Email', text: email },
  ].filter(({ text }) => text)

type Shown = Pick<LeadInFull, 'fields'> &
  Partial<Pick<LeadInFull, 'source' | 'consent' | 'suspicion'>>

function Facts({ fields, source, consent, suspicion }: Shown) {
  const show = ({ name, text }: LeadInFull['fields'][number]) => {
    if (name !== 'email') return text
    const [user, host] = text.split('@')
    return (
      <MailLink email={text}>
        {user}
        <wbr />@{host}
      </MailLink>
    )
  }
  const others = fields.filter(({ name }) => !inHead.includes(name))
  const facts = {
    ...Object.fromEntries(others.map((field) => [field.label, show(field)])),
    ...(source && { Source: source }),
    ...(suspicion && { 'Possible spam': suspicion }),
    ...(consent && { Consent: <span className="small">{consent}</span> }),
  }
  return (
    <dl className="card facts">
      {Object.entries(facts).map(([name, fact]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd dir="auto">{fact}</dd>
        </div>
      ))}
    </dl>
  )
}
