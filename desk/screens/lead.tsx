import { type FormEvent, useState } from 'react'
import type { LeadInFull } from '../../leads/desk/describe.ts'
import { ask } from '../api.ts'
import { computeCountdown } from '../countdown.ts'
import { Clock, useCalling } from '../lead-row.tsx'
import { useFresh } from '../use-fresh.ts'

export function Lead({ id, now }: { id: string; now: number }) {
  const { data, trouble, refresh } = useFresh<{ lead: LeadInFull }>(`/api/leads/${id}`)
  const { call, said, isBusy } = useCalling(id, refresh)
  const [problem, setProblem] = useState<string>()
  if (!data)
    return (
      <main>
        <a href="#/">← Today</a>
        <p className="empty">{trouble ?? 'One moment …'}</p>
      </main>
    )
  const { lead } = data
  const { mood, words, shareLeft } = computeCountdown(lead, now)
  const act = (what: string) => async () => {
    setProblem(undefined)
    await ask('POST', `/api/leads/${id}/${what}`).catch((error: Error) => setProblem(error.message))
    refresh()
  }
  const isWaiting = lead.deliveries.some(({ state }) => state === 'waiting')
  return (
    <main>
      <a href="#/">← Today</a>
      <header className="lead-head" data-mood={mood}>
        <Clock mood={mood} shareLeft={shareLeft} />
        <div>
          <h1 dir="auto">{lead.name}</h1>
          <p className="lead-words">{words}</p>
        </div>
      </header>
      <div className="lead-actions">
        <a className="button" href={lead.phone.callUrl}>
          Call {lead.phone.shown}
        </a>
        {lead.answeredAt === null && (
          <button type="button" className="button quiet" disabled={isBusy} onClick={call}>
            I am calling
          </button>
        )}
        <button type="button" className="button quiet" onClick={act('done')}>
          Done
        </button>
        <button type="button" className="button quiet" onClick={act('not-a-lead')}>
          Not a lead
        </button>
      </div>
      {(said ?? problem) && (
        <p className="said" role="status">
          {said ?? problem}
        </p>
      )}
      <dl>
        <dt>Service</dt>
        <dd>{lead.service || 'Not said'}</dd>
        <dt>Address</dt>
        <dd dir="auto">
          <a href={lead.mapUrl} target="_blank" rel="noreferrer">
            {lead.address}
          </a>
        </dd>
        <dt>E-mail</dt>
        <dd>
          <a href={`mailto:${lead.email}`}>{lead.email}</a>
        </dd>
        <dt>From</dt>
        <dd dir="auto">{lead.source}</dd>
        {lead.consent && (
          <>
            <dt>Consent</dt>
            <dd>Version {lead.consent}</dd>
          </>
        )}
        {lead.suspicion && (
          <>
            <dt>Suspect</dt>
            <dd>{lead.suspicion}</dd>
          </>
        )}
      </dl>
      <h2>Where it went</h2>
      <ul className="deliveries">
        {lead.deliveries.map(({ what, state, words: how, error, note }) => (
          <li key={`${what} ${how}`} data-state={state}>
            {what}: {how}
            {[error, note].filter(Boolean).map((text) => (
              <p key={text}>{text}</p>
            ))}
          </li>
        ))}
      </ul>
      {isWaiting && (
        <button type="button" className="button quiet" onClick={act('retry')}>
          Try now
        </button>
      )}
      <Erase lead={lead} />
    </main>
  )
}

function Erase({ lead }: { lead: LeadInFull }) {
  const [said, setSaid] = useState<string>()
  const erase = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = String(new FormData(event.currentTarget).get('name'))
    try {
      const erased = await ask<{ said: string }>('DELETE', `/api/leads/${lead.id}`, { name })
      setSaid(erased.said)
    } catch (error) {
      setSaid((error as Error).message)
    }
  }
  return (
    <details className="erase">
      <summary>Erase this person</summary>
      <form onSubmit={erase}>
        <p>
          Here and in Airtable, for good. Alerts that were sent cannot be called back. To confirm,
          type the name: <b dir="auto">{lead.name}</b>
        </p>
        <label>
          Name
          <input name="name" autoComplete="off" required />
        </label>
        <button type="submit" className="button alarm">
          Erase
        </button>
        {said && <p role="status">{said}</p>}
      </form>
    </details>
  )
}
