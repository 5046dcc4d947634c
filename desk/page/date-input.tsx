import { use } from 'react'
import { formatDay } from '#leads/clock.ts'
import { readClock } from '../api.ts'
import { TimeZone } from '../me.ts'

/** An input for a date, or for the same day every year, such as 12-25. */
export function DateInput({
  value,
  onChange,
  ...props
}: {
  id: string
  value: string
  onChange: (text: string) => void
}) {
  const isYearly = /^\d\d-\d\d$/.test(value)
  const year = formatDay(readClock(), use(TimeZone)).slice(0, 4)
  return (
    <div className="date">
      <input
        type="date"
        {...props}
        value={isYearly ? `${year}-${value}` : value}
        onChange={({ target }) => onChange(isYearly ? target.value.slice(5) : target.value)}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={isYearly}
          disabled={value === ''}
          onChange={() => onChange(isYearly ? `${year}-${value}` : value.slice(5))}
        />
        Every year
      </label>
    </div>
  )
}
