import { formatShortDuration } from '#leads/clock.ts'
import type { Today as TodayData } from '#leads/desk/today.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { groupLeads } from '../countdown.ts'
import { Heading, Mark } from '../elements.tsx'
import { LeadList } from '../lead-row.tsx'
import { formatRoute } from '../route.ts'

const hrefOf = (leadId: string) => formatRoute({ leadId })

export function Today({
  leads,
  totals,
  ...list
}: Pick<TodayData, 'leads' | 'totals'> & {
  shownId: string | undefined
  refresh: () => Promise<void>
}) {
  const { toCall, answered, suspect } = groupLeads(leads)
  return (
    <>
      <Heading>{totals.toCall > 0 ? `${totals.toCall} to call` : 'Nobody is waiting'}</Heading>
      <p className="quiet">{summarize(answered, totals.answered)}</p>
      {leads.length === 0 && (
        <div className="empty">
          <Mark />
          <p>No requests yet. New ones appear here automatically.</p>
        </div>
      )}
      <LeadList leads={toCall} hrefOf={hrefOf} {...list} />
      <More count={totals.toCall - toCall.length} query="state=waiting" />
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

function summarize(answered: readonly LeadCard[], total: number): string {
  const took = answered
    .flatMap(({ receivedAt, answeredAt }) => (answeredAt === null ? [] : [answeredAt - receivedAt]))
    .sort((a, b) => a - b)
  const median = took[Math.ceil(took.length / 2) - 1]
  if (median === undefined) return 'We promise every homeowner a call within 10 minutes.'
  return `${total} answered since yesterday, ${total === 1 ? 'after' : 'half of them within'} ${formatShortDuration(median)}.`
}
