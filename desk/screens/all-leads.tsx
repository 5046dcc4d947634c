import { useEffect, useState } from 'react'
import type { LeadCard } from '../../leads/desk/describe.ts'
import { serviceTypes } from '../../leads/lead.ts'
import { ask } from '../api.ts'
import { LeadRow } from '../lead-row.tsx'

type Page = { leads: LeadCard[]; next: string | null }

const states = [
  ['', 'Any state'],
  ['waiting', 'Waiting'],
  ['answered', 'Answered'],
  ['done', 'Done'],
  ['not-a-lead', 'Not a lead'],
]

/** What was typed, as the address asks for it. A day is the phone's own, from midnight to midnight. */
function makeQuery(form: FormData): string {
  const query = new URLSearchParams()
  for (const name of ['search', 'service', 'state', 'source']) {
    const value = String(form.get(name) ?? '').trim()
    if (value) query.set(name, value)
  }
  const day = String(form.get('day') ?? '')
  if (day) {
    const from = new Date(`${day}T00:00`)
    const to = new Date(from)
    to.setDate(to.getDate() + 1)
    query.set('from', String(from.getTime()))
    query.set('to', String(to.getTime()))
  }
  return query.toString()
}

export function AllLeads({ now }: { now: number }) {
  const [query, setQuery] = useState('')
  const [pages, setPages] = useState<Page[]>()
  const [problem, setProblem] = useState<string>()

  const load = async (before: string | null, pagesSoFar: Page[]) => {
    const address = `/api/leads?${query}${before ? `&before=${before}` : ''}`
    try {
      setPages([...pagesSoFar, await ask<Page>('GET', address)])
      setProblem(undefined)
    } catch (error) {
      setProblem((error as Error).message)
    }
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: load changes with every render
  useEffect(() => {
    const timer = setTimeout(() => load(null, []), 200)
    return () => clearTimeout(timer)
  }, [query])

  const leads = pages?.flatMap((page) => page.leads) ?? []
  const next = pages?.at(-1)?.next
  return (
    <main>
      <h1>All leads</h1>
      <form
        className="filters"
        onChange={(event) => setQuery(makeQuery(new FormData(event.currentTarget)))}
        onSubmit={(event) => event.preventDefault()}
      >
        <label className="wide">
          Search
          <input name="search" type="search" placeholder="Name, phone, e-mail or address" />
        </label>
        <label>
          Day
          <input name="day" type="date" />
        </label>
        <label>
          Service
          <select name="service">
            <option value="">Any service</option>
            {Object.entries(serviceTypes).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          State
          <select name="state">
            {states.map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </select>
        </label>
        <label>
          Source
          <input name="source" placeholder="google, spring-roofs …" />
        </label>
      </form>
      {problem && <p role="status">{problem}</p>}
      {pages && leads.length === 0 && <p className="empty">No lead matches.</p>}
      <ul className="leads">
        {leads.map((lead) => (
          <LeadRow key={lead.id} lead={lead} now={now} onChange={() => load(null, [])} />
        ))}
      </ul>
      {next && (
        <button type="button" className="button quiet" onClick={() => load(next, pages ?? [])}>
          Show more
        </button>
      )}
      <p>
        <a href={`/api/leads.csv?${query}`} download>
          Download as a spreadsheet (CSV)
        </a>
      </p>
    </main>
  )
}
