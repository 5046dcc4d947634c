import { Fragment } from 'react'
import { formatOpening, formatShortDuration } from '#leads/clock.ts'
import { measureWait } from '#leads/deadline.ts'
import type { Today as TodayData } from '#leads/desk/today.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { findOpening, groupLeads } from '../countdown.ts'
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
  const { toCall, waiting, burst, answered, suspect } = groupLeads(leads, now)
  const openings = Map.groupBy(waiting, (lead) => findOpening(lead, now) ?? now)
  return (
    <>
      <Heading>{totals.toCall > 0 ? `${totals.toCall} to call` : 'All caught up'}</Heading>
      <p className="quiet">
        {summarize(answered, totals.answered) ??
          `We promise every homeowner a call within ${promiseMinutes} minutes${isAlwaysOpen ? '' : ' while we’re open'}.`}
      </p>
      {leads.length === 0 && (
        <div className="empty">
          <Mark />
          <p>No requests yet. New ones appear here automatically.</p>
        </div>
      )}
      <LeadList leads={toCall} hrefOf={hrefOf} startsWithNext {...list} />
      {burst.length === 0 && <More count={totals.toCall - toCall.length} query="state=waiting" />}
      {[...openings].map(([opensAt, some]) => (
        <Fragment key={opensAt}>
          <h2>
            Call when we open {formatOpening(opensAt, now)} ({some.length})
          </h2>
          <LeadList leads={some} hrefOf={hrefOf} {...list} />
        </Fragment>
      ))}
      {burst.length === 0 ? (
        <More count={totals.waiting - waiting.length} query="state=waiting" />
      ) : (
        <>
          <h2>More requests from one network</h2>
          <LeadList leads={burst} hrefOf={hrefOf} {...list} />
          <More
            count={totals.toCall + totals.waiting - toCall.length - waiting.length - burst.length}
            query="state=waiting"
          />
        </>
      )}
      {answered.length > 0 && <h2>Answered</h2>}
      <LeadList leads={answered} hrefOf={hrefOf} {...list} />
      <More count={totals.answered - answered.length} />
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

function summarize(answered: readonly LeadCard[], total: number): string | undefined {
  const took = answered
    .flatMap((lead) => (lead.answeredAt === null ? [] : [measureWait(lead, lead.answeredAt)]))
    .sort((a, b) => a - b)
  const median = took[Math.ceil(took.length / 2) - 1]
  if (median === undefined) return undefined
  return `${total} answered since yesterday, ${total === 1 ? 'after' : 'half of them within'} ${formatShortDuration(median)}.`
}
