import { Fragment } from 'react'
import { formatOpening, formatShortDuration } from '#leads/clock.ts'
import { isDueAgain, measureWait } from '#leads/deadline.ts'
import type { Today as TodayData } from '#leads/desk/today.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { computeOpening, groupLeads } from '../countdown.ts'
import { Heading, Mark } from '../elements.tsx'
import { LeadList } from '../lead-row.tsx'
import { formatRoute } from '../route.ts'
import { useNow } from '../use-polling.ts'

const hrefOf = (leadId: string) => formatRoute({ leadId })

export function Today({
  leads,
  totals,
  isAlwaysOpen,
  promiseMinutes,
  ...list
}: Pick<TodayData, 'leads' | 'totals' | 'isAlwaysOpen' | 'promiseMinutes'> & {
  shownId: string | undefined
  refresh: () => Promise<void>
}) {
  const movesSoon = totals.waiting > 0 || leads.some((lead) => lead.callAgainAt !== null)
  const now = useNow(movesSoon ? 1_000 : 60_000)
  const { toCall, waiting, burst, called, suspect } = groupLeads(leads, now)
  const again = leads.filter((lead) => isDueAgain(lead, now)).length
  const total = totals.toCall + again
  const totalCalled = totals.calling + totals.callAgain - again + totals.called
  const openings = Map.groupBy(waiting, (lead) => computeOpening(lead, now) ?? now)
  return (
    <>
      <Heading>{total > 0 ? `${total} to call` : 'All caught up'}</Heading>
      <p className="quiet">
        {summarize(called, totalCalled) ??
          `We promise every homeowner a call within ${promiseMinutes} minutes${isAlwaysOpen ? '' : ' while we’re open'}.`}
      </p>
      {leads.length === 0 && (
        <div className="empty">
          <Mark />
          <p>No requests yet. New ones appear here automatically.</p>
        </div>
      )}
      <LeadList leads={toCall} hrefOf={hrefOf} startsWithNext {...list} />
      {burst.length === 0 && <More count={total - toCall.length} query="status=open" />}
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
          <h2>More requests from one network</h2>
          <LeadList leads={burst} hrefOf={hrefOf} {...list} />
          <More
            count={total + totals.waiting - toCall.length - waiting.length - burst.length}
            query="status=open"
          />
        </>
      )}
      {called.length > 0 && <h2>Called</h2>}
      <LeadList leads={called} hrefOf={hrefOf} {...list} />
      <More count={totalCalled - called.length} />
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

function summarize(called: readonly LeadCard[], total: number): string | undefined {
  const took = called
    .flatMap((lead) => (lead.calledAt === null ? [] : [measureWait(lead, lead.calledAt)]))
    .sort((a, b) => a - b)
  const median = took[Math.ceil(took.length / 2) - 1]
  if (median === undefined) return undefined
  return `${total} called since yesterday, ${total === 1 ? 'after' : 'half of them within'} ${formatShortDuration(median)}.`
}
