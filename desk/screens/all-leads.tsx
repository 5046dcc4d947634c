import { useEffect, useState } from 'react'
import { formatDay } from '#leads/clock.ts'
import { serviceTypes } from '#leads/fields.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { statusNames } from '#leads/words.ts'
import { readClock, request } from '../api.ts'
import { Button, Choice, Heading } from '../elements.tsx'
import { LeadList } from '../lead-row.tsx'
import { attempt } from '../notice.tsx'
import { formatRoute, replaceHash } from '../route.ts'

type Page = { leads: LeadCard[]; next: string | null }

const statuses = [['', 'Any status'], ...Object.entries(statusNames)] as const
const services = [['', 'Any service'], ...Object.entries(serviceTypes)] as const

const debounceMs = 250
const retryMs = 3_000

/** `fresh` has today's leads from the latest poll, which replace older copies in the list. */
export function AllLeads({
  query,
  fresh,
  shownId,
  refresh,
  canExport,
}: {
  query: string
  fresh: readonly LeadCard[]
  shownId: string | undefined
  refresh: () => Promise<void>
  canExport: boolean
}) {
  // Searches are names of homeowners, so they stay out of the URL and the browser's history.
  const [search, setSearch] = useState('')
  const filters = new URLSearchParams(query)
  // Removing the last filter must not close the panel.
  const [isOpen] = useState(filters.size > 0 || matchMedia('(min-width: 64rem)').matches)
  const filter = Object.fromEntries(
    [...filters, ['search', search] as const]
      .map(([name, value]) => [name, value.trim()])
      .filter(([, value]) => value),
  )
  const asked = JSON.stringify(filter)
  // Search again when a new lead arrives and after a lead was opened or closed.
  const newestAt = Math.max(...fresh.map(({ receivedAt }) => receivedAt))
  const stamp = `${newestAt} ${shownId}`
  const [found, setFound] = useState<{ asked: string; stamp: string; pages: Page[] }>()
  const [problem, setProblem] = useState<{ message: string }>()
  const [isBusy, setBusy] = useState(false)

  const isCurrent =
    found?.asked === asked && (found.stamp === stamp || found.pages.length > 1) && !problem
  useEffect(() => {
    if (isCurrent) return
    const look = new AbortController()
    const timer = setTimeout(
      async () => {
        try {
          const page = await request<Page>('POST', '/api/search', {
            body: JSON.parse(asked),
            signal: look.signal,
            needsData: true,
          })
          setFound({ asked, stamp, pages: [page] })
          setProblem(undefined)
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
      const body = { ...filter, before: next }
      const page = await request<Page>('POST', '/api/search', { body, needsData: true })
      if (found) setFound({ ...found, pages: [...pages, page] })
    } catch (error) {
      setProblem(error as Error)
    }
    setBusy(false)
  }

  const field = (name: string) => ({
    name,
    value: filters.get(name) ?? '',
    onChange: ({ target }: { target: { value: string } }) => {
      if (target.value) filters.set(name, target.value)
      else filters.delete(name)
      replaceHash(formatRoute({ screen: 'leads', leadId: shownId, query: filters.toString() }))
    },
  })
  const known = new Map(fresh.map((lead) => [lead.id, lead]))
  const leads = pages.flatMap((page) => page.leads).map((lead) => known.get(lead.id) ?? lead)
  return (
    <>
      <Heading>All leads</Heading>
      <search>
        <label>
          Search
          <input
            type="search"
            placeholder="Name, phone, email, address, or note"
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        </label>
        <details open={isOpen}>
          <summary>{filters.size > 0 ? `Filters: ${filters.size}` : 'Filters'}</summary>
          <div className="filter-fields">
            <label>
              Day
              <input type="date" {...field('day')} />
            </label>
            <Choice label="Status" choices={statuses} {...field('status')} />
            <Choice label="Service" choices={services} {...field('service')} />
            <label>
              Source
              <input placeholder="google, spring-roofs…" {...field('source')} />
            </label>
          </div>
        </details>
      </search>
      {problem && <p className="problem">{problem.message}</p>}
      <p className="quiet" role="status">
        {found?.asked !== asked
          ? 'Searching…'
          : leads.length === 0
            ? 'No matching leads.'
            : `${leads.length}${next ? '+' : ''} found, newest first`}
      </p>
      <LeadList
        leads={leads}
        hrefOf={(leadId) => formatRoute({ screen: 'leads', leadId, query })}
        shownId={shownId}
        refresh={refresh}
      />
      {next && (
        <Button disabled={isBusy} onClick={showMore}>
          Show more
        </Button>
      )}
      {canExport && leads.length > 0 && (
        <Button onClick={() => attempt(download(filter), (name) => `Saved as ${name}.`)}>
          Download as a spreadsheet (CSV)
        </Button>
      )}
    </>
  )
}

/** Returns the file name. Uses POST to keep homeowners' names out of URLs. */
async function download(filter: object): Promise<string> {
  const options = { needsData: true, timeoutMs: 120_000 }
  const file = await request<Blob>('POST', '/api/spreadsheet', { body: filter, ...options })
  const url = URL.createObjectURL(file)
  const name = `leads-${formatDay(readClock())}.csv`
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
  return name
}
