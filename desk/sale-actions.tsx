import { use, useState } from 'react'
import { formatDay } from '#leads/clock.ts'
import { nameButton } from '#leads/describe-event.ts'
import { type EventKind, events } from '#leads/history.ts'
import { isValid } from '#leads/lead-state.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { amountPattern, lostReasons, saleKinds } from '#leads/sale.ts'
import { dayMs } from '#leads/time-units.ts'
import { readClock } from './api.ts'
import { Button } from './elements.tsx'
import { TimeZone } from './me.ts'
import { type Refresh, usePress } from './press.ts'
import { useIsLive } from './use-polling.ts'

/** Records what came of the request: an appointment, won, or lost. */
export function SaleActions({ lead, refresh }: { lead: LeadCard; refresh: Refresh }) {
  const isLive = useIsLive()
  const press = usePress(refresh)
  const [chosen, setChosen] = useState<EventKind>()
  const kinds = saleKinds.filter((kind) => isValid(kind, lead, lead.version))
  if (kinds.length === 0) return null
  const record = (kind: EventKind, text: string) => {
    setChosen(undefined)
    void press({ lead }, { kind, ...(text && { text }) })
  }
  return (
    <section className="sale" aria-label="Result">
      <p className="small quiet">What came of it?</p>
      <div className="outcomes">
        {kinds.map((kind) => (
          <Button
            key={kind}
            disabled={!isLive}
            aria-expanded={kind === chosen}
            onClick={() => setChosen(kind === chosen ? undefined : kind)}
          >
            {nameButton(kind, lead)}
          </Button>
        ))}
      </div>
      {chosen && <Details key={chosen} kind={chosen} record={(text) => record(chosen, text)} />}
    </section>
  )
}

function Details({ kind, record }: { kind: EventKind; record: (text: string) => void }) {
  const timeZone = use(TimeZone)
  const { takes } = events[kind]
  if (takes === 'reason')
    return (
      <div className="outcomes">
        {Object.entries(lostReasons).map(([reason, label]) => (
          <Button key={reason} onClick={() => record(reason)}>
            {label}
          </Button>
        ))}
      </div>
    )
  const today = formatDay(readClock(), timeZone)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        record(String(new FormData(event.currentTarget).get('details')).trim())
      }}
    >
      {takes === 'date' ? (
        <label>
          Date
          <input
            name="details"
            type="date"
            required
            min={today}
            max={formatDay(Date.parse(today) + 365 * dayMs, 'UTC')}
          />
        </label>
      ) : (
        <label>
          Amount (optional)
          <input
            name="details"
            inputMode="decimal"
            placeholder="$12,500"
            pattern={amountPattern}
            title="Whole dollars below $10,000,000, such as 12,500"
          />
        </label>
      )}
      <Button type="submit" isPrimary>
        Save
      </Button>
    </form>
  )
}
