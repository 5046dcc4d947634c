import { Fragment, use } from 'react'
import { formatOpening, formatShortDuration } from '#leads/clock.ts'
import { measureWait } from '#leads/deadline.ts'
import type { Today as TodayData } from '#leads/desk/today.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { computeOpening, countToCall, groupLeads } from '../countdown.ts'
import { Heading, Mark } from '../elements.tsx'
import { LeadList } from '../lead-row.tsx'
import { Me } from '../me.ts'
import { formatRoute } from '../route.ts'
import { useNow } from '../use-polling.ts'
import { AddLink } from './add-lead.tsx'

const hrefOf = (leadId: string) => formatRoute({ leadId })

export function Today({
  leads,
  totals,
  hours,
  ...list
}: Pick<TodayData, 'leads' | 'totals' | 'hours'> & {
  shownId: string | undefined
  refresh: () => Promise<void>
}) {
  const movesSoon = totals.waiting + totals.callAgain > 0
  const now = useNow(movesSoon ? 1_000 : 60_000)
  const groups = groupLeads(leads, now, use(Me))
  const { mine, toCall, callAgain, waiting, burst, others, called, suspect } = groups
  const openings = Map.groupBy(waiting, (lead) => computeOpening(lead, now) ?? now)
  const total = countToCall({ leads, totals }, now)
  const omitted = totals.calling + totals.called - mine.length - others.length - called.length
  return (
    <>
      <div className="list-head">
        <Heading>{total > 0 ? `${total} to call` : 'All caught up'}</Heading>
        <AddLink />
      </div>
      <p className="quiet">
        {summarize(leads, omitted, now) ??
          `We promise every homeowner a call within ${hours.promiseMinutes} minutes${hours.open === 'always' ? '' : ' while we’re open'}.`}
      </p>
      {leads.length === 0 && (
        <div className="empty">
          <Mark />
          <p>No requests yet. New ones appear here automatically.</p>
        </div>
      )}
      <LeadList leads={mine} hrefOf={hrefOf} isCalling {...list} />
      {mine.length > 0 && toCall.length > 0 && <h2>Next</h2>}
      <LeadList leads={toCall} hrefOf={hrefOf} startsWithNext {...list} />
      {burst.length === 0 && <More count={totals.toCall - toCall.length} query="status=open" />}
      {callAgain.length > 0 && <h2>Call again</h2>}
      <LeadList leads={callAgain} hrefOf={hrefOf} startsWithNext={toCall.length === 0} {...list} />
      <More count={totals.callAgain - callAgain.length} query="status=call-again" />
      {[...openings].map(([opensAt, some]) => (
        <Fragment key={opensAt}>
          <h2>
            Call when we open {formatOpening(opensAt, now)} ({some.length})
          </h2>
          <LeadList leads={some} hrefOf={hrefOf} {...list} />
        </Fragment>
      ))}
      {burst.length === 0 ? (
        <More count={totals.waiting - waiting.length} query="status=open" />
      ) : (
        <>
          <h2>Many requests from one internet connection (may be spam)</h2>
          <LeadList leads={burst} hrefOf={hrefOf} {...list} />
          <More
            count={totals.toCall + totals.waiting - toCall.length - waiting.length - burst.length}
            query="status=open"
          />
        </>
      )}
      {others.length > 0 && <h2>Being called</h2>}
      <LeadList leads={others} hrefOf={hrefOf} {...list} />
      {called.length > 0 && <h2>Called</h2>}
      <LeadList leads={called} hrefOf={hrefOf} {...list} />
      <More count={omitted} />
      {suspect.length > 0 && (
        <details>
          <summary>Possible spam: {totals.suspect}</summary>
          <LeadList leads={suspect} hrefOf={hrefOf} {...list} />
          <More count={totals.suspect - suspect.length} />
        </details>
      )}
    </>
  )
}

/** Links to the leads that the list omits. */
const More = ({ count, query = '' }: { count: number; query?: string }) =>
  count > 0 && (
    <a className="link" href={formatRoute({ screen: 'leads', query })}>
      and {count} more
    </a>
  )

const dayMs = 24 * 3_600_000

function summarize(leads: readonly LeadCard[], omitted: number, now: number): string | undefined {
  const took = leads
    .flatMap((lead) =>
      lead.calledAt === null || lead.calledAt < now - dayMs
        ? []
        : [measureWait(lead, lead.calledAt)],
    )
    .sort((a, b) => a - b)
  const median = took[Math.ceil(took.length / 2) - 1]
  if (median === undefined) return undefined
  const total = took.length + omitted
  return `${total} called since yesterday, ${total === 1 ? 'after' : 'half of them within'} ${formatShortDuration(median)}.`
}
