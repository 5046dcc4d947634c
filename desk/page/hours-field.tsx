import { type ReactNode, use, useRef, useState } from 'react'
import { type BusinessHours, dayNames, type Weekday, weekdays } from '#leads/hours.ts'
import { readEntry } from '#site/schema/entry-path.ts'
import { Button } from '../elements.tsx'
import { TimeZone } from '../me.ts'
import { offerUndo } from '../notice.tsx'
import { makeId } from '../outbox.ts'
import { useNow } from '../use-polling.ts'
import { type FieldProps, type Form, Notes, Tool } from './form.tsx'
import {
  addBreak,
  copyDay,
  describeHours,
  formatSpan,
  parseSpan,
  setDay,
  type Week,
} from './week.ts'

const workdays = weekdays.slice(0, 5)
const usualDay = ['8:00-17:00']
const usualWeek: Week = Object.fromEntries(workdays.map((day) => [day, usualDay]))

/** Edits the weekly hours, and shows what they mean for a visitor right now. */
export function HoursField({ field, path, form }: FieldProps) {
  const open = readEntry(form.draft, path) as BusinessHours['open']
  const week = typeof open === 'object' && open ? open : undefined
  // Restores the hours if the owner chooses "24/7" by mistake.
  const lastWeek = useRef(usualWeek)
  if (week) lastWeek.current = week
  const setWeek = (next: Week) => form.change(path, () => next)
  const copy = (day: Weekday, to: readonly Weekday[], name: string) => {
    if (!week) return
    setWeek(copyDay(week, day, to))
    offerUndo(`${dayNames[day]}’s hours copied to ${name}.`, () => setWeek(week))
  }
  return (
    <fieldset className="entries">
      <legend>{field.label}</legend>
      <div className="pair">
        <Button aria-pressed={!week} onClick={() => form.change(path, () => 'always')}>
          Always open (24/7)
        </Button>
        <Button aria-pressed={week !== undefined} onClick={() => setWeek(lastWeek.current)}>
          Set hours
        </Button>
      </div>
      {week &&
        weekdays.map((day) => (
          <div key={day} className="day">
            <Day
              name={dayNames[day]}
              spans={week[day] ?? []}
              onChange={(spans) => setWeek(setDay(week, day, spans))}
            >
              <Button onClick={() => copy(day, workdays, 'all weekdays')}>
                Monday through Friday
              </Button>
              <Button onClick={() => copy(day, weekdays, 'every day')}>Every day</Button>
            </Day>
            {Object.keys(week[day] ?? []).map((at) => (
              <Notes key={at} form={form} path={`${path}.${day}.${at}`} />
            ))}
            <Notes form={form} path={`${path}.${day}`} />
          </div>
        ))}
      <Notes form={form} path={path} />
      <Meaning form={form} />
      <p className="quiet small">{field.hint}</p>
    </fieldset>
  )
}

type Spans = readonly string[]
type DayProps = {
  name: string
  spans: Spans
  onChange: (spans: Spans) => void
  /** The buttons that copy the day's hours. */
  children: ReactNode
}

function Day({ name, spans, onChange, children }: DayProps) {
  const [isCopying, setCopying] = useState(false)
  const isOpen = spans.length > 0
  // A half-typed time exists only in its input, which has no value yet, so each span must keep its DOM elements.
  const keys = useRef<string[]>([])
  while (keys.current.length < spans.length) keys.current.push(makeId())
  return (
    <>
      <div className="day-head">
        <label className="check">
          <input
            type="checkbox"
            checked={isOpen}
            onChange={() => onChange(isOpen ? [] : usualDay)}
          />
          {name}
          {!isOpen && <span className="quiet">Closed</span>}
        </label>
        {isOpen && (
          <div className="item-tools">
            <Button
              aria-expanded={isCopying}
              aria-label={`Copy ${name}’s hours to other days`}
              onClick={() => setCopying(!isCopying)}
            >
              Copy
            </Button>
            <Tool
              name={`Add a break on ${name}`}
              icon="add"
              onClick={() => onChange(addBreak(spans))}
            />
          </div>
        )}
      </div>
      {isOpen && isCopying && <div className="pair">{children}</div>}
      {spans.map((span, at) => {
        const [from, to] = parseSpan(span)
        const set = (next: readonly [string, string]) => onChange(spans.with(at, formatSpan(next)))
        const which = spans.length > 1 ? `, part ${at + 1}` : ''
        return (
          <div key={keys.current[at]} className="span">
            <input
              type="time"
              aria-label={`${name} opens${which}`}
              value={from}
              onChange={({ target }) => set([target.value, to])}
            />
            <span>to</span>
            <input
              type="time"
              aria-label={`${name} closes${which}`}
              value={to}
              onChange={({ target }) => set([from, target.value])}
            />
            {at > 0 && (
              <Tool
                name={`Delete part ${at + 1} of ${name}`}
                icon="delete"
                onClick={() => {
                  keys.current.splice(at, 1)
                  onChange(spans.toSpliced(at, 1))
                }}
              />
            )}
          </div>
        )
      })}
    </>
  )
}

function Meaning({ form }: { form: Form }) {
  const hours = { ...Object(readEntry(form.draft, 'hours')), timeZone: use(TimeZone) }
  const meaning = useNow((now) => describeHours(hours, now))
  return (
    <p role="status" className="meaning">
      {meaning}
    </p>
  )
}
