import { Fragment } from 'react'
import { formatAgo } from '#leads/clock.ts'
import type { LeadCard } from '#leads/reports/describe.ts'
import { formatRoute } from './route.ts'

/** Links to the homeowner's other requests. */
export function AlsoAsked({ lead, now }: { lead: LeadCard; now: number }) {
  const { others, moreOthers } = lead
  if (others.length === 0) return null
  return (
    <p className="small also-asked">
      Also asked{' '}
      {others.map(({ id, receivedAt }, at) => (
        <Fragment key={id}>
          {at > 0 && (moreOthers > 0 ? ', ' : ' and ')}
          <a href={formatRoute({ leadId: id })}>{formatAgo(receivedAt, now)}</a>
        </Fragment>
      ))}
      {moreOthers > 0 && `, and ${moreOthers} more`}
    </p>
  )
}
