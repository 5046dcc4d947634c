import { use, useEffect, useState } from 'react'
import { formatDate, formatDay } from '#leads/clock.ts'
import { serviceTypes } from '#leads/fields.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { reportDays } from '#leads/reports/periods.ts'
import { statuses, statusKinds } from '#leads/statuses.ts'
import { minuteMs } from '#leads/time-units.ts'
import { readClock, request, retryMs } from '../api.ts'
import { Button, Choice, Heading, Mark } from '../elements.tsx'
import { LeadLines } from '../lead-line.tsx'
import { keepLoaded } from '../loaded.ts'
import { TimeZone } from '../me.ts'
import { attempt } from '../notice.tsx'
import { formatRoute, replaceHash } from '../route.ts'
import { AddLink } from './add-lead.tsx'

type Page = { leads: LeadCard[]; next: string | null }

async function loadPage(filter: object, signal?: AbortSignal): Promise<Page> {
  const options = { body: filter, needsData: true, ...(signal && { signal }) }
  const page = await request<Page>('POST', '/api/search', options)
  keepLoaded(page.leads)
  return page
}

const [toCall, ...otherStatuses] = statusKinds.map((kind) => [kind, statuses[kind].label] as const)
const statusChoices = [
  ['', 'Any status'],
  ...(toCall ? [toCall] : []),
  ['late', 'First call overdue'],
  ['next-call', 'Needs another call'],
  ...otherStatuses,
] as const
const periodChoices = [
  ['', 'Any time'],
  ...reportDays.map((days) => [days, `Last ${days} days`] as const),
  ['day', 'One day…'],
] as const
const serviceChoices = [['', 'Any service'], ...Object.entries(serviceTypes)] as const

const menus = [
  ['status', 'Status', statusChoices],
  ['service', 'Service', serviceChoices],
  ['days', 'Received', periodChoices],
] as const
const nameFilter = ([name, value]: [string, string]) => {
  if (name === 'day' && value) return formatDate(value)
  const choices = menus.find(([menu]) => menu === name)?.[2] ?? []
  return choices.find(([choice]) => `${choice}` === value)?.[1] ?? value
}

const debounceMs = 250

