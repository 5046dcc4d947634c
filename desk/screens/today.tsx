import type { LeadCard } from '../../leads/desk/describe.ts'
import { sortForCalling } from '../countdown.ts'
import { LeadRow } from '../lead-row.tsx'
import type { Fresh } from '../use-fresh.ts'

export type TodayData = {
  me: { id: string; email: string; person: string }
  leads: LeadCard[]
  warnings: string[]
}

export function Today({ today, now }: { today: Fresh<TodayData>; now: number }) {
  const leads = sortForCalling(today.data?.leads ?? [])
  const open = leads.filter(({ answeredAt, outcome }) => answeredAt === null && !outcome)
  return (
    <main>
      <h1>{open.length === 0 ? 'Nobody is waiting' : `${open.length} to call`}</h1>
      {leads.length === 0 ? (
        <p className="empty">
          No requests in the last 24 hours. The next one shows here by itself.
        </p>
      ) : (
        <ul className="leads">
          {leads.map((lead) => (
            <LeadRow key={lead.id} lead={lead} now={now} onChange={today.refresh} />
          ))}
        </ul>
      )}
    </main>
  )
}
