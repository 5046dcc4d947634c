import { use, useRef, useState } from 'react'
import { formatTimestamp, parseLocalTime } from '#leads/clock.ts'
import { nameButton } from '#leads/describe-event.ts'
import { isValid } from '#leads/lead-state.ts'
import { listCallTimes, longestWaitMs } from '#leads/next-call.ts'
import { minuteMs } from '#leads/time-units.ts'
import type { Card } from './cards.ts'
import { Button } from './elements.tsx'
import { Hours } from './me.ts'
import { usePress } from './press.ts'
import { useClock } from './use-polling.ts'

export function ChangeTime({ card }: { card: Card }) {
  const [isShown, setShown] = useState(false)
  const details = useRef<HTMLDetailsElement>(null)
  const press = usePress()
  if (!isValid('moved', card.lead, card.lead.version)) return null
  const choose = (at: number) => {
    details.current?.removeAttribute('open')
    void press(card, { kind: 'moved', at })
  }
  return (
    <details
      className="change-time"
      ref={details}
      onToggle={({ currentTarget }) => setShown(currentTarget.open)}
    >
      <summary>{nameButton('moved', card.lead)}</summary>
      {/* Render this only when opened, because the first time zone conversion is slow on a phone. */}
      {isShown && <CallTimes choose={choose} />}
    </details>
  )
}

/** Offers suggested times for the next call, and a field for any time within 60 days. */
export function CallTimes({ choose }: { choose: (at: number) => void }) {
  const { now } = useClock(minuteMs)
  const [time, setTime] = useState('')
  const hours = use(Hours)
  if (!hours) return null
  const { timeZone } = hours
  const formatField = (at: number) => formatTimestamp(at, timeZone).slice(0, 16).replace(' ', 'T')
  return (
    <div className="call-times">
      <div className="outcomes">
        {listCallTimes(now, hours).map(({ label, at }) => (
          <Button key={label} onClick={() => choose(at)}>
            {label}
          </Button>
        ))}
      </div>
      <form
        className="field-row"
        onSubmit={(event) => {
          event.preventDefault()
          choose(parseLocalTime(time, timeZone))
        }}
      >
        <label>
          Another time
          <input
            type="datetime-local"
            required
            min={formatField(now + minuteMs)}
            max={formatField(now + longestWaitMs)}
            value={time}
            onChange={({ target }) => setTime(target.value)}
          />
        </label>
        <Button type="submit">Set</Button>
      </form>
    </div>
  )
}