/** `fresh` has the leads from the latest poll of Today, which replace older copies in the list. */
export function AllLeads({
  query,
  fresh,
  shownId,
  canExport,
}: {
  query: string
  fresh: readonly LeadCard[]
  shownId: string | undefined
  canExport: boolean
}) {
  // Keep searches out of the URL and the browser's history, because they may contain homeowners' names.
  const [search, setSearch] = useState('')
  const timeZone = use(TimeZone)
  const filters = new URLSearchParams(query)
  // Removing the last filter must not close the panel.
  const [isOpen] = useState(filters.size > 0 || matchMedia('(min-width: 64rem)').matches)
  const filter = Object.fromEntries(
    [...filters, ['search', search] as const]
      .map(([name, value]) => [name, value.trim()])
      .filter(([, value]) => value),
  )
  const asked = JSON.stringify(filter)
  // Until “Show more” is pressed, search again when a new lead arrives or a lead's pane is opened or closed.
  const newestAt = Math.max(...fresh.map(({ receivedAt }) => receivedAt))
  const stamp = `${newestAt} ${shownId}`
  const [found, setFound] = useState<{ asked: string; stamp: string; pages: Page[] }>()
  const [problem, setProblem] = useState<{ message: string }>()
  const [moreProblem, setMoreProblem] = useState<{ message: string }>()
  const [isBusy, setBusy] = useState(false)

  const isCurrent =
    found?.asked === asked && (found.stamp === stamp || found.pages.length > 1) && !problem
  useEffect(() => {
    if (isCurrent) return
    const look = new AbortController()
    const timer = setTimeout(
      async () => {
        try {
          const page = await loadPage(JSON.parse(asked), look.signal)
          setFound({ asked, stamp, pages: [page] })
          setProblem(undefined)
          setMoreProblem(undefined)
        } catch (error) {
          if (!look.signal.aborted) setProblem(error as Error)
        }
      },
      problem ? retryMs : debounceMs,
    )
    return () => {
      clearTimeout(timer)
      look.abort()
    }
  }, [asked, stamp, isCurrent, problem])

  const pages = found?.pages ?? []
  const next = pages.at(-1)?.next
  const showMore = async () => {
    setBusy(true)
    try {
      const page = await loadPage({ ...filter, before: next })
      if (found) setFound({ ...found, pages: [...pages, page] })
      setMoreProblem(undefined)
    } catch (error) {
      setMoreProblem(error as Error)
    }
    setBusy(false)
  }

  const day = filters.get('day')
  const field = (name: string) => {
    const isPeriod = name === 'days'
    const value = filters.get(name) ?? (isPeriod && day !== null ? 'day' : '')
    return {
      name,
      value,
      'data-set': value || undefined,
      onChange: ({ target }: { target: { value: string } }) => {
        filters.delete(name)
        if (isPeriod) filters.delete('day')
        if (isPeriod && target.value === 'day') filters.set('day', formatDay(readClock(), timeZone))
        // Keep the empty day, because a date input has no value while someone types.
        else if (target.value || name === 'day') filters.set(name, target.value)
        replaceHash(formatRoute({ screen: 'leads', leadId: shownId, query: filters.toString() }))
      },
    }
  }
  const known = new Map(fresh.map((lead) => [lead.id, lead]))
  const leads = pages.flatMap((page) => page.leads).map((lead) => known.get(lead.id) ?? lead)
  const isNone = found?.asked === asked && leads.length === 0
  return (
    <>
      <Heading>All leads</Heading>
      <search>
        <label>
          Search
          <input
            type="search"
            placeholder="Name, phone, email, street, note"
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        </label>
        <details open={isOpen}>
          <summary>{[...filters].map(nameFilter).join(' · ') || 'Filters'}</summary>
          <div className="filter-fields">
            {menus.map(([name, label, choices]) => (
              <Choice key={name} label={label} choices={choices} {...field(name)} />
            ))}
            {day !== null && (
              <label>
                Day
                <input type="date" {...field('day')} />
              </label>
            )}
            <label>
              Source
              <input placeholder="Any source" {...field('source')} />
            </label>
          </div>
        </details>
      </search>
      {problem && <p className="problem">{problem.message}</p>}
      <div className={isNone ? 'empty' : undefined}>
        {isNone && <Mark />}
        <p className="quiet" role="status">
          {found?.asked !== asked
            ? 'Searching…'
            : isNone
              ? asked === '{}'
                ? 'No leads yet.'
                : 'No matching leads.'
              : `${leads.length}${next ? '+' : ''} found, newest first`}
        </p>
        {isNone &&
          (asked === '{}' ? (
            <AddLink />
          ) : (
            <a
              className="button"
              data-quiet
              href={formatRoute({ screen: 'leads' })}
              onClick={() => setSearch('')}
            >
              Clear search and filters
            </a>
          ))}
      </div>
      <LeadLines
        leads={leads}
        hrefOf={(leadId) => formatRoute({ screen: 'leads', leadId, query })}
        shownId={shownId}
      />
      {moreProblem && <p className="problem">{moreProblem.message}</p>}
      {next && (
        <Button disabled={isBusy} onClick={showMore}>
          Show more
        </Button>
      )}
      {canExport && leads.length > 0 && (
        <Button onClick={() => attempt(download(filter, timeZone), (name) => `Saved as ${name}.`)}>
          Download as a spreadsheet (CSV)
        </Button>
      )}
    </>
  )
}

/** Returns the file name. Uses POST, because a search in the URL could contain a homeowner's name. */
async function download(filter: object, timeZone: string): Promise<string> {
  const options = { needsData: true, timeoutMs: 2 * minuteMs }
  const file = await request<Blob>('POST', '/api/spreadsheet', { body: filter, ...options })
  const url = URL.createObjectURL(file)
  const name = `leads-${formatDay(readClock(), timeZone)}.csv`
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
  return name
}
