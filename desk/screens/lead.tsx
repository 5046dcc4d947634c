import { useEffect, useRef, useState } from 'react'
import type { LeadInFull } from '#leads/desk/describe.ts'
import { ask } from '../api.ts'
import { Button } from '../button.tsx'
import { Clock } from '../clock.tsx'
import { computeCountdown } from '../countdown.ts'
import { Heading } from '../heading.tsx'
import { Icon } from '../icons.tsx'
import { CallActions } from '../lead-row.tsx'
import { attempt } from '../notice.tsx'
import { formatRoute, replaceHash } from '../route.ts'
import { useFresh, useNow } from '../use-fresh.ts'
import { formatAgo, formatClock, isolate } from '../words.ts'
import { EraseDialog } from './erase-dialog.tsx'

const outcomes = [
  ['done', 'Done'],
  ['not-a-lead', 'Not a lead'],
] as const

/** Everything about one lead. `refreshList` keeps the list beside it in step. */
export function Lead({ id, refreshList }: { id: string; refreshList: () => Promise<void> }) {
  const now = useNow()
  const { data, trouble, isGone, refresh } = useFresh<{ lead: LeadInFull }>(`/api/leads/${id}`)
  const [erased, setErased] = useState<string>()
  const dialog = useRef<HTMLDialogElement>(null)
  const callUrl = data?.lead.phone.callUrl
  useEffect(() => {
    // From the notification's 'Call'. A service worker cannot dial.
    if (!callUrl || !location.hash.endsWith('/call')) return
    replaceHash(formatRoute({ leadId: id }))
    location.assign(callUrl)
  }, [callUrl, id])
  if (erased !== undefined || isGone)
    return (
      <>
        <Heading>This lead was erased</Heading>
        <p>{erased ?? 'Somebody erased it on another phone. There is nothing left to do.'}</p>
      </>
    )
  if (!data) return <p>{trouble ?? 'One moment …'}</p>
  const { lead } = data
  const countdown = computeCountdown(lead, now)
  const refreshBoth = async () => {
    await Promise.all([refresh(), refreshList()])
  }
  const act = (what: string, said: string) => async () => {
    await attempt(ask('POST', `/api/leads/${id}/${what}`), said, `${isolate(lead.name)}: `)
    await refreshBoth()
  }
  return (
    <>
      <div className="lead-top lead-head" data-mood={countdown.mood}>
        <Clock {...countdown} />
        <div>
          <Heading>{lead.name}</Heading>
          <p>
            {lead.isEmergency && <b className="tag">Emergency</b>}
            <b className="lead-words">{countdown.words}</b>
          </p>
          <p className="small">
            {formatClock(lead.receivedAt, now)}, {formatAgo(lead.receivedAt, now)}
          </p>
        </div>
      </div>
      <CallActions lead={lead} refresh={refreshBoth} />
      <div className="pair">
        {outcomes.map(([what, name]) => (
          <Button
            key={what}
            aria-pressed={lead.outcome === what}
            onClick={
              lead.outcome === what
                ? act('reopen', 'open again.')
                : act(what, `${name.toLowerCase()}.`)
            }
          >
            {name}
          </Button>
        ))}
      </div>
      <Facts lead={lead} />
      <Deliveries lead={lead} retry={act('retry', 'tried again.')} />
      <button type="button" className="erase" onClick={() => dialog.current?.showModal()}>
        Erase this person …
      </button>
      <EraseDialog
        dialog={dialog}
        lead={lead}
        onErased={(said) => {
          setErased(said)
          void refreshList()
        }}
      />
    </>
  )
}

function Facts({ lead }: { lead: LeadInFull }) {
  const facts = {
    Service: lead.service || 'Not said',
    Address: (
      <a href={lead.mapUrl} target="_blank" rel="noreferrer">
        {lead.address}
        <span className="unseen"> (on the map)</span>
      </a>
    ),
    'E-mail': (
      <a href={`mailto:${encodeURIComponent(lead.email).replace('%40', '@')}`}>{lead.email}</a>
    ),
    Source: lead.source,
    Consent: lead.consent ? `Version ${lead.consent}` : 'None on record',
    ...(lead.suspicion && { Suspect: lead.suspicion }),
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

function Deliveries({ lead, retry }: { lead: LeadInFull; retry: () => Promise<void> }) {
  return (
    <section className="deliveries">
      <h2>Where it went</h2>
      {lead.deliveries.length === 0 && <p>Nowhere yet but this desk.</p>}
      <ul>
        {lead.deliveries.map(({ what, state, words, error, note }) => (
          <li key={`${what} ${words}`} data-state={state}>
            <Icon name={state === 'sent' ? 'check' : 'today'} />
            <div>
              <b>{what}</b>: {words}
              <p className="quiet small">{[error, note].filter(Boolean).join(' ')}</p>
            </div>
          </li>
        ))}
      </ul>
      {lead.deliveries.some(({ state }) => state === 'waiting') && (
        <Button onClick={retry}>Try now</Button>
      )}
    </section>
  )
}
