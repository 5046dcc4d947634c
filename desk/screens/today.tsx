import { formatShortDuration } from '#leads/clock.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { groupForCalling } from '../countdown.ts'
import { Heading, Mark } from '../elements.tsx'
import { LeadList } from '../lead-row.tsx'
import { formatRoute } from '../route.ts'

const hrefOf = (leadId: string) => formatRoute({ leadId })

export function Today({
  leads,
  ...list
}: {
  leads: readonly LeadCard[]
  shownId: string | undefined
  refresh: () => Promise<void>
}) {
  const { toCall, answered, suspect } = groupForCalling(leads)
  return (
    <>
      <Heading>{toCall.length > 0 ? `${toCall.length} to call` : 'Nobody is waiting'}</Heading>
      <p className="quiet">{summarize(answered)}</p>
      {leads.length === 0 && (
        <div className="empty">
          <Mark />
          <p>A quiet day under a sound roof. The next request shows here by itself.</p>
        </div>
      )}
      <LeadList leads={toCall} hrefOf={hrefOf} {...list} />
      {answered.length > 0 && <h2>Answered</h2>}
      <LeadList leads={answered} hrefOf={hrefOf} {...list} />
      {suspect.length > 0 && (
        <details>
          <summary>Perhaps robots: {suspect.length}</summary>
          <LeadList leads={suspect} hrefOf={hrefOf} {...list} />
        </details>
      )}
    </>
  )
}

function summarize(answered: readonly LeadCard[]): string {
  const took = answered
    .flatMap(({ receivedAt, answeredAt }) => (answeredAt === null ? [] : [answeredAt - receivedAt]))
    .sort((a, b) => a - b)
  const median = took[Math.ceil(took.length / 2) - 1]
  if (median === undefined) return 'Everybody is promised a call within 10 minutes.'
  return `${took.length} answered since yesterday, ${took.length === 1 ? 'after' : 'half of them within'} ${formatShortDuration(median)}.`
}
