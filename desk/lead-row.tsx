import { useState } from 'react'
import type { LeadCard } from '../leads/desk/describe.ts'
import { ask } from './api.ts'
import { computeCountdown, formatSpan, type Mood } from './countdown.ts'

/** A ring that empties; when time is short another shape, for those who see no colors. */
export function Clock({ mood, shareLeft }: { mood: Mood; shareLeft: number }) {
  return (
    <svg className="clock" viewBox="0 0 36 36" width="36" height="36" aria-hidden="true">
      {mood === 'urgent' || mood === 'late' ? (
        <>
          <path className="clock-sign" d="M18 4 34 32H2Z" />
          <path className="clock-mark" d="M18 14v9m0 4v.5" />
        </>
      ) : mood === 'calm' || mood === 'soon' ? (
        <>
          <circle className="clock-track" cx="18" cy="18" r="15" />
          <circle
            className="clock-left"
            cx="18"
            cy="18"
            r="15"
            pathLength="1"
            strokeDasharray={`${shareLeft} 1`}
            transform="rotate(-90 18 18)"
          />
        </>
      ) : (
        <path className="clock-check" d={mood === 'suspect' ? 'M10 18h16' : 'm9 19 6 6 12-14'} />
      )}
    </svg>
  )
}

/** Says that this person is calling. Returns what the desk says if somebody else was first. */
export function useCalling(id: string, onDone: () => void) {
  const [said, setSaid] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const call = async () => {
    setBusy(true)
    setSaid(undefined)
    await ask('POST', `/api/leads/${id}/calling`).catch((error: Error) => setSaid(error.message))
    setBusy(false)
    onDone()
  }
  return { call, said, isBusy }
}

export function LeadRow({
  lead,
  now,
  onChange,
}: {
  lead: LeadCard
  now: number
  onChange: () => void
}) {
  const { mood, words, shareLeft } = computeCountdown(lead, now)
  const { call, said, isBusy } = useCalling(lead.id, onChange)
  const [hasDialed, setDialed] = useState(false)
  const isOpen = lead.answeredAt === null && !lead.outcome
  return (
    <li className="lead-row" data-mood={mood} data-emergency={lead.isEmergency || undefined}>
      <a className="lead-link" href={`#/lead/${lead.id}`}>
        <Clock mood={mood} shareLeft={shareLeft} />
        <span className="lead-who">
          <strong dir="auto">{lead.name}</strong>
          <span>
            {lead.isEmergency && <b className="tag">Emergency</b>}
            {!lead.isEmergency && lead.service}
            {lead.town && <span dir="auto"> · {lead.town}</span>}
          </span>
        </span>
        <span className="lead-when">
          <span className="lead-words">{words}</span>
          <span>{formatSpan(now - lead.receivedAt)} ago</span>
        </span>
      </a>
      {isOpen && (
        <div className="lead-actions">
          <a className="button" href={lead.phone.callUrl} onClick={() => setDialed(true)}>
            Call {lead.phone.shown}
          </a>
          <button
            type="button"
            className="button quiet"
            data-offered={hasDialed || undefined}
            disabled={isBusy}
            onClick={call}
          >
            I am calling
          </button>
        </div>
      )}
      {said && (
        <p className="said" role="status">
          {said}
        </p>
      )}
    </li>
  )
}
