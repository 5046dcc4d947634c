import { useRef, useState } from 'react'
import type { LeadInFull } from '#leads/desk/describe.ts'
import { ask } from '../api.ts'
import { Clock } from '../clock.tsx'
import { computeCountdown } from '../countdown.ts'
import { Heading } from '../heading.tsx'
import { Icon } from '../icons.tsx'
import { CallActions } from '../lead-row.tsx'
import { say } from '../notice.tsx'
import { useFresh } from '../use-fresh.ts'
import { formatAgo, formatClock, isolate } from '../words.ts'
import { EraseDialog } from './erase-dialog.tsx'

const outcomes = [
  ['done', 'Done'],
  ['not-a-lead', 'Not a lead'],
] as const

/** Everything about one lead. `refreshList` keeps the list beside it in step. */
export function Lead({
  id,
  now,
  backTo,
  refreshList,
}: {
  id: string
  now: number
  backTo: { href: string; name: string }
  refreshList: () => Promise<void>
}) {
  const { data, trouble, isGone, refresh } = useFresh<{ lead: LeadInFull }>(`/api/leads/${id}`)
  const [erased, setErased] = useState<string>()
  const dialog = useRef<HTMLDialogElement>(null)
  const back = (
    <a className="back" href={backTo.href}>
      <Icon name="back" />
      {backTo.name}
    </a>
  )
  if (erased !== undefined || isGone)
    return (
      <>
        {back}
        <Heading>This lead was erased</Heading>
        <p className="summary">
          {erased ?? 'Somebody erased it, perhaps on another phone. There is nothing left to do.'}
        </p>
      </>
    )
  if (!data)
    return (
      <>
        {back}
        <p className="summary">{trouble ?? 'One moment …'}</p>
      </>
    )
  const { lead } = data
  const countdown = computeCountdown(lead, now)
  const refreshBoth = async () => {
    await Promise.all([refresh(), refreshList()])
  }
  const act = (what: string, said: string) => async () => {
    const outcome = await ask('POST', `/api/leads/${id}/${what}`).then(
      () => said,
      (error: Error) => error.message,
    )
    say(`${isolate(lead.name)}: ${outcome}`)
    await refreshBoth()
  }
  return (
    <>
      {back}
      <header className="lead-head" data-mood={countdown.mood}>
        <Clock {...countdown} />
        <div>
          <Heading dir="auto">{lead.name}</Heading>
          <p className="lead-when">
            {lead.isEmergency && <b className="tag">Emergency</b>}
            <b className="lead-words">{countdown.words}</b>{' '}
            <span>
              {formatClock(lead.receivedAt, now)}
              {now - lead.receivedAt < 86_400_000 && `, ${formatAgo(lead.receivedAt, now)}`}
            </span>
          </p>
        </div>
      </header>
      <CallActions lead={lead} onChange={refreshBoth} />
      <div className="outcomes">
        {outcomes.map(([what, name]) => (
          <button
            key={what}
            type="button"
            className="button"
            data-quiet
            aria-pressed={lead.outcome === what}
            onClick={act(what, `${name}.`)}
          >
            {name}
          </button>
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
  return (
    <dl className="facts">
      <dt>Service</dt>
      <dd>{lead.service || 'Not said'}</dd>
      <dt>Address</dt>
      <dd>
        <a href={lead.mapUrl} target="_blank" rel="noreferrer" dir="auto">
          {lead.address}
          <span className="unseen"> (on the map)</span>
        </a>
      </dd>
      <dt>E-mail</dt>
      <dd>
        <a href={`mailto:${encodeURIComponent(lead.email).replace('%40', '@')}`} dir="auto">
          {lead.email}
        </a>
      </dd>
      <dt>Came from</dt>
      <dd dir="auto">{lead.source}</dd>
      <dt>Consent</dt>
      <dd>{lead.consent ? `Version ${lead.consent}` : 'None on record'}</dd>
      {lead.suspicion && (
        <>
          <dt>Suspect</dt>
          <dd>{lead.suspicion}</dd>
        </>
      )}
    </dl>
  )
}

function Deliveries({ lead, retry }: { lead: LeadInFull; retry: () => Promise<void> }) {
  const isWaiting = lead.deliveries.some(({ state }) => state === 'waiting')
  return (
    <section className="deliveries">
      <h2>Where it went</h2>
      {lead.deliveries.length === 0 && <p>Nowhere yet but this desk.</p>}
      <ul>
        {lead.deliveries.map(({ what, state, words, error, note }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two may read the same, and their order stays
          <li key={at} data-state={state}>
            <Icon name={state === 'sent' ? 'check' : 'wait'} />
            <div>
              <b>{what}</b>: {words}
              {[error, note].filter(Boolean).map((text) => (
                <p key={text}>{text}</p>
              ))}
            </div>
          </li>
        ))}
      </ul>
      {isWaiting && (
        <button type="button" className="button" data-quiet onClick={retry}>
          Try now
        </button>
      )}
    </section>
  )
}
