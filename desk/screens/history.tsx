import type { ReactNode } from 'react'
import { type Clock, formatShortClock } from '#leads/clock.ts'
import type { LeadInFull } from '#leads/reports/describe.ts'
import { count } from '#leads/words.ts'
import { Icon } from '../elements.tsx'

/** Lists what happened to a lead, newest first. `children` is a button that acts on pending deliveries. */
export function History({
  lead,
  clock,
  children,
}: {
  lead: LeadInFull
  clock: Clock
  children: ReactNode
}) {
  return (
    <section className="history">
      <h2>History</h2>
      <ol className="events">
        {lead.history.map(({ number, at, kind, text, also, isUndone }) => (
          <li key={number} data-kind={kind} data-undone={isUndone || undefined}>
            <time>{formatShortClock(at, clock)}</time>
            <span dir="auto">
              {isUndone ? <s>{text}</s> : text}
              {isUndone && ' (undone)'}
              {also && <small className="quiet">{also}</small>}
            </span>
          </li>
        ))}
        <li>
          <time>{formatShortClock(lead.receivedAt, clock)}</time>
          <span>{lead.beginning}</span>
        </li>
      </ol>
      {lead.deliveries.length > 0 && (
        <Deliveries deliveries={lead.deliveries}>{children}</Deliveries>
      )}
    </section>
  )
}

type Delivery = LeadInFull['deliveries'][number]

const stateIcons = {
  waiting: 'today',
  sent: 'sent',
  arrived: 'check',
  failed: 'warning',
  cancelled: 'today',
} as const

function Deliveries({
  deliveries,
  children,
}: {
  deliveries: readonly Delivery[]
  children: ReactNode
}) {
  const hasTrouble = deliveries.some(({ error }) => error !== null)
  return (
    <details className="deliveries" open={hasTrouble}>
      <summary data-trouble={hasTrouble || undefined}>{summarizeDeliveries(deliveries)}</summary>
      <ul>
        {deliveries.map(({ what, state, status, error, note }) => (
          <li key={`${what} ${status}`} data-state={state}>
            <Icon name={stateIcons[state]} />
            <div>
              <b>{what}</b>: {status}
              <p className="quiet small">{[error, note].filter(Boolean).join(' ')}</p>
            </div>
          </li>
        ))}
      </ul>
      {deliveries.some(({ state }) => state === 'waiting') && children}
    </details>
  )
}

/** Example: “Sent to 5 destinations, 4 confirmed, 1 failed.” */
function summarizeDeliveries(deliveries: readonly Delivery[]): string {
  const countIn = (...states: Delivery['state'][]) =>
    new Set(
      deliveries.filter(({ state }) => states.includes(state)).map(({ recipient }) => recipient),
    ).size
  const sent = countIn('sent', 'arrived')
  const waiting = countIn('waiting')
  const others = [
    [countIn('arrived'), 'confirmed'],
    [waiting, 'pending'],
    [countIn('failed'), 'failed'],
  ] as const
  const rowIn = deliveries.every((delivery) => delivery.rowIn) && deliveries[0]?.rowIn
  return [
    sent === 0
      ? waiting > 0
        ? 'Not sent yet'
        : 'Not sent'
      : `Sent to ${rowIn || count(sent, 'destination')}`,
    ...others.filter(([number]) => number > 0).map(([number, state]) => `${number} ${state}`),
  ].join(', ')
}
