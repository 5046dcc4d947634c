import { use, useEffect, useRef, useState } from 'react'
import { dayMs, formatAgo, formatShortClock } from '#leads/clock.ts'
import type { LeadInFull } from '#leads/reports/describe.ts'
import { request } from '../api.ts'
import { CallActions, ChangeTime, NoteField, Outcomes, Unsent } from '../call-actions.tsx'
import { computeCountdown } from '../countdown.ts'
import { CountdownIcon } from '../countdown-icon.tsx'
import { Button, Heading, MailLink } from '../elements.tsx'
import { useKeptFocus } from '../kept-focus.ts'
import { AlsoAsked } from '../lead-row.tsx'
import { isCaller, Me } from '../me.ts'
import { attempt } from '../notice.tsx'
import { useUnsent } from '../outbox.ts'
import { computeLastChange, nameUndo, type Refresh, usePress } from '../press.ts'
import { RetryAll } from '../retry-all.tsx'
import { formatRoute, replaceHash } from '../route.ts'
import { useNow, usePolling } from '../use-polling.ts'
import { EraseDialog } from './erase-dialog.tsx'
import { History } from './history.tsx'

type Answer = { lead: LeadInFull }

export function Lead({
  id,
  refreshList,
  canErase,
}: {
  id: string
  refreshList: () => Promise<void>
  canErase: boolean
}) {
  const now = useNow()
  const me = use(Me)
  const { data, trouble, isGone, refresh } = usePolling<Answer>(`/api/leads/${id}`)
  const [erased, setErased] = useState<string>()
  const dialog = useRef<HTMLDialogElement>(null)
  useKeptFocus()
  const callUrl = data?.lead.phone?.callUrl
  useEffect(() => {
    // The notification's “Call” button opens this route, because a service worker cannot dial.
    if (!callUrl || !location.hash.endsWith('/call')) return
    replaceHash(formatRoute({ leadId: id }))
    location.assign(callUrl)
  }, [callUrl, id])
  if (erased !== undefined || isGone)
    return (
      <>
        <Heading>This lead was erased</Heading>
        <p>{erased ?? 'Someone erased it.'}</p>
      </>
    )
  if (!data) return <p>{trouble ?? 'Loading…'}</p>
  const { lead } = data
  const countdown = computeCountdown(lead, now, me)
  const refreshBoth = async () => {
    await Promise.all([refresh(), refreshList()])
  }
  const retry = () =>
    attempt(request('POST', `/api/leads/${id}/retry`), 'Retrying now.').then(refreshBoth)
  const isMine = lead.status === 'calling' && isCaller(lead, me)
  const actions = { lead, refresh: refreshBoth }
  return (
    <>
      <div className="lead-top lead-head" data-mood={countdown.mood}>
        <CountdownIcon {...countdown} />
        <div>
          <Heading>{lead.name}</Heading>
          <p>
            {lead.isEmergency && <b className="tag">Emergency</b>}
            <b className="lead-countdown">{countdown.text}</b>
          </p>
          <p className="small">
            {/* After a day, the age is the date. */}
            {now - lead.receivedAt < dayMs && `${formatShortClock(lead.receivedAt, now)}, `}
            {formatAgo(lead.receivedAt, now)}
          </p>
        </div>
      </div>
      <AlsoAsked lead={lead} />
      <div className="controls" data-calling={isMine || undefined}>
        <CallActions isNext {...actions} />
        <Outcomes {...actions} />
        {lead.status === 'call-again' && <ChangeTime {...actions} />}
        <NoteField {...actions} />
        <UndoLast {...actions} />
        <Unsent lead={lead} />
      </div>
      <Facts lead={lead} />
      <History lead={lead} now={now}>
        <Button onClick={retry}>Retry now</Button>
        <RetryAll refresh={refreshBoth}>Retry for all leads</RetryAll>
      </History>
      {canErase && (
        <button type="button" className="link erase" onClick={() => dialog.current?.showModal()}>
          Erase this lead…
        </button>
      )}
      <EraseDialog
        dialog={dialog}
        lead={lead}
        onErased={(message) => {
          setErased(message)
          void refreshList()
        }}
      />
    </>
  )
}

/** Undoes the newest change, even one by someone else. */
function UndoLast({ lead, refresh }: { lead: LeadInFull; refresh: Refresh }) {
  const press = usePress(refresh)
  const unsent = useUnsent(lead.id)
  const last = computeLastChange(lead)
  if (!last) return null
  return (
    <button
      type="button"
      className="link"
      // Until the earlier press is sent, this would undo something else.
      disabled={unsent.length > 0}
      onClick={() => press(lead, { kind: 'undone' }, last)}
    >
      {nameUndo(last, lead)}
    </button>
  )
}

function Facts({ lead }: { lead: LeadInFull }) {
  const show = ({ name, text }: LeadInFull['fields'][number]) => {
    if (name === 'address')
      return (
        <a href={lead.mapUrl ?? undefined} target="_blank" rel="noreferrer">
          {text}
          <span className="unseen"> (opens a map)</span>
        </a>
      )
    if (name === 'email') return <MailLink email={text}>{text}</MailLink>
    return text
  }
  const fields = lead.fields.filter(({ name }) => name !== 'name' && name !== 'phone')
  const facts = {
    ...Object.fromEntries(fields.map((field) => [field.label, show(field)])),
    Source: lead.source,
    Consent: lead.consent ? `Version ${lead.consent}` : 'None on record',
    ...(lead.suspicion && { 'Possible spam': lead.suspicion }),
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
