import { type ReactNode, useEffect, useRef, useState } from 'react'
import { formatAgo, formatShortClock, formatTries } from '#leads/clock.ts'
import type { EventKind } from '#leads/history.ts'
import type { LeadInFull } from '#leads/reports/describe.ts'
import { request } from '../api.ts'
import { computeCountdown } from '../countdown.ts'
import { CountdownIcon } from '../countdown-icon.tsx'
import { Button, Heading, Icon } from '../elements.tsx'
import { CallActions, changeLead, undo } from '../lead-row.tsx'
import { attempt } from '../notice.tsx'
import { RetryAll } from '../retry-all.tsx'
import { formatRoute, replaceHash } from '../route.ts'
import { useNow, usePolling } from '../use-polling.ts'
import { EraseDialog } from './erase-dialog.tsx'

const outcomes = [
  ['done', 'Done'],
  ['not-a-lead', 'Not a lead'],
] as const

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
  const { data, trouble, isGone, refresh } = usePolling<Answer>(`/api/leads/${id}`)
  const [erased, setErased] = useState<string>()
  const dialog = useRef<HTMLDialogElement>(null)
  const callUrl = data?.lead.phone.callUrl
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
        <p>{erased ?? 'Someone erased it on another device.'}</p>
      </>
    )
  if (!data) return <p>{trouble ?? 'Loading…'}</p>
  const { lead } = data
  const countdown = computeCountdown(lead, now)
  const refreshBoth = async () => {
    await Promise.all([refresh(), refreshList()])
  }
  const act = (kind: EventKind, message: string) => () =>
    changeLead(lead, kind, message, { refresh: refreshBoth })
  const retry = () =>
    attempt(request('POST', `/api/leads/${id}/retry`), 'Retrying now.').then(refreshBoth)
  const undoLast = () => undo(lead, refreshBoth)
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
            {formatShortClock(lead.receivedAt, now)}, {formatAgo(lead.receivedAt, now)}
          </p>
        </div>
      </div>
      <CallActions lead={lead} refresh={refreshBoth} isNext />
      <div className="outcomes">
        {lead.status !== 'done' && lead.status !== 'not-a-lead' && (
          <Button onClick={act('no-answer', 'marked as no answer.')}>No answer</Button>
        )}
        {outcomes.map(([what, name]) => (
          <Button
            key={what}
            aria-pressed={lead.status === what}
            onClick={
              lead.status === what ? undoLast : act(what, `marked as ${name.toLowerCase()}.`)
            }
          >
            {name}
          </Button>
        ))}
        {lead.status === 'call-again' && <Button onClick={undoLast}>Undo “No answer”</Button>}
        {lead.status === 'calling' && <Button onClick={undoLast}>Not called? Reopen</Button>}
      </div>
      <Facts lead={lead} />
      <Deliveries lead={lead}>
        <Button onClick={retry}>Retry now</Button>
        <RetryAll refresh={refreshBoth}>Retry all leads</RetryAll>
      </Deliveries>
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

function Facts({ lead }: { lead: LeadInFull }) {
  const show = ({ name, text }: LeadInFull['fields'][number]) => {
    if (name === 'address')
      return (
        <a href={lead.mapUrl} target="_blank" rel="noreferrer">
          {text}
          <span className="unseen"> (opens a map)</span>
        </a>
      )
    if (name === 'email')
      return <a href={`mailto:${encodeURIComponent(text).replace('%40', '@')}`}>{text}</a>
    return text
  }
  const fields = lead.fields.filter(({ name }) => name !== 'name' && name !== 'phone')
  const facts = {
    ...Object.fromEntries(fields.map((field) => [field.label, show(field)])),
    Source: lead.source,
    Consent: lead.consent ? `Version ${lead.consent}` : 'None on record',
    ...(lead.attempts > 0 && {
      Calls: `${formatTries(lead.attempts)} without an answer`,
    }),
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

const stateIcons = {
  waiting: 'today',
  sent: 'sent',
  arrived: 'check',
  failed: 'warning',
  cancelled: 'today',
} as const

/** `children` are the actions for pending deliveries. */
function Deliveries({ lead, children }: { lead: LeadInFull; children: ReactNode }) {
  return (
    <section className="deliveries">
      <h2>Delivery status</h2>
      {lead.deliveries.length === 0 && <p>Not sent anywhere yet.</p>}
      <ul>
        {lead.deliveries.map(({ what, state, status, error, note }) => (
          <li key={`${what} ${status}`} data-state={state}>
            <Icon name={stateIcons[state]} />
            <div>
              <b>{what}</b>: {status}
              <p className="quiet small">{[error, note].filter(Boolean).join(' ')}</p>
            </div>
          </li>
        ))}
      </ul>
      {lead.deliveries.some(({ state }) => state === 'waiting') && (
        <div className="pair">{children}</div>
      )}
    </section>
  )
}
