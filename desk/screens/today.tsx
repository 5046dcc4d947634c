import { Fragment } from 'react'
import { formatOpening } from '#leads/clock.ts'
import type { Today, TodayLead } from '#leads/desk/today.ts'
import { minuteMs } from '#leads/time-units.ts'
import { count } from '#leads/words.ts'
import { describeTotals, groupCards } from '../cards.ts'
import { Heading, Mark } from '../elements.tsx'
import { CardList } from '../lead-row.tsx'
import { formatRoute } from '../route.ts'
import { useClock } from '../use-polling.ts'
import { AddLink } from './add-lead.tsx'

export function TodayScreen({
  leads,
  totals,
  onTime,
  hours,
  ...list
}: Pick<Today, 'leads' | 'totals' | 'onTime' | 'hours'> & {
  shownId: string | undefined
}) {
  const clock = useClock(minuteMs)
  const groups = groupCards(leads)
  const { mine = [], toCall = [], waiting = [], calling = [], called = [] } = groups
  const { older = [], suspect = [] } = groups
  const again = [...(groups.due ?? []), ...(groups.later ?? [])]
  const burst = [...(groups.burst ?? []), ...(groups.burstLater ?? [])]
  const openings = Map.groupBy(waiting, ({ lead }) => lead.promiseStartAt ?? clock.now)
  /** Links to All leads if the list omits some leads in these groups. */
  const more = (some: readonly TodayLead['group'][], query = '') => {
    const omitted = some.reduce(
      (sum, group) => sum + totals[group] - (groups[group]?.length ?? 0),
      0,
    )
    return (
      omitted > 0 && (
        <a className="link" href={formatRoute({ screen: 'leads', query })}>
          and {omitted} more
        </a>
      )
    )
  }
  return (
    <>
      <div className="list-head">
        <Heading>{describeTotals(totals)}</Heading>
        <AddLink />
      </div>
      <p className="quiet">
        {onTime.requests > 0
          ? `On time today: ${onTime.calls} of ${onTime.requests}`
          : `We promise every homeowner a call within ${hours.promiseMinutes} minutes${hours.open === 'always' ? '' : ' while we’re open'}.`}
      </p>
      {leads.length === 0 && (
        <div className="empty">
          <Mark />
          <p>New requests appear here automatically.</p>
          <a className="link" href={formatRoute({ screen: 'leads' })}>
            See all leads
          </a>
        </div>
      )}
      <CardList cards={mine} isCalling {...list} />
      {mine.length > 0 && toCall.length > 0 && <h2>Next</h2>}
      <CardList cards={toCall} startsWithNext {...list} />
      {more(['toCall'], 'status=open')}
      {again.length > 0 && <h2>Call again</h2>}
      <CardList cards={again} startsWithNext={toCall.length === 0} {...list} />
      {more(['due', 'later'], 'status=next-call')}
      {[...openings].map(([opensAt, some]) => (
        <Fragment key={opensAt}>
          <h2>
            Call when we open {formatOpening(opensAt, clock)} ({some.length})
          </h2>
          <CardList cards={some} {...list} />
        </Fragment>
      ))}
      {more(['waiting'], 'status=open')}
      {burst.length > 0 && <h2>Many requests from one internet connection (may be spam)</h2>}
      <CardList cards={burst} {...list} />
      {more(['burst', 'burstLater'], 'status=open')}
      {calling.length > 0 && <h2>Being called</h2>}
      <CardList cards={calling} {...list} />
      {more(['mine', 'calling'], 'status=calling')}
      {called.length > 0 && <h2>Closed</h2>}
      <CardList cards={called} {...list} />
      {more(['called'])}
      {older.length > 0 && (
        <details>
          <summary>{count(totals.older, 'older lead')}</summary>
          <CardList cards={older} {...list} />
          {more(['older'])}
        </details>
      )}
      {suspect.length > 0 && (
        <details>
          <summary>Possible spam: {totals.suspect}</summary>
          <CardList cards={suspect} {...list} />
          {more(['suspect'])}
        </details>
      )}
    </>
  )
}
