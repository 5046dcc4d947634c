import { type ComponentProps, type ReactNode, use, useState } from 'react'
import { formatDay } from '#leads/clock.ts'
import { nameButton } from '#leads/describe-event.ts'
import { type EventKind, eventKinds, events } from '#leads/history.ts'
import { isValid, plansCall } from '#leads/lead-state.ts'
import { amountPattern, lostReasons } from '#leads/sale.ts'
import { dayMs } from '#leads/time-units.ts'
import { readClock } from './api.ts'
import { sendNote } from './call-actions.tsx'
import { CallTimes } from './call-times.tsx'
import {
  areDifferent,
  type Card,
  countAttempts,
  findOwnCall,
  listRequests,
  nameRequest,
} from './cards.ts'
import { Button } from './elements.tsx'
import { Me, TimeZone } from './me.ts'
import { type Press, useUnsent } from './outbox.ts'
import { type Pressed, usePress } from './press.ts'
import { useIsLive } from './use-polling.ts'

/** The buttons for the result of a call, or for the outcome of one request. Some ask for details first. */
export function EventButtons({ card, place }: { card: Card; place: 'results' | 'sale' }) {
  const { lead } = card
  const [asked, setAsked] = useState<EventKind>()
  const isLive = useIsLive()
  const press = usePress()
  const unsent = useUnsent(lead.id)
  const isMine = findOwnCall(card, use(Me)) !== undefined
  const isSale = place === 'sale'
  const state = { ...lead, attempts: countAttempts(card) }
  const kinds = eventKinds.filter(
    (kind) => events[kind].place === place && isValid(kind, state, lead.version),
  )
  if (kinds.length === 0) return null
  // Don't ask which request the next call is about, because all requests from the same phone number share it.
  const asks = (kind: EventKind) =>
    events[kind].takes !== undefined || (!plansCall(kind) && areDifferent(card))
  const record: RecordEvent = (kind, details, about = isSale ? { lead } : card) => {
    setAsked(undefined)
    // Send the note first, because it belongs to this call.
    if (!isSale) void sendNote(lead, press)
    void press(about, { kind, ...details })
  }
  return (
    <section className={place} aria-label={isSale ? 'Result' : undefined}>
      {isSale && <p className="prompt">What came of this request?</p>}
      {!isSale && isMine && (
        <p className="prompt">{`Did you reach ${lead.firstName || 'them'}?`}</p>
      )}
      <div className="outcomes">
        {kinds.map((kind) => (
          <Button
            key={kind}
            isPrimary={isMine && kind === 'done' && unsent.length === 0}
            disabled={!isLive}
            aria-expanded={asks(kind) ? asked === kind : undefined}
            aria-pressed={
              unsent.some((one) => one.kind === kind) ||
              (isSale && lead.status === events[kind].becomes) ||
              undefined
            }
            onClick={() =>
              asks(kind) ? setAsked(asked === kind ? undefined : kind) : record(kind, {})
            }
          >
            {nameButton(kind, lead)}
          </Button>
        ))}
      </div>
      {asked && <Details key={asked} kind={asked} card={card} record={record} />}
    </section>
  )
}

type RecordEvent = (kind: EventKind, details: Pick<Press, 'text' | 'at'>, about?: Pressed) => void

function Details({ kind, card, record }: { kind: EventKind; card: Card; record: RecordEvent }) {
  const today = formatDay(readClock(), use(TimeZone))
  const save = (text: string) => record(kind, text ? { text } : {})
  switch (events[kind].takes) {
    case 'time':
      return <CallTimes choose={(at) => record(kind, { at })} />
    case 'reason':
      return (
        <div className="outcomes">
          {Object.entries(lostReasons).map(([reason, label]) => (
            <Button key={reason} onClick={() => save(reason)}>
              {label}
            </Button>
          ))}
        </div>
      )
    case 'date': {
      const max = formatDay(Date.parse(today) + 365 * dayMs, 'UTC')
      return (
        <TextForm save={save} type="date" required min={today} max={max}>
          Date
        </TextForm>
      )
    }
    case 'amount':
      return (
        <TextForm
          save={save}
          inputMode="decimal"
          placeholder="$12,500"
          pattern={amountPattern}
          title="Whole dollars below $10,000,000, such as 12,500"
        >
          Amount (optional)
        </TextForm>
      )
    case 'text':
    case 'fields':
    case undefined:
      return (
        <fieldset className="choices">
          <legend>{`Which request should be marked “${nameButton(kind, card.lead)}”?`}</legend>
          {listRequests(card).map((one) => (
            <Button key={one.id} onClick={() => record(kind, {}, { lead: one, isAlone: true })}>
              <bdi>{nameRequest(one)}</bdi>
            </Button>
          ))}
          <Button onClick={() => record(kind, {}, card)}>{`All ${card.requests} requests`}</Button>
        </fieldset>
      )
  }
}

type TextFormProps = ComponentProps<'input'> & { children: ReactNode; save: (text: string) => void }

const TextForm = ({ children, save, ...input }: TextFormProps) => (
  <form
    className="field-row"
    onSubmit={(event) => {
      event.preventDefault()
      save(String(new FormData(event.currentTarget).get('details')).trim())
    }}
  >
    <label>
      {children}
      <input name="details" {...input} />
    </label>
    <Button type="submit" isPrimary>
      Save
    </Button>
  </form>
)
